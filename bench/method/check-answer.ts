/**
 * Same work, same answer: a server whose answer differs from the probe's is not measured.
 */
import { once } from "node:events";
import { request, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import type { Probe, Work } from "../work.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Asks the server the probe. @throws (rejects) with a sentence for the first difference. */
export async function checkAnswer(who: string, port: number, probe: Probe, { use, engine }: Work): Promise<void> {
  const { status, headers, body } = await (engine === "node-http2" ? askHttp2 : ask)(port, probe);
  const type = (headers["content-type"] ?? "").split(";")[0];
  const differs = (what: string, got: unknown, wanted: unknown): never => {
    throw new Error(`${who} answers ${probe.method} ${probe.path} with ${what} ${String(got)}, not ${String(wanted)}`);
  };
  if (status !== probe.status) differs("status", status, probe.status);
  if (body !== probe.answer) differs("body", body, probe.answer);
  if (type !== probe.contentType) differs("content type", type, probe.contentType);
  if (
    headers["content-length"] !== String(Buffer.byteLength(probe.answer)) &&
    headers["transfer-encoding"] !== "chunked"
  )
    differs("content length", headers["content-length"], Buffer.byteLength(probe.answer));
  if (use.includes("id") && headers["x-request-id"] !== "bench-1")
    differs("X-Request-Id", headers["x-request-id"], "bench-1");
  if (use.includes("cors") && headers["access-control-allow-origin"] !== "*")
    differs("Access-Control-Allow-Origin", headers["access-control-allow-origin"], "*");
}

async function askHttp2(port: number, { method, path, headers, body }: Probe): Promise<Answer> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    const stream = session.request({ ...headers, "x-request-id": "bench-1", ":method": method, ":path": path });
    const [head] = (await once(stream.end(body), "response")) as [IncomingHttpHeaders & { readonly ":status": number }];
    return { status: head[":status"], headers: head, body: await text(stream) };
  } finally {
    session.destroy();
  }
}

function ask(port: number, { method, path, headers, body }: Probe): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path, headers: { ...headers, "x-request-id": "bench-1" } }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("end", () =>
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
