/** Servers that break every promise. A case that passes on one of them asserts nothing. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

const html = "<!doctype html><title>Welcome</title><h1>It works!</h1>";

/** Their listeners, by a readable name. */
export const deadServers: Readonly<Record<string, RequestListener>> = {
  "says 200 {} to everything": (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  "says 200 [] to everything": (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end("[]"),
  "says 404 to everything": (_request, response) => void response.writeHead(404).end(),
  "says 204 to everything": (_request, response) => void response.writeHead(204).end(),
  "responds with HTML": (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end(html),
  "hangs up": (request) => void request.socket.destroy(),
  "responds too late": () => undefined,
};

/** A listening dead server. */
export interface DeadServer {
  readonly url: URL;
  close(): Promise<void>;
}

/** Starts one on a free port of the loopback. */
export async function startDead(listener: RequestListener): Promise<DeadServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
