/**
 * One file as a response: its validators, the coding it lies in, the part that is wanted.
 *
 *   real path ──▶ app.js.br, where the client takes it and it is there
 *             ──▶ stat ──▶ ETag, Last-Modified ──▶ conditions ──▶ 304 · 412
 *             ──▶ Range, If-Range ──▶ @fastify/send ──▶ 206 · 416 · 200
 *
 * The tag is strong, of size and time of change in nanoseconds: If-Range and If-Match need a strong one.
 *
 * Spec: spec/static.md (STATIC)
 */
import { readFile as readFileThen, type BigIntStats } from "node:fs";
import { lstat, open, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
// By its public name: bundled here, this class would be another than the one that the app knows.
import { HttpError } from "framework";
import type { Context } from "../http/context.ts";
import { IDENTITY, preferredCoding } from "../internal/accept-encoding.ts";
import { annotateVerdict, evaluatePreconditions, isRangeWanted, type Validators } from "../internal/preconditions.ts";
import type { PrecompressedCoding, StaticSettings } from "./options.ts";
import { isMissing } from "./path.ts";
import { sendPeer, type Sent } from "./peer.ts";

/** Without the handle that the one of `node:fs/promises` makes for each file. */
const readFile = promisify(readFileThen);

/** What was asked for. */
interface Asked {
  /** Its real path. */
  readonly path: string;
  /** What it was called: the name says its media type, also where it is a link to a file of another name. */
  readonly name: string;
}

/** A file that can be sent. */
interface Found {
  readonly path: string;
  readonly stats: BigIntStats;
  readonly coding: PrecompressedCoding | undefined;
}

const suffixes: Readonly<Record<PrecompressedCoding, string>> = { br: ".br", zstd: ".zst", gzip: ".gz" };

/**
 * Records a file as the response; false where there is none.
 *
 * @throws HttpError (rejects) 412 where a condition does not hold, 416 where the file has no byte of the range.
 */
export async function respondWithFile(
  ctx: Context,
  asked: Asked,
  stats: BigIntStats,
  settings: StaticSettings,
  cacheControl: string,
): Promise<boolean> {
  const { send } = sendPeer();
  const { path, name } = asked;
  if (settings.precompressed.length > 0) ctx.vary("Accept-Encoding");
  const found = (await precompressed(ctx, path, settings)) ?? { path, stats, coding: undefined };
  const validators = validatorsOf(found.stats);
  const verdict = evaluatePreconditions(ctx, validators);
  annotateVerdict(ctx, validators, verdict);
  if (verdict === "failed") throw new HttpError(412, "the file is not in the state that the request asks for");
  const head = { ETag: validators.etag, "Last-Modified": validators.lastModified, "Cache-Control": cacheControl };
  if (verdict === "notModified") {
    setHeaders(ctx, { ETag: head.ETag, "Cache-Control": cacheControl });
    ctx.status(304);
    return true;
  }
  const range = isRangeWanted(ctx.header("if-range"), validators) ? rangeOf(ctx, found.stats) : undefined;
  if (found.stats.size <= atOnce && range === undefined && ctx.method === "GET")
    return recordWhole(ctx, found, name, head);
  if (!(await isReadable(found.path))) return false;
  const sent = await send(
    { method: ctx.method, headers: range === undefined ? {} : { range } },
    `/${encodeURIComponent(basename(found.path))}`,
    { root: dirname(found.path), ...plain },
  );
  if (range !== undefined && hasChanged(found.stats, sent)) {
    sent.stream.destroy(); // A part of another file than the one that was asked about.
    const now = await statsOf(path);
    return now !== undefined && respondWithFile(ctx, asked, now, settings, cacheControl);
  }
  return record(ctx, sent, found.coding, name, head);
}

/** May it be read? A stream would say so when the head is out. */
async function isReadable(path: string): Promise<boolean> {
  try {
    await (await open(path)).close();
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** What is not left to it. */
const plain = {
  ...{ etag: false, lastModified: false, cacheControl: false, index: false, dotfiles: "allow" },
  highWaterMark: 131_072,
};

/** Bytes of a file that is read at once: a stream for it takes twice the CPU. */
const atOnce = 65_536n;

/** Records a small file; false where it was removed meanwhile. */
async function recordWhole(
  ctx: Context,
  { path, coding }: Found,
  name: string,
  head: Readonly<Record<string, string>>,
): Promise<boolean> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  ctx.send(bytes);
  setHeaders(ctx, { "Accept-Ranges": "bytes", "Content-Type": typeOf(name), ...head });
  if (coding !== undefined) ctx.header("Content-Encoding", coding);
  return true;
}

/**
 * The one range that is asked for (RFC 9110 §14.1.2), `bytes=0-99`. What is none is ignored, and so are several: the
 * whole file is sent, as §14.2 allows.
 *
 * @throws HttpError 416 where the file has no byte of it.
 */
function rangeOf(ctx: Context, { size }: BigIntStats): string | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(ctx.header("range") ?? "") ?? [];
  if (ctx.method !== "GET" || first === undefined || last === undefined || first + last === "") return undefined;
  if (first !== "" && last !== "" && BigInt(last) < BigInt(first)) return undefined;
  const length = BigInt(last);
  // Without a first one the last bytes, at most all of them.
  const from = first !== "" ? BigInt(first) : length > size ? 0n : size - length;
  if (from >= size)
    throw new HttpError(416, `the file has ${size} bytes, and none of the range`, {
      headers: { "Content-Range": `bytes */${size}` },
    });
  return `bytes=${from}-${first === "" ? "" : last}`;
}

/** Has the file become another between two looks at it? Before, it had a byte of the range. */
const hasChanged = ({ size, mtimeNs }: BigIntStats, { statusCode, metadata: { stat: now } }: Sent): boolean =>
  statusCode === 416 ||
  // Milliseconds as a number are rounded: of the same time they differ by less than a microsecond.
  (now !== undefined && (BigInt(now.size) !== size || Math.abs(now.mtimeMs - Number(mtimeNs) / 1e6) > 0.001));

function record(
  ctx: Context,
  { statusCode, headers, stream, type }: Sent,
  coding: PrecompressedCoding | undefined,
  name: string,
  head: Readonly<Record<string, string>>,
): boolean {
  if (type !== "file") {
    stream.destroy();
    return false; // Removed meanwhile.
  }
  ctx.status(statusCode).send(stream);
  setHeaders(ctx, { ...headers, "Content-Type": typeOf(name), ...head });
  if (coding !== undefined) ctx.header("Content-Encoding", coding);
  return true;
}

function setHeaders(ctx: Context, headers: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(headers)) ctx.header(name, value);
}

