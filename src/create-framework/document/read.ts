/**
 * Reads an OpenAPI document (3.0, 3.1 or 3.2, as JSON) from a file or a URL.
 *
 *   file or URL ──▶ at most 32 MiB ──▶ JSON, at most 250 levels deep ──▶ is it OpenAPI? ──▶ the document
 *
 * Each error is one sentence that names the source. Nothing else is ever fetched: a reference to another document is an error.
 */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { DocumentError } from "../errors.ts";
import { isJson, textIn, type Json } from "./json.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_DEPTH = 250;
const TIMEOUT_MS = 30_000;

/** The document. @param folder the base of a relative path @throws DocumentError */
export async function readDocument(source: string, folder: string): Promise<Json> {
  return documentOf(source, isUrl(source) ? await fetched(source) : await read(source, resolve(folder, source)));
}

/** The document of a text. @param source its name in errors @throws DocumentError */
export function documentOf(source: string, text: string): Json {
  const value = parsed(source, text);
  if (!isJson(value)) throw new DocumentError(`${source} is no OpenAPI document: it is no JSON object`);
  const version = textIn(value["openapi"]);
  if (version === undefined || !/^3\.[012](?:\.|$)/.test(version)) {
    const found = version ?? textIn(value["swagger"]);
    const what = found === undefined ? "it has no version" : `its version is ${JSON.stringify(found.slice(0, 20))}`;
    throw new DocumentError(`${source} is no OpenAPI document that can be read: ${what}; 3.0, 3.1 and 3.2 can`);
  }
  if (depthExceeds(value, MAX_DEPTH)) throw new DocumentError(`${source} is nested deeper than ${MAX_DEPTH} levels`);
  if (!isJson(value["paths"]))
    throw new DocumentError(`${source} is no OpenAPI document with operations: it has no paths`);
  return value;
}

const isUrl = (source: string): boolean => /^https?:\/\//i.test(source);

async function read(source: string, file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw tooLarge(source);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new DocumentError(isMissing ? `there is no file ${source}` : `${source} cannot be read: ${messageOf(error)}`);
  }
}

async function fetched(url: string): Promise<string> {
  try {
    const headers = { Accept: "application/json, application/openapi+json" };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new DocumentError(`${url} responded with ${response.status}`);
    return await textOf(url, response);
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    throw new DocumentError(`${url} cannot be reached: ${messageOf(error)}`);
  }
}

async function textOf(url: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw tooLarge(url);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const tooLarge = (source: string): DocumentError =>
  new DocumentError(`${source} is larger than ${MAX_BYTES / 1024 / 1024} MiB`);

function parsed(source: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    throw new DocumentError(`${source} is no JSON: a document in YAML has to be written as JSON first`);
  }
}

/** Without recursion, since it protects other code from deep recursion. */
function depthExceeds(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** `fetch failed` has no details. Its cause does. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `nothing came within ${TIMEOUT_MS / 1000} seconds`;
  const { cause } = error;
  const inner = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  return inner instanceof Error && inner.message !== "" ? inner.message : error.message;
}
