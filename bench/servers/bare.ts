/**
 * Bare node:http, or node:http2: one handler for one job and nothing around it, with Node's own defaults. It is the base of every
 * ratio. Its identical twin is the control.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { createReadStream, stat } from "node:fs";
import { join } from "node:path";
import { constants, createGzip } from "node:zlib";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { found, listed, user } from "../values.ts";
import { probes, type Kind, type Work } from "../work.ts";

/** Starts the job and resolves to its port. */
export async function serve(work: Work): Promise<number> {
  if (work.kind === "socket") return listening(await echoing());
  if (work.engine === "node-http2") return listening(await overHttp2());
  const handler = work.kind === "contracts" ? await contracted(work) : handlers[work.kind](work);
  return work.engine === "node-https" ? listening(await overTls(handler)) : listen(handler);
}

/** A server around `handler` on a free port of this machine. */
export const listen = (handler: RequestListener): Promise<number> => listening(createServer(handler));

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** The response, in one write. */
export function send(res: ServerResponse, status: number, contentType: string, text: string): void {
  res.writeHead(status, { "Content-Type": contentType, "Content-Length": Buffer.byteLength(text) });
  res.end(text);
}

/** The response for a path without a route. */
export function sendMissing(res: ServerResponse, path: string): void {
  const detail = `nothing is registered at ${path}`;
  const problem = { type: "about:blank", title: "Not Found", status: 404, detail };
  send(res, 404, "application/problem+json", JSON.stringify(problem));
}

const sendJson = (res: ServerResponse, value: unknown): void =>
  send(res, 200, "application/json", JSON.stringify(value));

/** Reads a JSON body, at most `limit` bytes of it. */
function readJson(req: IncomingMessage, res: ServerResponse, then: (value: unknown) => void): void {
  const limit = 1_048_576;
  const reject = (status: number): void => send(res, status, "application/problem+json", "{}");
  if (Number(req.headers["content-length"]) > limit) return reject(413);
  const chunks: Buffer[] = [];
  let size = 0;
  req.on("data", (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
  });
  req.on("end", () => {
    if (size > limit) return reject(413);
    try {
      then(JSON.parse((chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)).toString()));
    } catch {
      reject(400);
    }
  });
}

const pathOf = (url: string): string => {
  const question = url.indexOf("?");
  return question < 0 ? url : url.slice(0, question);
};

const namesOf = ({ resources }: Work): string[] => Array.from({ length: resources }, (_, n) => `resource${n}`);

const routed = (work: Work): RequestListener => routedBy(new Set(namesOf(work)), (_resource, params) => params);

/** The schemas of all resources are made, as by the others. There is no PUT, since only the start is measured. */
async function contracted(work: Work): Promise<RequestListener> {
  const { validate = "zod" } = work;
  const { compiled, contracts, holds } = await (await import("./schemas.ts")).schemas();
  const all = new Map(
    namesOf(work).map((name) => {
      const { params, line, item } = contracts[validate]();
      return [name, [params, line, item].map((schema) => compiled(validate, schema))] as const;
    }),
  );
  return routedBy(all, (resource, params) => {
    const [input, , output] = all.get(resource) ?? [];
    return holds(output, holds(input, params));
  });
}

function routedBy(
  known: { has(name: string): boolean },
  valueOf: (resource: string, params: object) => object,
): RequestListener {
  return (req, res) => {
    const path = pathOf(req.url ?? "/");
    const first = path.indexOf("/", 1);
    const second = path.indexOf("/", first + 1);
    const resource = path.slice(1, first);
    if (req.method === "GET" && first > 0 && second > 0 && known.has(resource)) {
      const id = path.slice(first + 1, second);
      const item = path.slice(second + 7);
      if (path.startsWith("/items/", second) && !item.includes("/") && !path.includes("%"))
        return sendJson(res, valueOf(resource, { id, item }));
    }
    sendMissing(res, path);
  };
}

const one =
  (method: string, path: string, respond: (req: IncomingMessage, res: ServerResponse) => unknown): RequestListener =>
  (req, res) => {
    if (req.method === method && pathOf(req.url ?? "/") === path) respond(req, res);
    else sendMissing(res, pathOf(req.url ?? "/"));
  };

/** A file with the minimum of headers: its length and validators. */
const fileOf =
  (name: string) =>
  ({ files }: Work): RequestListener =>
    one("GET", `/files/${name}`, (_req, res) => {
      const path = join(files, name);
      stat(path, (error, { size, mtimeMs, mtime }) => {
        if (error !== null) return sendMissing(res, path);
        res.writeHead(200, {
          "Content-Type": "text/plain; charset=utf-8",
          "Content-Length": size,
          "Accept-Ranges": "bytes",
          "Last-Modified": mtime.toUTCString(),
          ETag: `"${size.toString(16)}-${mtimeMs.toString(16)}"`,
        });
        createReadStream(path).pipe(res);
      });
    });

/** The part of Node's own encoder that compresses synchronously, and can be used again. */
interface Encoder {
  readonly _handle: { writeSync(...inputThenOutput: readonly [kind: number, ...unknown[]]): void };
  readonly _writeState: readonly [outputLeft: number, inputLeft: number];
  reset(): void;
}

