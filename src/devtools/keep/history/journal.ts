/**
 * Journal: lines on disk, as a ring of two files.
 *
 *   append ──▶ runs.jsonl ── half of the bound is full ──▶ becomes runs.1.jsonl, the one before it is gone ──▶ a new runs.jsonl
 *   read   ──▶ what was added to either since the last time, whole lines alone
 *
 * Files are only appended to, so that a crash cuts at most the last line. They are opened for each batch, so a deleted one is
 * made again, and one that another process has rotated is not written to. Several processes may write and read it.
 *
 * Spec: spec/history.md
 */
import { appendFileSync, closeSync, mkdirSync, writeFileSync } from "node:fs";
import { lstat, rename, type FileHandle } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { openOwn, openOwnNow } from "./own-file.ts";

/** Where and how many lines are kept. */
export interface JournalBounds {
  /** An absolute path. */
  readonly file: string;
  readonly bytes: number;
  readonly lines: number;
}

/** Identifies a file, even after it was renamed. */
interface Identity {
  readonly inode: number;
  /** Its beginning, since a system may reuse the inode of a deleted file. */
  beginning: Buffer;
}

/** A file up to the read position; lines from it are dropped with it. */
export interface ReadFile extends Identity {
  /** The offset of the next line. */
  offset: number;
}

/** Takes a line without its end, with its file, its offset and its length in bytes. */
export type LineReader = (text: string, file: ReadFile, offset: number, length: number) => void;

/** A larger line is not ours, since a trace has 1 MiB. */
const maxLineBytes = 16_777_216;
/** As much as is parsed in a few milliseconds. */
const chunkBytes = 65_536;
/** The session and the beginning of a run, which differ in each file. */
const beginningBytes = 4_096;
const newline = 0x0a;
/** The mode of a new folder, for its owner only. */
const folderMode = 0o700;

/** The files of one history. */
export class Journal {
  readonly #file: string;
  readonly #older: string;
  readonly #maxBytes: number;
  readonly #maxLines: number;
  /** The file of the last append, in its state at that time. */
  #written: (Identity & Readonly<Record<"size" | "lines", number>>) | undefined;
  /** Files that were read, the older first. */
  #files: readonly ReadFile[] = [];

  constructor({ file, bytes, lines }: JournalBounds) {
    const extension = extname(file);
    this.#file = file;
    this.#older = join(dirname(file), `${basename(file, extension)}.1${extension}`);
    this.#maxBytes = Math.ceil(bytes / 2);
    this.#maxLines = Math.ceil(lines / 2);
  }

