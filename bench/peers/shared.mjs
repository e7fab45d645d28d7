/** Shared by the peers' servers: the responses, and a logger that writes in batches. */
import pino from "pino";

export { found, listed, unshaped, user } from "../../.build/bench/values.js";

/** Key and certificate of a server over TLS, imported only for that, since startup is measured too. */
export const certificate = async () => (await import("../../.build/test/certificate.js")).certificate;

/** The body of a 404. */
export const problem = (path) => ({
  type: "about:blank",
  title: "Not Found",
  status: 404,
  detail: `nothing is registered at ${path}`,
});

/** pino, buffered, on standard output. */
export const logger = () => pino({}, pino.destination({ dest: 1, sync: false, minLength: 16_000 }));

/** Names of the routed resources. */
export const resources = (work) => Array.from({ length: work.resources }, (_, n) => `resource${n}`);

/** Listens on a free port of this machine. */
export const listening = (server) =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));

/** Reads a JSON body, for peers without a parser. */
export const readJson = (req) =>
  new Promise((resolve, reject) => {
    const chunks = [];
    req.on("data", (chunk) => chunks.push(chunk));
    req.on("end", () => {
      try {
        resolve(JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString()));
      } catch (error) {
        reject(error);
      }
    });
  });

/** Sends a JSON response, for peers without a helper. */
export const sendJson = (res, value, status = 200, type = "application/json") => {
  const text = JSON.stringify(value);
  res.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(text) });
  res.end(text);
};
