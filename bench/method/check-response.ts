/**
 * Same work, same response: a server with a response that differs from the probe's is not measured.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from "node:http2";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { WebSocket } from "ws";
import { originOf, probes, type Probe, type Work } from "../work.ts";
import type { Contender } from "./process.ts";

/** The probe of a contender, with its server's tag or session if the work needs it. */
export async function probeOf({ work: { kind } }: Contender, port: number): Promise<Probe> {
  const probe = probes[kind];
  if (probe.first === undefined) return probe;
  const [path, from, to] = probe.first;
  const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
  return { ...probe, headers: { [to]: headers.get(from)?.split(";")[0] ?? "" } };
}

/** Sends the probe to the server. @throws (rejects) with a sentence for the first difference. */
export async function checkResponse({ name, work }: Contender, port: number, probe: Probe): Promise<void> {
  const { kind, use, engine } = work;
  if (kind === "socket") return checkEcho(name, port);
  if (kind === "session") await checkForgery(name, port, probe);
  const { method, path, status, contentType, response } = probe;
  const got = await responseOf(port, probe, engine);
  const length = Buffer.byteLength(response);
  const isCoded = got["content-encoding"] !== undefined;
  const wanted: Readonly<Record<string, unknown>> = {
    status,
    body: response,
    ...(contentType === undefined ? {} : { "content-type": contentType }),
    ...(got["transfer-encoding"] === "chunked" || status === 304 || isCoded ? {} : { "content-length": length }),
    ...(probe.headers["accept-encoding"] === undefined ? {} : { "content-encoding": probe.headers["accept-encoding"] }),
    ...(kind === "session" ? { "set-cookie": undefined } : {}),
    ...(use.includes("id") ? { "x-request-id": "bench-1" } : {}),
    ...(use.includes("cors") ? { "access-control-allow-origin": "*" } : {}),
  };
  for (const [part, value] of Object.entries(wanted)) {
    const found = part === "content-type" ? String(got[part]).split(";")[0] : String(got[part]);
    if (found !== String(value))
      throw new Error(`${name}: the response to ${method} ${path} has ${part} ${String(found)}, not ${String(value)}`);
  }
}

/** Sends a session with one changed character. @throws (rejects) if the server accepts it. */
async function checkForgery(name: string, port: number, probe: Probe): Promise<void> {
  const [, start = "", changed, end = ""] = /^([^=]+=.{40})(.)(.+)$/.exec(probe.headers["cookie"] ?? "") ?? [];
  const cookie = start + (changed === "A" ? "B" : "A") + end;
  const { status } = await responseOf(port, { ...probe, headers: { cookie } }, "node-http");
  if (start === "" || status !== 401) throw new Error(`${name}: a forged session gets ${String(status)}, not 401`);
}

/** Sends a message. @throws (rejects) if something else comes back. */
async function checkEcho(name: string, port: number): Promise<void> {
  const { path, body, response } = probes.socket;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  socket.once("open", () => socket.send(body ?? ""));
  const [data, isBinary] = (await once(socket, "message")) as [Buffer, boolean];
  socket.terminate();
  if (isBinary || String(data) !== response) throw new Error(`${name}: the echo is ${String(data)}, not ${response}`);
}

/** The response's status, headers and body in one record. */
async function responseOf(
  port: number,
  probe: Probe,
  engine: Work["engine"],
): Promise<Readonly<Record<string, unknown>>> {
  const { method, path, headers, body } = probe;
  const origin = originOf({ engine }, port);
  const sent = { ...headers, "x-request-id": "bench-1" };
  // `fetch` cannot accept a self-signed certificate.
  if (engine === "node-https") {
    const options = { method, headers: sent, rejectUnauthorized: false, agent: false };
    const [response] = (await once(request(origin + path, options).end(body), "response")) as [IncomingMessage];
    return { ...response.headers, status: response.statusCode, body: await text(response) };
  }
  if (engine !== "node-http2") {
    const response = await fetch(origin + path, { method, headers: sent, body: body ?? null });
    return { ...Object.fromEntries(response.headers), status: response.status, body: await response.text() };
  }
  const session = connect(origin);
  try {
    const stream = session.request({ ...sent, ":method": method, ":path": path });
    const [head] = (await once(stream.end(body), "response")) as [IncomingHttpHeaders & IncomingHttpStatusHeader];
    return { ...head, status: head[":status"], body: await text(stream) };
  } finally {
    session.destroy();
  }
}