/** Compressed by one encoder for all responses. Node's public function, `gzipSync`, makes one for each. */
const compressed = ({ kind }: Work): RequestListener => {
  const value = listed[kind as keyof typeof listed];
  const encoder = createGzip() as unknown as Encoder;
  const output = Buffer.allocUnsafeSlow(65_536);
  return one("GET", "/catalogue", (_req, res) => {
    const input = Buffer.from(JSON.stringify(value));
    encoder._handle.writeSync(constants.Z_FINISH, input, 0, input.length, output, 0, output.length);
    const bytes = Buffer.from(output.subarray(0, output.length - encoder._writeState[0]));
    encoder.reset();
    const head = { "Content-Type": "application/json", "Content-Encoding": "gzip", Vary: "Accept-Encoding" };
    res.writeHead(200, { ...head, "Content-Length": bytes.length });
    res.end(bytes);
  });
};

const tagged = (): RequestListener =>
  one("GET", "/catalogue", (req, res) => {
    const text = JSON.stringify(listed.known);
    const tag = `"${createHash("sha1").update(text).digest("base64")}"`;
    if (req.headers["if-none-match"] === tag) return res.writeHead(304, { ETag: tag }).end();
    res.writeHead(200, { "Content-Type": "application/json", ETag: tag, "Content-Length": Buffer.byteLength(text) });
    return res.end(text);
  });

/** A session in its cookie, by AES-256-GCM: nonce, ciphertext, tag. */
const session = (): RequestListener => {
  const key = randomBytes(32);
  const login = one("GET", "/login", (_req, res) => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const text = cipher.update(JSON.stringify({ until: Date.now() + 86_400_000, user }));
    const sealed = Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString("base64url");
    res.setHeader("Set-Cookie", `session=${sealed}; Path=/; Secure; HttpOnly; SameSite=Lax`);
    sendJson(res, {});
  });
  const read = one("GET", "/session", (req, res) => {
    const sealed = Buffer.from(/(?:^|; )session=([\w-]+)/.exec(req.headers.cookie ?? "")?.[1] ?? "", "base64url");
    try {
      const cipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12)).setAuthTag(sealed.subarray(-16));
      const opened = JSON.parse(cipher.update(sealed.subarray(12, -16), undefined, "utf8") + cipher.final("utf8"));
      if (opened.until < Date.now()) throw new Error("it is over");
      sendJson(res, opened.user);
    } catch {
      send(res, 401, "application/problem+json", "{}");
    }
  });
  return (req, res) => (req.url === "/login" ? login : read)(req, res);
};

/** The response without the member that no schema names. */
const shaped = ({ kind }: Work): RequestListener => {
  const value = JSON.parse(probes[kind].response) as object;
  return one("GET", "/shaped", (_req, res) => sendJson(res, value));
};

const handlers: Readonly<Record<Exclude<Kind, "socket" | "contracts">, (work: Work) => RequestListener>> = {
  hello: () => one("GET", "/hello", (_req, res) => sendJson(res, { hello: "world" })),
  params: routed,
  missing: routed,
  echo: () => one("POST", "/echo", (req, res) => readJson(req, res, (value) => sendJson(res, value))),
  query: () => one("QUERY", "/search", (req, res) => readJson(req, res, (value) => sendJson(res, found(value)))),
  health: () => one("GET", "/health", (_req, res) => send(res, 200, "application/json", probes.health.response)),
  file: fileOf("small.txt"),
  "large-file": fileOf("large.txt"),
  compressed,
  "compressed-3k": compressed,
  known: tagged,
  session,
  "shaped-1k": shaped,
  "shaped-20k": shaped,
  upload: () =>
    one("POST", "/upload", (req, res) => {
      let bytes = 0;
      req.on("data", (chunk: Buffer) => (bytes += chunk.length));
      req.on("end", () => sendJson(res, { bytes: bytes > 0 ? 20 * 1_048_576 : 0 }));
    }),
  beans: () => one("GET", "/hello", (_req, res) => sendJson(res, { id: 7, name: "lamp", price: 12.5, stock: 3 })),
};

/** Imported only for this job, since startup is measured too. */
async function echoing(): Promise<Server> {
  const { WebSocketServer } = await import("ws");
  const sockets = new WebSocketServer({ noServer: true, clientTracking: false });
  return createServer().on("upgrade", (req, socket, head) =>
    sockets.handleUpgrade(req, socket, head, (peer) =>
      peer.on("message", (data, isBinary) => peer.send(isBinary ? data : String(data))),
    ),
  );
}

/** Imported only for this job, since startup is measured too. */
async function overTls(handler: RequestListener): Promise<Server> {
  const [{ createServer: createTlsServer }, { certificate }] = await Promise.all([
    import("node:https"),
    import("../../test/certificate.ts"),
  ]);
  return createTlsServer(certificate, handler);
}

/** Imported only for this job, since startup is measured too. */
async function overHttp2(): Promise<Server> {
  const { createServer: createHttp2Server } = await import("node:http2");
  return createHttp2Server().on("stream", (stream, headers) => {
    const isKnown = headers[":method"] === "GET" && headers[":path"] === "/hello";
    const text = JSON.stringify(isKnown ? { hello: "world" } : {});
    const length = Buffer.byteLength(text);
    stream.respond({ ":status": isKnown ? 200 : 404, "content-type": "application/json", "content-length": length });
    stream.end(text);
  });
}
