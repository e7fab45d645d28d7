/**
 * One file as a response: its validators, its coding on disk, the requested part.
 *
 *   real path ──▶ open app.js.br, if the client accepts it and it exists, else app.js
 *             ──▶ its stats ──▶ ETag, Last-Modified ──▶ conditions ──▶ 304 · 412
 *             ──▶ Range, If-Range ──▶ 206 · 416 · 200
 *
 * The tag is strong, made of size and change time in nanoseconds, because If-Range and If-Match need a strong one.
 *
 * Spec: spec/static.md
 */
import send from "@fastify/send";
import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";
import { HttpError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import { IDENTITY, preferredCoding } from "../internal/accept-encoding.ts";
import { annotateVerdict, evaluatePreconditions, isRangeWanted, type Validators } from "../internal/preconditions.ts";
import { openFile, type OpenFile } from "./open-file.ts";
import type { PrecompressedCoding } from "./options.ts";
import { isMissing } from "./path.ts";

/** The requested file. */
export interface Asked {
  /** Its real path. */
  readonly path: string;
  /** Its name in the request. It determines the media type, also for a link to a file with another name. */
  readonly name: string;
  /** The folder it must be in. Undefined lets a link lead anywhere. */
  readonly root: string | undefined;
  /** The codings of possible precompressed versions. */
  readonly precompressed: readonly PrecompressedCoding[];
  readonly cacheControl: string;
}

/** An open file, in that coding. */
interface Found {
  readonly file: OpenFile;
  readonly coding: PrecompressedCoding | undefined;
}

const suffixes: Readonly<Record<PrecompressedCoding, string>> = { br: ".br", zstd: ".zst", gzip: ".gz" };

/**
 * Records a file as the response. False when there is none.
 *
 * @throws HttpError (rejects) 412 when a condition fails, 416 when the file has no byte of the range.
 */
export async function respondWithFile(ctx: Context, asked: Asked): Promise<boolean> {
  const found = (await precompressed(ctx, asked)) ?? (await plain(asked));
  if (found === undefined) return false;
  try {
    if (asked.precompressed.length > 0) ctx.vary("Accept-Encoding");
    await respondWith(ctx, found, asked);
    return true;
  } finally {
    found.file.close();
  }
}

async function plain({ path, root }: Asked): Promise<Found | undefined> {
  const file = await openFile(path, root);
  return file && { file, coding: undefined };
}

async function respondWith(ctx: Context, found: Found, asked: Asked): Promise<void> {
  const { file, coding } = found;
  const validators = validatorsOf(file.stats);
  const verdict = evaluatePreconditions(ctx, validators);
  annotateVerdict(ctx, validators, verdict);
  if (verdict === "failed") throw new HttpError(412, "the file is not in the state that the request asks for");
  const head = { ETag: validators.etag, "Cache-Control": asked.cacheControl };
  if (verdict === "notModified") {
    setHeaders(ctx, head);
    ctx.status(304);
    return;
  }
  const range = isRangeWanted(ctx.header("if-range"), validators) ? rangeOf(ctx, file.stats) : undefined;
  const isAtOnce = file.stats.size <= atOnce && range === undefined && ctx.method === "GET";
  const bytes = isAtOnce ? await file.bytes() : undefined;
  const isCut = bytes !== undefined && bytes.length < file.stats.size;
  // If the file was replaced since its check, no part of the new one is sent.
  if ((range !== undefined || isCut) && (await file.hasChanged())) return respondWith(ctx, found, asked);
  if (bytes === undefined) recordStream(ctx, file, range);
  else ctx.send(bytes);
  setHeaders(ctx, { "Accept-Ranges": "bytes", "Content-Type": typeOf(asked.name), ...head });
  ctx.setHeader("Last-Modified", validators.lastModified);
  if (coding !== undefined) ctx.setHeader("Content-Encoding", coding);
}

/** Size up to which a file is read in one call, because a stream takes twice the CPU. */
const atOnce = 65_536n;

function recordStream(ctx: Context, file: OpenFile, range: Range | undefined): void {
  const size = Number(file.stats.size);
  const { first, last } = range ?? { first: 0, last: size - 1 };
  ctx.send(file.stream(first, last)).setHeader("Content-Length", last - first + 1);
  if (range !== undefined) ctx.status(206).setHeader("Content-Range", `bytes ${first}-${last}/${size}`);
}

/** First and last byte, both included. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * The one requested range (RFC 9110 §14.1.2), `bytes=0-99`. An invalid one and several are ignored, so the whole file is sent,
 * as §14.2 allows.
 *
 * @throws HttpError 416 when the file has no byte of it.
 */
function rangeOf(ctx: Context, { size }: BigIntStats): Range | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(ctx.header("range") ?? "") ?? [];
  if (ctx.method !== "GET" || first === undefined || last === undefined || first + last === "") return undefined;
  if (first !== "" && last !== "" && BigInt(last) < BigInt(first)) return undefined;
  const length = BigInt(last);
  // Without a first byte it means the last ones, at most all of them.
  const from = first !== "" ? BigInt(first) : length > size ? 0n : size - length;
  if (from >= size)
    throw new HttpError(416, `the file has ${size} bytes, and none of the range`, {
      headers: { "Content-Range": `bytes */${size}` },
    });
  return { first: Number(from), last: Number(first === "" || last === "" || length >= size ? size - 1n : length) };
}

function setHeaders(ctx: Context, headers: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(headers)) ctx.setHeader(name, value);
}

/** The media type of a file by its name, also when a precompressed one is sent for it. */
function typeOf(name: string): string {
  const found = send.mime.getType(name) ?? "application/octet-stream";
  const type = found === "application/javascript" ? "text/javascript" : found; // RFC 9239 §6
  return send.isUtf8MimeType(type) ? `${type}; charset=utf-8` : type;
}

/** The file in the client's preferred coding of those that exist. Undefined for the plain one. */
async function precompressed(ctx: Context, asked: Asked): Promise<Found | undefined> {
  const { path, root, precompressed: offered } = asked;
  const field = offered.length === 0 ? undefined : ctx.header("accept-encoding");
  let rest = offered;
  while (rest.length > 0) {
    const coding = preferredCoding(field, rest);
    if (coding === undefined || coding === IDENTITY) return undefined;
    const file = await openFile(path + suffixes[coding], root);
    if (file !== undefined) return { file, coding };
    rest = rest.filter((other) => other !== coding);
  }
  return undefined;
}

/** The stats of a path. Undefined when it does not exist. */
export async function statsOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function validatorsOf({
  size,
  mtimeNs,
  mtime,
}: BigIntStats): Required<Validators> & { etag: string; lastModified: string } {
  // Not later than now (RFC 9110 §8.8.2.1), because with a future date, changes until then would go unnoticed.
  const changedAt = new Date(Math.min(mtime.getTime(), Date.now()));
  return { etag: `"${size.toString(16)}-${mtimeNs.toString(16)}"`, lastModified: changedAt.toUTCString() };
}
