/**
 * Proves that every assertion is needed: deletes one from a case, and expects the self-test to notice, which
 * is to say that some mutant of the case's clause is no longer killed.
 *
 *   cases/*.js ──parse──▶ each assertion statement ──delete──▶ load ──▶ run under the mutants of its ids
 *                                                                        all still killed?  a finding
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "oxc-parser";
import type { Case } from "./kit/case.ts";
import type { Mutant } from "./kit/mutant.ts";
import type { Ran } from "./kit/run.ts";
import { judge, type Subjects } from "./kit/selftest.ts";

/** One statement of a compiled case file that asserts something. */
export interface Assertion {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** 1-based line in the compiled file. */
  readonly line: number;
}

const asserting = /^(await\s+)?probe\.(equal|ok|json|shape|parse)\(/;

/** The assertion statements of a compiled case file. */
export function assertionsOf(file: string): readonly Assertion[] {
  const source = readFileSync(file, "utf8");
  const found: Assertion[] = [];
  visit(parseSync(file, source).program, ({ type, start, end }) => {
    const text = source.slice(start, end);
    if (type !== "ExpressionStatement" || !asserting.test(text)) return;
    found.push({ file, start, end, text, line: source.slice(0, start).split("\n").length });
  });
  return found;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function visit(node: unknown, tell: (node: Node) => void): void {
  if (Array.isArray(node)) for (const child of node) visit(child, tell);
  if (typeof node !== "object" || node === null || Array.isArray(node)) return;
  if ("type" in node && "start" in node) tell(node as Node);
  for (const child of Object.values(node)) if (typeof child === "object") visit(child, tell);
}

/** Where and with what the mutated cases are run. */
export interface MutationContext {
  readonly subjects: Subjects;
  readonly mutants: readonly Mutant[];
  /** What each case saw on the conformant subjects. */
  readonly seen: readonly Ran[];
}

/** Deletes the assertion; the name of the mutant that then survives, or undefined when none does. */
export async function survivorWithout(assertion: Assertion, context: MutationContext): Promise<string | undefined> {
  const mutated = await loadWithout(assertion);
  const ids = new Set<string>(mutated.map(({ id }) => id));
  const titles = new Map(mutated.map((found) => [key(found), found]));
  const seen = context.seen.flatMap((ran) => {
    const replacement = titles.get(key(ran.case));
    return replacement ? [{ ...ran, case: replacement }] : [];
  });
  for (const mutant of context.mutants) {
    const mine = mutant.kills.filter((id) => ids.has(id));
    if (mine.length === 0) continue;
    const { failed } = await judge(
      mutant,
      seen.filter((ran) => mine.includes(ran.case.id)),
      context.subjects,
    );
    if (mine.some((id) => !failed.includes(id))) return mutant.name;
  }
  return undefined;
}

const key = ({ id, title, profile }: Case): string => `${id} ${profile} ${title}`;

async function loadWithout({ file, start, end }: Assertion): Promise<readonly Case[]> {
  const source = readFileSync(file, "utf8");
  const copy = join(dirname(file), `.without-${start}-${basename(file)}`);
  writeFileSync(copy, `${source.slice(0, start)};${source.slice(end)}`);
  try {
    const exported = (await import(pathToFileURL(copy).href)) as Readonly<Record<string, unknown>>;
    return Object.values(exported).filter(Array.isArray).flat() as readonly Case[];
  } finally {
    rmSync(copy, { force: true });
  }
}
