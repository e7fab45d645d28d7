/**
 * Regular expressions: every literal of the sources through recheck, which finds those that backtrack without end.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { checkSync } from "recheck";
import { root, type Row } from "../rows.ts";

interface Found {
  readonly where: string;
  readonly pattern: string;
  readonly flags: string;
}

/** Checks every regular expression of the packages' sources, tests and the dashboard's views left out. */
export function regexes(): Promise<Row> {
  const found = sourceFiles(join(root, "src")).flatMap(literals);
  const distinct = new Map(found.map((one) => [`/${one.pattern}/${one.flags}`, one]));
  const flagged: string[] = [];
  let undecided = 0;
  for (const [text, { where, pattern, flags }] of distinct) {
    const status = verdictOn(pattern, flags);
    if (status === "vulnerable") flagged.push(`${where} ${text}`);
    if (status === "unknown") undecided += 1;
  }
  return Promise.resolve({
    name: "regular expressions",
    figure:
      `${distinct.size} checked in ${new Set(found.map(({ where }) => where)).size} files, ${flagged.length} flagged, ${undecided} undecided ${flagged.join(" ")}`.trim(),
    target: "0 flagged, 0 undecided",
    met: distinct.size > 50 && flagged.length + undecided === 0,
  });
}

/** recheck measures times, so that a busy machine makes it see attacks: what is not safe is checked once more. */
function verdictOn(pattern: string, flags: string): string {
  const first = checkSync(pattern, flags, { timeout: 20_000, randomSeed: 1 }).status;
  return first === "safe" ? first : checkSync(pattern, flags, { timeout: 60_000, randomSeed: 2 }).status;
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(dist|node_modules|templates)\/|\.test\.ts$|\.d\.ts$/.test(name))
    .map((name) => join(folder, name));
}

function literals(file: string): readonly Found[] {
  const found: Found[] = [];
  const { program } = parseSync(file, readFileSync(file, "utf8"));
  new Visitor({
    Literal(node) {
      if ("regex" in node)
        found.push({ where: file.slice(root.length), pattern: node.regex.pattern, flags: node.regex.flags });
    },
  }).visit(program);
  return found;
}
