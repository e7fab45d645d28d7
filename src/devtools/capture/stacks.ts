/**
 * Stacks: where an error was thrown, as places in files, and the code around the line.
 *
 *   error.stack, as Node has written it (through source maps where they are on) ──▶ frames
 *   the first frame of the application's own ──▶ excerpt: a few lines of that file
 *
 * The text of a message may look like a stack, so the header is never taken for a frame. A file is read only
 * when it is source code below the working directory, by its real path, and has not changed since the process
 * began, so that the lines are those that run.
 *
 * Spec: spec/trace.md
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import type { Excerpt, StackFrame } from "../run/shapes.ts";
import { dataOf, ownData } from "./inspect.ts";

const bounds = { frames: 50, chars: 65_536, name: 200, file: 1_024, fileBytes: 1_048_576, files: 40 } as const;
/** Lines shown before and after the one that threw. */
const around = 3;
/** Lines read before and after those, so that a secret that begins or ends there is still recognised. */
const beyond = 80;
const lineChars = 240;
const sourceFile = /\.[cm]?[jt]sx?$/;

/** Hides the secrets of a text of `limit` characters at most. */
type Hide = (text: string, limit: number) => string;

/** Reads the stacks of errors. */
export class Stacks {
  readonly #root: string;
  readonly #hide: Hide;
  readonly #framework = frameworkFolder();
  readonly #files = new Map<string, readonly string[] | undefined>();
  readonly #startedAt: number;

  /** @param root files below it are the application's own @param startedAt epoch milliseconds: later files do not run */
  constructor(root: string, hide: Hide, startedAt: number = performance.timeOrigin) {
    this.#root = root;
    this.#hide = hide;
    this.#startedAt = startedAt;
  }

  /** The frames of an error, innermost first, or undefined without a stack. */
  framesOf(thrown: unknown): readonly StackFrame[] | undefined {
    if (!types.isNativeError(thrown)) return undefined;
    const text = stackTextOf(thrown);
    if (text === undefined) return undefined;
    const frames: StackFrame[] = [];
    const message = dataOf(thrown, "message");
    for (const line of withoutHeader(text, typeof message === "string" ? message : "").split("\n")) {
      const place = placeIn(line);
      if (place === undefined) continue;
      frames.push(this.frameOf(place));
      if (frames.length >= bounds.frames) break;
    }
    return frames.length === 0 ? undefined : frames;
  }

  /** The code around the first frame of the application's own, or undefined if it cannot be known or must not be read. */
  excerptOf(frames: readonly StackFrame[]): Excerpt | undefined {
    const frame = frames.find((one) => one.own);
    if (frame === undefined) return undefined;
    const lines = this.#linesOf(frame.file);
    if (lines?.[frame.line - 1] === undefined) return undefined;
    const from = Math.max(1, frame.line - around);
    const to = Math.min(lines.length, frame.line + around);
    const first = Math.max(1, from - beyond);
    const text = lines.slice(first - 1, to + beyond).join("\n");
    const shown = this.#hide(text, text.length).split("\n");
    if (shown.length !== text.split("\n").length) return undefined;
    return {
      file: frame.file,
      line: frame.line,
      from,
      lines: shown.slice(from - first, to - first + 1).map((line) => line.slice(0, lineChars)),
    };
  }

  /** A place in the form of frames, or undefined outside of a file, and in one of the framework. */
  placeOf({ file, line }: Pick<Place, "file" | "line">): Pick<StackFrame, "file" | "line"> | undefined {
    return isAbsolute(file) && !this.#isOfFramework(file) ? { file: this.#shown(file).file, line } : undefined;
  }

