/**
 * The fetch engine: node:http in the place of a platform that speaks fetch.
 *
 *   IncomingMessage ──▶ Request ──▶ app.fetch(request, { peerAddress }) ──▶ Response ──▶ ServerResponse
 *        └─ the client leaves ──▶ the request's signal aborts
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { pipeline } from "node:stream/promises";
import type { Framework } from "framework";
import { listen, type Served } from "./listen.ts";

/** `app.fetch` behind a bridge. */
export function serveFetch(app: Framework, port: number): Promise<Served> {
  return listen(
    (req, res) => {
      // A client that has left is the only one to be told nothing; any other failure cuts the connection.
      bridge(app, req, res).catch(() => res.destroy());
    },
    port,
    () => app.stop(),
  );
}

async function bridge(app: Framework, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const gone = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) gone.abort(new Error("the client left"));
  });
  const request = requestOf(req, gone.signal);
  const response = await app.fetch(request, { peerAddress: req.socket.remoteAddress });
  res.writeHead(response.status, [...response.headers].flat());
  if (response.body === null) res.end();
  else await pipeline(Readable.fromWeb(response.body as NodeReadableStream<Uint8Array>), res);
}

function requestOf(req: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2)
    headers.append(req.rawHeaders[i] ?? "", req.rawHeaders[i + 1] ?? "");
  const bodyless = req.method === "GET" || req.method === "HEAD";
  const init = { method: req.method ?? "GET", headers, signal };
  const url = `http://${req.headers.host ?? "localhost"}${req.url ?? "/"}`;
  const body = { body: Readable.toWeb(req) as unknown as ReadableStream, duplex: "half" };
  return new Request(url, bodyless ? init : { ...init, ...body });
}
