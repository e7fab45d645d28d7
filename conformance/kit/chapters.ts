/**
 * The chapters of spec/ as text. The report quotes their sentences, so each is written only once.
 *
 *   .build/conformance/kit/chapters.js ──▶ spec/                 in the repository
 *   dist/main.js of the package        ──▶ spec/ beside dist/    where it is installed
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isChapter, readClauses, readUnspecified, type Clause, type Unspecified } from "../../spec/clauses.ts";

const packaged = fileURLToPath(new URL("../spec/", import.meta.url));
const folder = existsSync(join(packaged, "subject.md"))
  ? packaged
  : fileURLToPath(new URL("../../../spec/", import.meta.url));

/** One file of clauses. */
export interface Chapter {
  /** The file's name without its extension. */
  readonly name: string;
  readonly clauses: readonly Clause[];
  readonly unspecified: readonly Unspecified[];
}

/** Every chapter, by name. */
export function readChapters(): readonly Chapter[] {
  const files = readdirSync(folder).filter(isChapter);
  return files.toSorted().map((file) => {
    const markdown = readFileSync(join(folder, file), "utf8");
    return {
      name: file.slice(0, -".md".length),
      clauses: readClauses(file, markdown),
      unspecified: readUnspecified(markdown),
    };
  });
}

/** Every clause, by id, in the order of the chapters. */
export function readAllClauses(): ReadonlyMap<string, Clause> {
  return new Map(readChapters().flatMap(({ clauses }) => clauses.map((clause) => [clause.id, clause] as const)));
}
