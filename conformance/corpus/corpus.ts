/**
 * The corpus: for each shape, unusual documents that it accepts and documents that it rejects, each for one reason.
 * Validators in other languages are tested with it.
 *
 *   corpus/<chapter>.ndjson ──▶ readCorpus ──▶ whole documents ──▶ corpus.test.ts · data/corpus.json of the package
 *
 * A line is one document. It contains the whole document (`document`, or `text` if the spelling matters, such as 1e3), or a
 * change of a legal one (`of`) at one place (`at`, a JSON pointer). The change is another `value`, a removal (`remove`), or a
 * list or text that repeats its first item or letter so many `times`. So a rejected document differs from a legal one only there.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Type, type Static } from "typebox";
import { root } from "../../test/environment.ts";

const closed = { additionalProperties: false } as const;
const words = Type.String({ minLength: 1 });
/** The document itself, or its text if a number has an unusual spelling. */
const contents = { document: Type.Optional(Type.Unknown()), text: Type.Optional(words) };

const Legal = Type.Object({ schema: words, legal: words, ...contents }, closed);
const Broken = Type.Object(
  /** `breaks` is the clause that forbids it; else the shape itself; `subject.md` if only the suite's app owes it. */
  { schema: words, breaks: words, why: words, ...contents },
  closed,
);

/** The shape of the package's `data/corpus.json`. */
export const CorpusShape = Type.Object(
  { format: Type.Literal(1), documents: Type.Array(Type.Union([Legal, Broken]), { minItems: 1 }) },
  { $id: "ConformanceCorpus", ...closed },
);

/** A document that a shape accepts, and what is unusual about it. */
export type LegalDocument = Static<typeof Legal>;

/** A document that a shape rejects, why, and the clause that it breaks. */
export type BrokenDocument = Static<typeof Broken>;

/** One document of the corpus. */
export type CorpusDocument = LegalDocument | BrokenDocument;

/** A line of the file. */
interface Line extends Change {
  readonly schema: string;
  readonly legal?: string;
  readonly breaks?: string;
  readonly why?: string;
  readonly document?: unknown;
  readonly text?: string;
  /** The name of a legal document of the same shape, from an earlier line. */
  readonly of?: string;
}

/** The change and its place. */
interface Change {
  readonly at?: string;
  readonly value?: unknown;
  readonly remove?: true;
  readonly times?: number;
}

const folder = join(root, "conformance", "corpus");

/** Every document, by chapter. */
export function readCorpus(): readonly CorpusDocument[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
  return files.toSorted().flatMap((name) => documentsOf(readFileSync(join(folder, name), "utf8")));
}

/** The documents of a file's lines. */
export function documentsOf(lines: string): readonly CorpusDocument[] {
  const legal = new Map<string, unknown>();
  return lines.split("\n").flatMap((text) => {
    if (text === "") return [];
    const line = JSON.parse(text) as Line;
    const document = documentOf(line, legal);
    if (line.legal !== undefined) legal.set(`${line.schema} ${line.legal}`, document);
    const { schema, breaks, why } = line;
    const contained = line.text === undefined ? { document } : { text: line.text };
    return [{ schema, ...(line.legal === undefined ? { breaks, why } : { legal: line.legal }), ...contained }];
  }) as readonly CorpusDocument[];
}

/** The document's value. A text is parsed. */
export function valueOf({ document, text }: CorpusDocument): unknown {
  return text === undefined ? document : (JSON.parse(text) as unknown);
}

function documentOf({ of, document, text, schema, ...change }: Line, legal: ReadonlyMap<string, unknown>): unknown {
  if (text !== undefined) return JSON.parse(text);
  if (of === undefined) return document;
  const name = `${schema} ${of}`;
  if (!legal.has(name)) throw new Error(`no line before is the legal document ${name}`);
  return changed(structuredClone(legal.get(name)), change);
}

function changed(document: unknown, { at = "", value, remove, times }: Change): unknown {
  const path = at.split("/").slice(1).map(unescaped);
  const key = path.pop();
  if (key === undefined) return times === undefined ? value : repeated(document, times);
  const owner = path.reduce((held, name) => held[name] as Record<string, unknown>, document as Record<string, unknown>);
  if (remove === true) delete owner[key];
  else owner[key] = times === undefined ? value : repeated(owner[key], times);
  return document;
}

const unescaped = (name: string): string => name.replaceAll("~1", "/").replaceAll("~0", "~");

function repeated(value: unknown, times: number): unknown {
  if (typeof value === "string") return value.slice(0, 1).repeat(times);
  if (Array.isArray(value)) return Array.from({ length: times }, () => (value as readonly unknown[])[0]);
  throw new TypeError("only a list and a text can be so many times as long");
}
