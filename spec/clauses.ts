/**
 * Reads the Markdown of this folder: clauses, and the source's sections.
 *
 *   ### AREA-NNN
 *   <a sentence with MUST, SHOULD or MAY>
 *   wire · <features> · <Shape> · house · §n · RFC 9110 §15.5.6
 *   > Why: <where the source leaves it open>
 *
 *   - AREA-NNN: <a sentence>      a clause that only a browser shows (surface `page`)
 *
 * A clause with a citation binds every implementation, in any language. One without a citation is ours (`house`). A clause
 * with the word `house` is ours too. Its citation is its basis.
 */

/** How binding a clause is. */
export type Level = "MUST" | "SHOULD" | "MAY";

/** How a clause is observed: by HTTP alone, by HTTP and what the subject reports about itself, or in a browser. */
export type Surface = "wire" | "evidence" | "page";

/** Whom it binds: any implementation, by the document or a standard, or only this framework, by its own decision. */
export type Origin = "source" | "house";

/** One clause as written; `problem` says what is wrong with it. */
export interface Clause {
  readonly id: string;
  readonly sentence: string;
  readonly level: Level | undefined;
  readonly surface: Surface;
  /** The features that a subject must declare for the clause to apply. A clause without features applies to all. */
  readonly features: readonly string[];
  /** The `$id` of the shape that the sentence mentions. */
  readonly schema: string | undefined;
  readonly origin: Origin;
  /** Sections of the document (§n) and of standards, prefixed with their name. */
  readonly sources: readonly string[];
  /** The reason, if the source leaves it open. */
  readonly why: string | undefined;
  readonly problem: string | undefined;
}

/** Is a file of this folder a chapter? README.md says how to read them, subject.md is the contract of the suite's own app. */
export const isChapter = (file: string): boolean => file.endsWith(".md") && !["README.md", "subject.md"].includes(file);

/** The clauses of one chapter, in order. A level-3 heading that starts with capitals and a dash begins a clause. */
export function readClauses(chapter: string, markdown: string): readonly Clause[] {
  const clauses = markdown.split(/^(?=#|- [A-Z]+-\d+:)/m).flatMap((block) => {
    const [heading = "", ...lines] = block.split("\n");
    const [, id] = /^### ([A-Z]+-\d+.*)/.exec(heading) ?? [];
    if (id !== undefined) return [toClause(id.trim(), lines)];
    const [, ofPage, begun = ""] = /^- ([A-Z]+-\d+): (.*)/.exec(heading) ?? [];
    return ofPage === undefined ? [] : [toClause(ofPage, [begun, ...lines, "page"])];
  });
  if (clauses.length === 0) throw new Error(`${chapter} holds no clause`);
  return clauses;
}

const facts = /^(wire|evidence|page)(?: · |$)/;
const reference = /^(?:(?:RFC \d+|Fetch|Trace Context|Fetch Metadata|WHATWG \w+|OpenTelemetry|OTLP 1\.\d+) )?§[\w.-]+$/;

function toClause(id: string, lines: readonly string[]): Clause {
  const text = lines.map((line) => line.trim()).filter((line) => line !== "");
  const at = text.findIndex((line) => facts.test(line));
  const sentence = text.slice(0, at < 0 ? text.length : at).join(" ");
  const [surface = "wire", ...words] = (text[at] ?? "").split(" · ");
  const sources = words.filter((word) => reference.test(word));
  const features = words.filter((word) => /^[a-z][a-z0-9-]*$/.test(word) && word !== "house");
  const schemas = words.filter((word) => /^[A-Z][A-Za-z]*$/.test(word));
  const why = text.slice(at + 1).filter((line) => line.startsWith(">"));
  const odd = words.filter((word) => ![...sources, ...features, ...schemas, "house"].includes(word));
  const found = {
    id,
    sentence,
    level: /\b(MUST|SHOULD|MAY)\b/.exec(sentence)?.[1] as Level | undefined,
    surface: surface as Surface,
    features,
    schema: schemas[0],
    origin: sources.length === 0 || words.includes("house") ? "house" : "source",
    sources,
    why: why.length === 0 ? undefined : why.map((line) => line.replace(/^> ?(?:Why: )?/, "")).join(" "),
  } as const;
  return { ...found, problem: problemOf(found, at, odd) };
}

function problemOf(
  { id, sentence, level }: Pick<Clause, "id" | "sentence" | "level">,
  at: number,
  odd: readonly string[],
): string | undefined {
  if (!/^[A-Z]+-\d{3}$/.test(id)) return "the id is not AREA-NNN";
  if (sentence === "") return "no sentence";
  if (level === undefined) return "no MUST, SHOULD or MAY";
  if (at < 0) return "no line that begins with its surface";
  return odd.length > 0 ? `refers to nothing: ${odd.join(", ")}` : undefined;
}

/** Something a chapter leaves open on purpose. No clause covers it, so no case may check it. */
export interface Unspecified {
  /** A field, a header or an item, named as in `make conformance-faults`. A trailing `…` matches everything with that prefix. */
  readonly target: string;
  /** The ways in which it may differ, empty for every way. */
  readonly kinds: readonly string[];
  readonly why: string;
}

/** The rows of the table below the heading `Unspecified`: target, ways, reason. */
export function readUnspecified(markdown: string): readonly Unspecified[] {
  const [, section = ""] = /^## Unspecified$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(markdown) ?? [];
  return [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, target = "", kinds = "", why = ""]) => ({
      target,
      kinds: kinds.trim() === "all" ? [] : kinds.split(" · ").map((kind) => kind.trim()),
      why: why.trim(),
    }),
  );
}

/** The numbers of the source's sections, from the table of the README. */
export function readSections(markdown: string): ReadonlySet<string> {
  return new Set([...markdown.matchAll(/^\| (§[\d.]+) \|/gm)].flatMap(([, section]) => section ?? []));
}
