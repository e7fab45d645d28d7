/**
 * Reads the Markdown of this folder: clauses, decisions, and the source's sections.
 *
 *   ### AREA-NNN
 *   <a sentence with MUST, SHOULD or MAY>
 *   Source: §n, RFC 9110 §15.5.6    and/or    Decision: D-slug, D-slug
 *
 * By that line a clause is of one of two origins: a source alone obliges every implementation, in whatever language; a
 * decision is ours, also where it says how what the source demands is done.
 */

/** How binding a clause is. */
export type Level = "MUST" | "SHOULD" | "MAY";

/** Who owes it: any implementation, by the document or a standard, or this framework, by its own decision. */
export type Origin = "source" | "house";

/** One clause as it is written; `problem` says what is wrong with it. */
export interface Clause {
  readonly id: string;
  readonly sentence: string;
  readonly level: Level | undefined;
  readonly origin: Origin;
  /** Sections of the document (§n), and of standards with their name before. */
  readonly sources: readonly string[];
  readonly decisions: readonly string[];
  readonly problem: string | undefined;
}

/** The clauses of one chapter, in order. A level-3 heading that starts with capitals and a dash opens one. */
export function readClauses(chapter: string, markdown: string): readonly Clause[] {
  const clauses = blocks(markdown).filter(([title]) => /^[A-Z]+-\d+/.test(title));
  if (clauses.length === 0) throw new Error(`${chapter} holds no clause`);
  return clauses.map(([id, lines]) => toClause(id, lines));
}

/** Level-3 headings with the lines of their own, up to the next heading. */
function blocks(markdown: string): readonly (readonly [title: string, lines: readonly string[]])[] {
  return markdown.split(/^(?=#)/m).flatMap((part) => {
    const [heading = "", ...lines] = part.split("\n");
    return heading.startsWith("### ") ? [[heading.slice(4).trim(), lines] as const] : [];
  });
}

function toClause(id: string, lines: readonly string[]): Clause {
  const text = lines.map((line) => line.trim()).filter((line) => line !== "");
  const origin = text.findIndex((line) => /^(Source|Decision): /.test(line));
  const sentence = text.slice(0, origin < 0 ? text.length : origin).join(" ");
  const level = /\b(MUST|SHOULD|MAY)\b/.exec(sentence)?.[1] as Level | undefined;
  const named = (word: string): readonly string[] =>
    (origin < 0 ? [] : text.slice(origin))
      .filter((line) => line.startsWith(`${word}: `))
      .flatMap((line) => line.slice(word.length + 2).split(/,\s*/));
  const [sources, decisions] = [named("Source"), named("Decision")];
  const found = { id, sentence, level, origin: decisions.length > 0 ? "house" : "source", sources, decisions } as const;
  return { ...found, problem: problemOf(found) };
}

const reference = /^(?:(?:RFC \d+|Fetch|Trace Context) )?§\d+(?:\.\d+)*$/;

function problemOf({ id, sentence, level, sources, decisions }: Omit<Clause, "problem">): string | undefined {
  if (!/^[A-Z]+-\d{3}$/.test(id)) return "the id is not AREA-NNN";
  if (sentence === "") return "no sentence";
  if (level === undefined) return "no MUST, SHOULD or MAY";
  if (sources.length + decisions.length === 0) return "neither Source nor Decision";
  const odd = [
    ...sources.filter((one) => !reference.test(one)),
    ...decisions.filter((one) => !/^D-[a-z0-9-]+$/.test(one)),
  ];
  return odd.length > 0 ? `refers to nothing: ${odd.join(", ")}` : undefined;
}

/** What a chapter leaves open on purpose: no clause says what is there, so no case may look at it. */
export interface Unspecified {
  /** A field, a header or an item as `make conformance-faults` calls it; one that ends in `…` means all that begin so. */
  readonly target: string;
  /** In which ways it may be otherwise; none stands for every way. */
  readonly kinds: readonly string[];
  readonly why: string;
}

/** The rows of the table below the heading `Unspecified`: what, in which ways, why. */
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

/** Slug → text, from decisions.md. */
export function readDecisions(markdown: string): ReadonlyMap<string, string> {
  return new Map(blocks(markdown).map(([title, lines]) => [title, lines.join(" ").trim()]));
}

/** The numbers of the source's sections, from the table of the README. */
export function readSections(markdown: string): ReadonlySet<string> {
  return new Set([...markdown.matchAll(/^\| (§[\d.]+) \|/gm)].flatMap(([, section]) => section ?? []));
}