  /**
   * Adds lines. @param head comes first in a file that this process has not added to before
   * @throws (rejects) the system's error
   */
  async append(lines: readonly string[], head: string): Promise<void> {
    const body = Buffer.from(`${lines.join("\n")}\n`);
    let handle = await this.#openToAdd();
    try {
      let end = await this.#endOf(handle);
      if (end.size > 0 && (end.size + body.length > this.#maxBytes || end.lines + lines.length > this.#maxLines)) {
        await handle.close();
        await this.#turn(end.inode);
        handle = await this.#openToAdd();
        end = await this.#endOf(handle);
      }
      const before = (end.isCut ? "\n" : "") + (end.isKnown ? "" : `${head}\n`);
      const data = before === "" ? body : Buffer.concat([Buffer.from(before), body]);
      this.#written = undefined;
      await handle.appendFile(data);
      const added = lines.length + (end.isKnown ? 0 : 1);
      const beginning = end.beginning.length < beginningBytes ? await beginningOf(handle) : end.beginning;
      this.#written = { inode: end.inode, beginning, size: end.size + data.length, lines: end.lines + added };
    } finally {
      await handle.close();
    }
  }

  /** The same synchronously, for a process that ends, without a look at existing content. @throws the system's error */
  appendNow(lines: readonly string[], head: string): void {
    this.#makeFolder();
    const descriptor = openOwnNow(this.#file, "add");
    try {
      appendFileSync(descriptor, `\n${[head, ...lines].join("\n")}\n`);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Reads new lines since the last time. @returns the existing files, the older first @throws (rejects) the system's error */
  async read(take: LineReader): Promise<readonly ReadFile[]> {
    const files: ReadFile[] = [];
    for (const path of [this.#older, this.#file]) {
      const handle = await opened(path);
      if (handle === undefined) continue;
      try {
        const { ino: inode, size } = await handle.stat();
        const beginning = await beginningOf(handle);
        const known = this.#files.find((file) => file.offset <= size && isSame(file, inode, beginning));
        const file = known ?? { inode, beginning, offset: 0 };
        if (files.includes(file)) continue;
        files.push(file);
        file.beginning = beginning;
        await readLines(handle, file, take);
      } finally {
        await handle.close();
      }
    }
    this.#files = files;
    return files;
  }

  /** The line that was read there, or undefined if its file is gone. */
  async lineAt(inode: number, offset: number, length: number): Promise<string | undefined> {
    for (const path of [this.#file, this.#older]) {
      const handle = await opened(path);
      if (handle === undefined) continue;
      try {
        if ((await handle.stat()).ino !== inode) continue;
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
        return bytesRead === length ? buffer.toString("utf8") : undefined;
      } finally {
        await handle.close();
      }
    }
    return undefined;
  }

  /** Makes the folder. Git ignores one called `.framework` from the start. */
  #makeFolder(): void {
    const folder = dirname(this.#file);
    if (mkdirSync(folder, { recursive: true, mode: folderMode }) === undefined || basename(folder) !== ".framework")
      return;
    writeFileSync(join(folder, ".gitignore"), "*\n");
  }

  /** The file, opened to append. It is made if it is missing, and its folder too. */
  async #openToAdd(): Promise<FileHandle> {
    try {
      return await openOwn(this.#file, "add");
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#makeFolder();
      return await openOwn(this.#file, "add");
    }
  }

  /** The end of the file. It is not read if this process was the last to append. */
  async #endOf(handle: FileHandle): Promise<FileEnd> {
    const { ino: inode, size } = await handle.stat();
    const written = this.#written;
    const beginning = await beginningOf(handle);
    const isOurs = written !== undefined && written.size <= size && isSame(written, inode, beginning);
    const known = isOurs ? written : undefined;
    const isKnown = known !== undefined;
    if (size === 0 || known?.size === size)
      return { inode, beginning, size, lines: known?.lines ?? 0, isKnown, isCut: false };
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    const lines = (known?.lines ?? 0) + (await countLines(handle, known?.size ?? 0));
    return { inode, beginning, size, lines, isKnown, isCut: buffer[0] !== newline };
  }

  /** Makes the file the older one, unless another process was first. */
  async #turn(inode: number): Promise<void> {
    if ((await lstat(this.#file)).ino === inode) await rename(this.#file, this.#older);
  }
}

interface FileEnd extends Identity {
  readonly size: number;
  readonly lines: number;
  /** Whether this process has added to it before, so that it has the head. */
  readonly isKnown: boolean;
  /** Whether its last line has no end. */
  readonly isCut: boolean;
}

async function beginningOf(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginningBytes), 0, beginningBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** Whether it is that file, perhaps with additions. @param beginning of the present file */
const isSame = (file: Identity, inode: number, beginning: Buffer): boolean =>
  file.inode === inode && beginning.subarray(0, file.beginning.length).equals(file.beginning);

/** The file, opened to read, or undefined if there is none. @throws (rejects) any other error of the system */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await openOwn(path, "read");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && Reflect.get(error, "code") === "ENOENT";

async function countLines(handle: FileHandle, from: number): Promise<number> {
  let lines = 0;
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let at = from; ;) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, at);
    if (bytesRead === 0) return lines;
    at += bytesRead;
    for (let found = chunk.indexOf(newline); found >= 0 && found < bytesRead; found = chunk.indexOf(newline, found + 1))
      lines += 1;
  }
}

/** Passes on whole lines, a chunk at a time, so that a serving process is not blocked. */
async function readLines(handle: FileHandle, file: ReadFile, take: LineReader): Promise<void> {
  /** The beginning of a line without its end so far. */
  let rest: Buffer[] = [];
  let restBytes = 0;
  let isSkipping = false;
  for (;;) {
    const at = file.offset + restBytes;
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return;
    const data = buffer.subarray(0, bytesRead);
    let start = 0;
    for (let end = data.indexOf(newline); end >= 0; end = data.indexOf(newline, start)) {
      const length = restBytes + end - start;
      const line = rest.length === 0 ? data.subarray(start, end) : Buffer.concat([...rest, data.subarray(start, end)]);
      if (!isSkipping && length > 0) take(line.toString("utf8"), file, file.offset, length);
      isSkipping = false;
      [rest, restBytes] = [[], 0];
      file.offset += length + 1;
      start = end + 1;
    }
    rest.push(data.subarray(start));
    restBytes += bytesRead - start;
    if (restBytes <= maxLineBytes) continue;
    isSkipping = true;
    file.offset += restBytes;
    [rest, restBytes] = [[], 0];
  }
}
