/** Shared by the peers' servers: the responses, and a logger that writes in batches. */
import pino from "pino";

/** The body of a 404. */
export const problem = (path) => ({
  type: "about:blank",
  title: "Not Found",
  status: 404,
  detail: `nothing is registered at ${path}`,
});

/** The result of the search. */
export const found = ({ text, limit }) => ({ text, limit, hits: [`${text} 1`, `${text} 2`] });

/** A list of about 20 kilobytes, made as `work.ts` makes it, since V8 reads objects that were made another way at another pace. */
export const catalogue = Array.from({ length: 200 }, (_, id) => ({
  id,
  name: `product ${id}`,
  category: ["garden", "toys", "office"][id % 3],
  price: id * 1.25 + 0.99,
  inStock: id % 7 !== 0,
  rating: (id % 5) + 0.5,
}));

const order = {
  customer: "Ada Lovelace",
  note: "x".repeat(330),
  items: Array.from({ length: 12 }, (_, n) => ({ id: n, name: `item ${n}`, price: n * 1.5, tags: ["a", "b"] })),
};

/** Values with a member that their response schemas do not name. */
export const unshaped = {
  "shaped-1k": { ...order, internal: "of the shop", items: order.items.map((item) => ({ ...item, cost: 1 })) },
  "shaped-20k": catalogue.map((product) => ({ ...product, cost: 7 })),
};

/** The user in the session. */
export const user = { id: 7, name: "Ada Lovelace", mail: "ada@example.com", roles: ["admin", "editor"] };

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
