/**
 * Journal: lines on disk, as a ring of two files.
 *
 *   append ──▶ runs.jsonl ── half of the bound is full ──▶ becomes runs.1.jsonl, the one before it is gone ──▶ a new runs.jsonl
 *   read   ──▶ what was added to either since the last time, whole lines alone
 *
 * Files are only added to, so that a crash cuts at most the last line, and opened for each batch: one that was deleted is made
 * again, one that another process has turned is not written to. Several processes may write and read it.
 *
 * Spec: spec/history.md
 */
import { appendFileSync, closeSync, mkdirSync, writeFileSync } from "node:fs";
import { lstat, rename, type FileHandle } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { openOwn, openOwnNow } from "./own-file.ts";

/** Where lines are kept, and how many. */
export interface JournalBounds {
  /** An absolute path. */
  readonly file: string;
  readonly bytes: number;
  readonly lines: number;
}

/** What tells files apart, whatever they are called by now. */
interface Identity {
  readonly inode: number;
  /** How it begins, since a system gives the inode of a file that is gone to the next one. */
  beginning: Buffer;
}

/** A file as far as it was read; what is kept of it goes with it. */
export interface ReadFile extends Identity {
  /** Where the next line begins. */
  offset: number;
}

/** Takes a line, without its end: of which file, where it begins and how many bytes it has. */
export type LineReader = (text: string, file: ReadFile, offset: number, length: number) => void;

/** Larger is no line of ours: a trace has 1 MiB. */
const maxLineBytes = 16_777_216;
/** As much as is parsed in a few milliseconds. */
const chunkBytes = 65_536;
/** Who writes, and the beginning of a run: they differ in each file. */
const beginningBytes = 4_096;
const newline = 0x0a;
/** Of a folder that is made for them: for its owner alone. */
const folderMode = 0o700;

/** The files of one history. */
export class Journal {
  readonly #file: string;
  readonly #older: string;
  readonly #maxBytes: number;
  readonly #maxLines: number;
  /** The file that was added to last, as it was then. */
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
   * Adds lines. @param head stands before them in a file that this process has not added to before
   * @throws (rejects) what the system says
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

  /** The same at once, for a process that ends: without a look at what is there. @throws what the system says */
  appendNow(lines: readonly string[], head: string): void {
    this.#makeFolder();
    const descriptor = openOwnNow(this.#file, "add");
    try {
      appendFileSync(descriptor, `\n${[head, ...lines].join("\n")}\n`);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Reads what was added since the last time. @returns the files that there are, the older first @throws (rejects) what the system says */
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

  /** The line that was read there; undefined where its file is gone. */
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

  /** The folder; one called `.framework` is ignored by git from the start. */
  #makeFolder(): void {
    const folder = dirname(this.#file);
    if (mkdirSync(folder, { recursive: true, mode: folderMode }) === undefined || basename(folder) !== ".framework")
      return;
    writeFileSync(join(folder, ".gitignore"), "*\n");
  }

  /** The file, to be added to; it is made where there is none, its folder too. */
  async #openToAdd(): Promise<FileHandle> {
    try {
      return await openOwn(this.#file, "add");
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#makeFolder();
      return await openOwn(this.#file, "add");
    }
  }

  /** How the file ends. What this process has added to it last, and nobody since, is not read for that. */
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

/** How a file ends. */
interface FileEnd extends Identity {
  readonly size: number;
  readonly lines: number;
  /** Has this process added to it before? Then who that is stands in it. */
  readonly isKnown: boolean;
  /** Has its last line no end? */
  readonly isCut: boolean;
}

async function beginningOf(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginningBytes), 0, beginningBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** Is it that file, to which something may have been added since? @param beginning of the file that is there now */
const isSame = (file: Identity, inode: number, beginning: Buffer): boolean =>
  file.inode === inode && beginning.subarray(0, file.beginning.length).equals(file.beginning);

/** The file, to be read; undefined where there is none. @throws (rejects) what else the system says */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await openOwn(path, "read");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && Reflect.get(error, "code") === "ENOENT";

/** How many lines end behind that place. */
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

/** Hands on whole lines, a chunk at a time, so that a process that serves requests does not stand still. */
async function readLines(handle: FileHandle, file: ReadFile, take: LineReader): Promise<void> {
  /** The beginning of a line whose end has not been read. */
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
