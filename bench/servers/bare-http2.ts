/**
 * Bare node:http2, cleartext: one handler for one job and nothing around it.
 */
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";

/** Answers GET /hello and resolves to its port. */
export function serve(): Promise<number> {
  const server = createServer();
  server.on("stream", (stream, headers) => {
    const found = headers[":method"] === "GET" && headers[":path"] === "/hello";
    const text = JSON.stringify(found ? { hello: "world" } : {});
    const length = Buffer.byteLength(text);
    stream.respond({ ":status": found ? 200 : 404, "content-type": "application/json", "content-length": length });
    stream.end(text);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
