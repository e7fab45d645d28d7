/**
 * An open file: the checked file is the one that is read.
 *
 *   real path ──▶ opened once, its last name no link ──▶ its place? ──▶ inside the root: stats, bytes, a stream
 *                                                          └─ elsewhere: closed, nothing is sent
 *
 * Between the check of a path and its opening any name in it can become a link to another place, so the open file's place is
 * checked. Linux gives it for a descriptor. Elsewhere the path is checked once more and must lead to the open file. That
 * detects one exchange, but not one that is undone in between.
 *
 * Spec: spec/static.md
 */
import * as fs from "node:fs";
import type { BigIntStats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { isInside, isMissing } from "./path.ts";

// Without the handle that `node:fs/promises` makes for each file.
const open = promisify(fs.open);
const fstat = promisify(fs.fstat);
const read = promisify(fs.read);

/** Windows lacks the last two, and undefined counts as 0. Without O_NONBLOCK opening a pipe would block until it has a writer. */
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/** A file that can be sent. The caller closes it. */
export class OpenFile {
  readonly path: string;
  /** From the opening, or the last check. */
  stats: BigIntStats;
  readonly #fd: number;
  #isClosed = false;

  constructor(path: string, fd: number, stats: BigIntStats) {
    this.path = path;
    this.#fd = fd;
    this.stats = stats;
  }

  /** Checks again. True when the file has changed. */
  async hasChanged(): Promise<boolean> {
    const { size, mtimeNs } = this.stats;
    this.stats = await fstat(this.#fd, { bigint: true });
    return this.stats.size !== size || this.stats.mtimeNs !== mtimeNs;
  }

  /** All bytes, fewer than `stats.size` when it was truncated. */
  async bytes(): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(Number(this.stats.size));
    let at = 0;
    while (at < bytes.length) {
      const { bytesRead } = await read(this.#fd, bytes, at, bytes.length - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  }

  /** The bytes from `start` to `end`, both included, as a stream that closes the file. */
  stream(start: number, end: number): Readable {
    this.#isClosed = true;
    const part = end < start ? {} : { start, end }; // An empty file has none.
    return fs.createReadStream("", { fd: this.#fd, highWaterMark: 131_072, ...part });
  }

  /** Does nothing when a stream closes it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    fs.close(this.#fd);
  }
}

/**
 * Opens a file.
 *
 * @param path its real path
 * @param root the folder it must be in, or undefined for any place
 * @returns undefined when there is none to send
 */
export async function openFile(path: string, root: string | undefined): Promise<OpenFile | undefined> {
  let fd: number;
  try {
    fd = await open(path, O_RDONLY | O_NONBLOCK | (root === undefined ? 0 : O_NOFOLLOW));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  let file: OpenFile | undefined;
  try {
    const stats = await fstat(fd, { bigint: true });
    const isSent = stats.isFile() && (root === undefined || (await liesIn(root, path, fd, stats)));
    if (isSent) file = new OpenFile(path, fd, stats);
    return file;
  } finally {
    if (file === undefined) fs.close(fd);
  }
}

async function liesIn(root: string, path: string, fd: number, stats: BigIntStats): Promise<boolean> {
  let place: string;
  try {
    place = fs.readlinkSync(`/proc/self/fd/${fd}`); // From memory, so it waits for no disk.
  } catch {
    return isStillAt(path, stats);
  }
  return isInside(root, place);
}

/** Does the real path lead to that file? */
export async function isStillAt(path: string, { dev, ino }: BigIntStats): Promise<boolean> {
  try {
    const now = await lstat(path, { bigint: true });
    return now.dev === dev && now.ino === ino && (await realpath(path)) === path;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
