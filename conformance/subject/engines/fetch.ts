/**
 * The fetch engine: node:http simulates a platform with fetch.
 *
 *   IncomingMessage ──▶ Request ──▶ app.fetch(request, { peerAddress }) ──▶ Response ──▶ ServerResponse
 *        └─ the client leaves ──▶ the request's signal aborts
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Framework } from "framework";
import { bodyOf, writeResponse } from "../../../test/fetch-bridge.ts";
import { listen, type Served } from "./listen.ts";

/** Serves `app.fetch` through a bridge. */
export function serveFetch(app: Framework, port: number): Promise<Served> {
  return listen(
    (req, res) => {
      // The app rejects when the client has left. For any other error, a closed connection informs the client.
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
  if (request === undefined) return void res.writeHead(501).end();
  const response = await app.fetch(request, { peerAddress: req.socket.remoteAddress });
  await writeResponse(response, req, res);
}

/** Undefined for requests that fetch cannot express: TRACE, `OPTIONS *`. */
function requestOf(req: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = "GET", url: target = "/", rawHeaders } = req;
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
  const bodyless = method === "GET" || method === "HEAD";
  const body = bodyless ? {} : { body: bodyOf(req), duplex: "half" };
  try {
    const url = target.startsWith("/") ? `http://${req.headers.host ?? "localhost"}${target}` : target;
    return new Request(url, { method, headers, signal, ...body });
  } catch {
    return undefined;
  }
}
