/** The results of other frameworks as Markdown: by chapter, and for QUERY by demand. */
import type { Clause } from "../../spec/clauses.ts";
import type { QueryResult } from "../rfc10008/profile.ts";
import { marks } from "./report.ts";
import type { Verdict } from "./verdict.ts";

/** A framework's description, and the verdict of each clause. */
export interface ForeignColumn {
  readonly about: string;
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/** How one server handles QUERY. */
export interface QueryColumn {
  readonly name: string;
  readonly results: readonly QueryResult[];
}

/** How many of the applicable clauses are kept: by origin, then by area. */
export function foreignMarkdown(
  columns: readonly ForeignColumn[],
  clauses: ReadonlyMap<string, Pick<Clause, "origin">>,
): string {
  const results = columns.map(({ verdicts }) =>
    [...verdicts].filter(([, verdict]) => !["n/a", "unrun"].includes(verdict)),
  );
  const areas = [...new Set(results.flat().map(([id]) => areaOf(id)))].toSorted();
  const share = (found: (typeof results)[number]): string => {
    const kept = found.filter(([, verdict]) => verdict === "pass").length;
    return found.length === 0 ? "" : `${kept} of ${found.length}`;
  };
  const row = (name: string, isMeant: (id: string) => boolean): string =>
    `| ${name} | ${results.map((all) => share(all.filter(([id]) => isMeant(id)))).join(" | ")} |`;
  return [
    `| Clauses kept | ${columns.map(({ about }) => about).join(" | ")} |`,
    `|---|${columns.map(() => "--:|").join("")}`,
    ...(["source", "house"] as const).map((from) => row(`**${from}**`, (id) => clauses.get(id)?.origin === from)),
    ...areas.map((area) => row(area, (id) => areaOf(id) === area)),
  ].join("\n");
}

const areaOf = (id: string): string => id.split("-")[0] ?? id;

/** A row for each demand of RFC 10008. */
export function queryMarkdown(columns: readonly QueryColumn[]): string {
  const [first] = columns;
  return [
    `| RFC 10008 | Level | ${columns.map(({ name }) => name).join(" | ")} |`,
    `|---|---|${columns.map(() => ":-:|").join("")}`,
    ...(first?.results ?? []).map(({ id, level, sentence, source }) => {
      const cells = columns.map(({ results }) => {
        const verdict = results.find((one) => one.id === id)?.verdict ?? "unrun";
        return verdict === "n/a" ? "n/a" : marks[verdict];
      });
      return `| ${sentence} (${source}) | ${level} | ${cells.join(" | ")} |`;
    }),
  ].join("\n");
}
