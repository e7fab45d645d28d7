/**
 * Writes spec/requirements.ts from the chapters, so that a test or a case with an unknown id does not compile.
 *
 *   spec/*.md ──▶ readClauses (spec/clauses.ts, whose types esbuild strips) ──▶ spec/requirements.ts
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transformSync } from "esbuild";
import { root } from "./process.mjs";
import { writeChanged } from "./write-files.mjs";

const folder = join(root, "spec");
const read = (name) => readFileSync(join(folder, name), "utf8");
const reader = join(root, ".build", "clauses.mjs");
writeChanged(reader, transformSync(read("clauses.ts"), { loader: "ts" }).code);
const { isChapter, readClauses } = await import(pathToFileURL(reader).href);

const lines = readdirSync(folder)
  .filter(isChapter)
  .flatMap((name) =>
    readClauses(name, read(name)).map(({ id, level, surface, features, schema }) => {
      const shape = schema === undefined ? "" : `, schema: ${JSON.stringify(schema)}`;
      return `  "${id}": { level: "${level}", surface: "${surface}", features: ${JSON.stringify(features)}${shape} },\n`;
    }),
  );

writeChanged(
  join(folder, "requirements.ts"),
  `/** Every clause of the chapters. Written by scripts/requirements.mjs at each build. */

import type { Surface, Level } from "./clauses.ts";
import type { featureNames } from "./subject.ts";

/** One clause: how binding it is, from where it can be observed, the \`$id\` of the shape it speaks of. */
export interface Requirement {
  readonly level: Level;
  readonly surface: Surface;
  readonly schema?: string;
  /** What a subject must declare, all of it, for the clause to apply; a clause that names none applies to all. */
  readonly features: readonly Feature[];
}

/** What a subject may lack, and say so (subject.md). */
export type Feature = (typeof featureNames)[number];

/** Clause id → what the compiler knows of it. */
export const requirements = {
${lines.join("")}} as const satisfies Readonly<Record<string, Requirement>>;

/** The id of a clause. */
export type RequirementId = keyof typeof requirements;
`,
);
