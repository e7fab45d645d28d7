/**
 * The hand-written baseline of requests with a body: it makes the same checks as the framework in one bare handler.
 *
 *   JSON type? ──▶ within the limit? ──▶ UTF-8? ──▶ JSON? ──▶ no key that reaches a prototype, not too deep ──▶ respond
 *      415               413              400        400                      400
 *
 * Bare node:http trusts everything that parses, which is not the same work.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { found } from "../values.ts";
import type { Work } from "../work.ts";
import { listen, send, sendMissing } from "./bare.ts";

const limit = 1_048_576;
const depth = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Starts the job and resolves to its port. */
export function serve({ kind }: Work): Promise<number> {
  const [method, path] = kind === "echo" ? ["POST", "/echo"] : ["QUERY", "/search"];
  const resultOf = (value: unknown): unknown => (kind === "echo" ? value : found(value));
  return listen((req, res) => {
    if (req.method !== method || req.url !== path) return sendMissing(res, req.url ?? "/");
    handle(req, res, resultOf).catch((status: unknown) => send(res, Number(status), "application/problem+json", "{}"));
  });
}

async function handle(req: IncomingMessage, res: ServerResponse, resultOf: (value: unknown) => unknown): Promise<void> {
  const { "content-type": type = "", "content-length": length } = req.headers;
  if (type !== "application/json" && !/^application\/json[ \t]*;/i.test(type)) throw 415;
  if (Number(length) > limit) throw 413;
  const text = textOf(await bytesOf(req));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw 400;
  }
  if (/__proto__|constructor|\\u/.test(text) || opened(text) > depth) inspect(value, depth);
  send(res, 200, "application/json", JSON.stringify(resultOf(value)));
}

function bytesOf(req: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) reject(413);
      else chunks.push(chunk);
    });
    req.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)));
    req.on("error", () => reject(400));
    req.on("close", () => reject(400));
  });
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw 400;
  }
}

/** The number of opening brackets in the text: no value is deeper. */
function opened(text: string): number {
  let count = 0;
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) count += 1;
  return count;
}

function inspect(value: unknown, left: number): void {
  if (typeof value !== "object" || value === null) return;
  if (left === 0) throw 400;
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__" || (key === "constructor" && Object.hasOwn(Object(item), "prototype"))) throw 400;
    inspect(item, left - 1);
  }
}