/** The media type of a file by its name, also where a precompressed one is sent for it. */
function typeOf(name: string): string {
  const { mime, isUtf8MimeType } = sendPeer();
  const found = mime.getType(name) ?? "application/octet-stream";
  const type = found === "application/javascript" ? "text/javascript" : found; // RFC 9239 §6
  return isUtf8MimeType(type) ? `${type}; charset=utf-8` : type;
}

/** The file in the coding that the client likes best of those that lie there; undefined for the plain one. */
async function precompressed(
  ctx: Context,
  path: string,
  { precompressed: offered, followLinks }: StaticSettings,
): Promise<Found | undefined> {
  const field = offered.length === 0 ? undefined : ctx.header("accept-encoding");
  let rest = offered;
  while (rest.length > 0) {
    const coding = preferredCoding(field, rest);
    if (coding === undefined || coding === IDENTITY) return undefined;
    const coded = path + suffixes[coding];
    const stats = await statsOf(coded, followLinks ? stat : lstat);
    if (stats?.isFile() === true) return { path: coded, stats, coding };
    rest = rest.filter((other) => other !== coding);
  }
  return undefined;
}

/** What is at a path; undefined where there is nothing. */
export async function statsOf(path: string, look: typeof stat = stat): Promise<BigIntStats | undefined> {
  try {
    return await look(path, { bigint: true });
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
  // No later than now (RFC 9110 §8.8.2.1): by a date to come, what is changed until then would be taken for unchanged.
  const changedAt = new Date(Math.min(mtime.getTime(), Date.now()));
  return { etag: `"${size.toString(16)}-${mtimeNs.toString(16)}"`, lastModified: changedAt.toUTCString() };
}
