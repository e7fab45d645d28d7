/**
 * The ways to run one app, each with a raw client.
 *
 *   app ──▶ hosts[name] ──▶ { send(request), leave(request) }
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectHttp2, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { connect, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { responsesOf } from "./harness.testkit.ts";
import { NodeHttp2Engine, NodeHttpEngine, type Framework } from "../index.ts";
import type { ServerEngine } from "../engine/index.ts";
import { certificate } from "./certificate.testkit.ts";

/** A header line: its name and its value. */
export type HeaderLine = readonly [string, string];

/** One request, as it is sent on the wire. An array of chunks has no Content-Length. */
export interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly HeaderLine[];
  readonly body?: string | Uint8Array | readonly string[];
  /** Leaves after this much of the body has come. "" leaves after the request was sent. */
  readonly leaveAfter?: string;
}

/** One response. `torn`: it broke off. Framing fields and Date are left out of `headers`. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
  readonly torn: boolean;
}

/** A running app and its client. */
export interface Host {
  send(request: Sent): Promise<Seen>;
  close(): Promise<void>;
}

/** Every way to run one app. */
export const hosts: Readonly<Record<string, { engine?: ServerEngine; open(app: Framework): Promise<Host> }>> = {
  "node:http": { engine: new NodeHttpEngine(), open: (app) => listening(app, http1) },
  h2c: { engine: new NodeHttp2Engine(), open: (app) => listening(app, http2) },
  "h2 over TLS": { engine: new NodeHttp2Engine(certificate), open: (app) => listening(app, http2) },
  "HTTP/1.1 over TLS": { engine: new NodeHttp2Engine(certificate), open: (app) => listening(app, http1Tls) },
  "app.fetch": { open: async (app) => ({ send: (sent) => fetching(app, sent), close: async () => undefined }) },
  "app.listener": { open: hosted },
};

const trusting = { ca: certificate.cert, servername: "localhost" };

async function listening(app: Framework, send: (app: Framework, request: Sent) => Promise<Seen>): Promise<Host> {
  await app.start(0);
  return { send: (request) => send(app, request), close: () => app.stop({ graceMs: 50 }) };
}

async function hosted(app: Framework): Promise<Host> {
  const server = createServer(app.listener()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    send: (request) => overHttp1(connect(port, "127.0.0.1"), request),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const http1 = (app: Framework, request: Sent): Promise<Seen> => overHttp1(connect(app.port, "127.0.0.1"), request);

const http1Tls = (app: Framework, request: Sent): Promise<Seen> =>
  overHttp1(connectTls({ port: app.port, host: "127.0.0.1", ...trusting, ALPNProtocols: ["http/1.1"] }), request);

/** One request on a separate HTTP/1.1 connection. */
export async function overHttp1(socket: Duplex, request: Sent): Promise<Seen> {
  const { method = "GET", target, headers = [], body, leaveAfter } = request;
  const framing = isWhole(body)
    ? [["Content-Length", String(Buffer.byteLength(body))]]
    : body === undefined
      ? []
      : [["Transfer-Encoding", "chunked"]];
  const hosts = headers.some(([name]) => name.toLowerCase() === "host") ? [] : [["Host", "localhost"]];
  const lines = [...hosts, ["Connection", "close"], ...framing, ...headers];
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const chunks: Buffer[] = [];
  const text = (): string => Buffer.concat(chunks).toString("latin1");
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (leaveAfter !== undefined && leaveAfter !== "" && text().includes(leaveAfter)) socket.destroy();
  });
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  const sent = isWhole(body) ? body : (body?.map(chunked).join("") ?? "");
  const end = Array.isArray(body) ? "0\r\n\r\n" : "";
  // After the handshake, if there is one, because a client that leaves before has sent nothing, and is not reported.
  const out = (): unknown => leaveAfter === "" && setTimeout(() => socket.destroy(), 30);
  socket.write(Buffer.concat([Buffer.from(head), Buffer.from(sent as string), Buffer.from(end)]), out);
  await closed;
  const [response] = responsesOf(text(), method === "HEAD");
  if (response === undefined) return { status: 0, headers: {}, body: "", torn: true };
  const cameWhole =
    response.headers["transfer-encoding"] === "chunked"
      ? text().endsWith("0\r\n\r\n")
      : response.status === 304 || Buffer.byteLength(response.body) === Number(response.headers["content-length"] ?? 0);
  const torn = method !== "HEAD" && !cameWhole;
  return { ...response, headers: shown(response.headers), torn };
}