  /** A place as a frame. */
  frameOf({ name, file, line, column }: Place): StackFrame {
    const shown = this.#shown(file);
    return { name: this.#hide(name, bounds.name), file: shown.file, line, column, own: shown.own };
  }

  /** A file in its shown form, and whether it is the application's own. */
  #shown(file: string): Pick<StackFrame, "file" | "own"> {
    const inside = isAbsolute(file) ? relative(this.#root, file) : "..";
    const isInside = inside !== "" && !isAbsolute(inside) && inside.split(sep)[0] !== "..";
    const isLibrary = isInstalled(file) || file.startsWith(devtoolsFolder) || this.#isOfFramework(file);
    return {
      file: this.#hide(isInside ? inside.replaceAll("\\", "/") : file, bounds.file),
      own: isInside && !isLibrary,
    };
  }

  #isOfFramework(file: string): boolean {
    return this.#framework !== undefined && file.startsWith(this.#framework);
  }

  #linesOf(file: string): readonly string[] | undefined {
    if (this.#files.has(file)) return this.#files.get(file);
    if (this.#files.size >= bounds.files) this.#files.clear();
    const lines = this.#read(file);
    this.#files.set(file, lines);
    return lines;
  }

  /** @param file relative to the root */
  #read(file: string): readonly string[] | undefined {
    try {
      const root = realpathSync(this.#root);
      const real = realpathSync(`${root}${sep}${file}`);
      if (!real.startsWith(root.endsWith(sep) ? root : root + sep) || !sourceFile.test(real)) return undefined;
      const { size, mtimeMs } = statSync(real);
      const isReadable = size <= bounds.fileBytes && mtimeMs <= this.#startedAt;
      return isReadable ? readFileSync(real, "utf8").split(/\r?\n/) : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Where code is. */
export interface Place {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** In newer versions of V8, `stack` is an accessor of the engine. No other accessor is run. */
const nativeStack = Object.getOwnPropertyDescriptor(new Error("a sample"), "stack")?.get;

function stackTextOf(error: Error): string | undefined {
  const property = Object.getOwnPropertyDescriptor(error, "stack");
  const value: unknown =
    property?.get !== undefined && property.get === nativeStack
      ? Reflect.apply(nativeStack, error, [])
      : ownData(error, "stack");
  return typeof value === "string" ? value.slice(0, bounds.chars) : undefined;
}

/** The text after the error's name and message. If the message is not in its place, the lines from the first frame on. */
function withoutHeader(text: string, message: string): string {
  const at = text.indexOf(message);
  return at < 0 || text.slice(0, at).includes("\n    at ") ? text : text.slice(at + message.length);
}

/** `at async Orders.place (file:///app/orders.ts:12:7)` and its other forms, or undefined for a line without a place. */
function placeIn(line: string): Place | undefined {
  const text = line.trim();
  if (!text.startsWith("at ") || text.length > bounds.name + bounds.file) return undefined;
  const open = text.endsWith(")") ? text.indexOf(" (") : -1;
  const isAsync = open < 0 && text.startsWith("at async ");
  const where = open >= 0 ? text.slice(open + 2, -1) : text.slice(isAsync ? 9 : 3);
  const name = open >= 0 ? text.slice(3, open) : isAsync ? "async" : "";
  const second = where.lastIndexOf(":");
  const first = where.lastIndexOf(":", second - 1);
  const [row, column] = [where.slice(first + 1, second), where.slice(second + 1)];
  if (first <= 0 || !isNumber(row) || !isNumber(column)) return undefined;
  return { name, file: fileIn(where.slice(0, first)), line: Number(row), column: Number(column) };
}

const isNumber = (text: string): boolean => /^\d{1,9}$/.test(text);

function fileIn(place: string): string {
  if (!place.startsWith("file://")) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return place;
  }
}

const isInstalled = (file: string): boolean => file.split(/[\\/]/).includes("node_modules");

// Like Node's, the frames of devtools and the framework are not the application's own.
const devtoolsFolder = fileIn(new URL("../..", import.meta.url).href);

/** The package's folder, with what its source maps name. Undefined if the framework is bundled, so there are no files of it. */
function frameworkFolder(): string | undefined {
  try {
    const entry = fileIn(import.meta.resolve("framework"));
    const end = entry.lastIndexOf(`${sep}dist${sep}`);
    return end < 0 ? undefined : entry.slice(0, end + 1);
  } catch {
    return undefined;
  }
}