const isWhole = (body: Sent["body"]): body is string | Uint8Array =>
  typeof body === "string" || body instanceof Uint8Array;

const chunked = (chunk: string): string => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`;

async function http2(app: Framework, request: Sent): Promise<Seen> {
  const session = connectHttp2(app.url, trusting);
  session.on("error", () => undefined);
  try {
    return await overHttp2(session, request);
  } finally {
    session.destroy();
  }
}

/** One request on an HTTP/2 session. */
export async function overHttp2(session: ClientHttp2Session, request: Sent): Promise<Seen> {
  const { method = "GET", target, headers = [], body, leaveAfter } = request;
  const lines: Record<string, string | string[]> = { ":method": method, ":path": target };
  for (const [written, value] of headers) {
    const isAuthority = written.toLowerCase() === "host" && lines[":authority"] === undefined;
    const name = isAuthority ? ":authority" : written.toLowerCase();
    const earlier = lines[name];
    lines[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  if (isWhole(body)) lines["content-length"] = String(Buffer.byteLength(body));
  const stream = session.request(lines, { endStream: body === undefined });
  let head: IncomingHttpHeaders = {};
  let text = "";
  let failed = false;
  stream.setEncoding("utf8");
  stream.on("response", (received) => void (head = received));
  stream.on("error", () => void (failed = true));
  stream.on("data", (chunk: string) => {
    text += chunk;
    if (leaveAfter !== undefined && leaveAfter !== "" && text.includes(leaveAfter)) stream.close(8);
  });
  if (body !== undefined) {
    for (const chunk of [body].flat()) stream.write(chunk);
    stream.end();
  }
  if (leaveAfter === "") stream.once("ready", () => setTimeout(() => stream.close(8), 30));
  await new Promise<void>((resolve) => void stream.once("close", () => resolve()));
  const fields = Object.entries(head).filter((field): field is [string, string | string[]] => field[1] !== undefined);
  const plain = fields.filter(([name]) => !name.startsWith(":"));
  return {
    status: Number(head[":status"] ?? 0),
    headers: shown(Object.fromEntries(plain)),
    body: text,
    torn: failed || stream.rstCode !== 0,
  };
}

async function fetching(app: Framework, request: Sent): Promise<Seen> {
  const { method = "GET", target, headers = [], body, leaveAfter } = request;
  const leaving = new AbortController();
  if (leaveAfter === "") setTimeout(() => leaving.abort(), 30);
  const length = isWhole(body) ? [["Content-Length", String(Buffer.byteLength(body))] as const] : [];
  const init = {
    method,
    headers: [...headers, ...length].map(([name, value]): [string, string] => [name, value]),
    body: isWhole(body) || body === undefined ? ((body ?? null) as BodyInit | null) : streamOf(body),
    signal: leaving.signal,
    duplex: "half",
  };
  let response: Response | undefined;
  let text = "";
  try {
    response = await app.fetch(new Request(`http://localhost${target}`, init));
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (leaveAfter !== undefined && text.includes(leaveAfter)) leaving.abort();
    }
    return { status: response.status, headers: fieldsOf(response), body: text, torn: false };
  } catch {
    return { status: response?.status ?? 0, headers: response ? fieldsOf(response) : {}, body: text, torn: true };
  }
}

const streamOf = (chunks: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });

function fieldsOf({ headers }: Response): Seen["headers"] {
  const cookies = headers.getSetCookie();
  const plain = Object.fromEntries([...headers].filter(([name]) => name !== "set-cookie"));
  return shown(
    cookies.length === 0 ? plain : { ...plain, "set-cookie": cookies.length === 1 ? String(cookies) : cookies },
  );
}

/** Without framing and time fields. */
function shown(headers: Readonly<Record<string, string | readonly string[]>>): Seen["headers"] {
  const framing = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);
  const kept = Object.entries(headers).filter(([name]) => !framing.has(name));
  const one = (value: string | readonly string[]): string | readonly string[] =>
    typeof value !== "string" && value.length === 1 ? String(value) : value;
  return Object.fromEntries(kept.map(([name, value]) => [name, one(value)]));
}
