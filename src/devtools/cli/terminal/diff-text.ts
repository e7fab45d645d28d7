/**
 * Diff text: the changes of the bean graph, for a terminal and for the summary of a pull request.
 */
import { isChanged, type BrokenRule, type GraphDiff } from "../../run/compare/graph-diff.ts";
import { count } from "../../run/format.ts";
import type { BeanEdge, BeanNode } from "../../run/shapes.ts";
import { printable } from "./printable.ts";
import type { Screen, Tone } from "./screen.ts";

interface Change {
  readonly sign: "+" | "-" | "~";
  readonly what: string;
  /** Names, and the words between them. */
  readonly parts: readonly (string | { readonly name: string })[];
}

const name = (text: string): { readonly name: string } => ({ name: text });

/** The changes in a person's order: beans, dependencies, routes. */
function changesOf(diff: GraphDiff): readonly Change[] {
  const change = (sign: Change["sign"], what: string, ...parts: Change["parts"]): Change => ({ sign, what, parts });
  const bean = (sign: "+" | "-", { id, stereotype }: BeanNode): Change =>
    change(sign, "bean", name(id), ` ${stereotype}`);
  const edge = (sign: "+" | "-", { from, to }: BeanEdge): Change =>
    change(sign, "dependency", name(from), " → ", name(to));
  return [
    ...diff.addedBeans.map((one) => bean("+", one)),
    ...diff.removedBeans.map((one) => bean("-", one)),
    ...diff.changedBeans.map(({ id, from, to }) => change("~", "bean", name(id), ` ${from} → ${to}`)),
    ...diff.addedEdges.map((one) => edge("+", one)),
    ...diff.removedEdges.map((one) => edge("-", one)),
    ...diff.addedRoutes.map((one) => change("+", "route", name(one))),
    ...diff.removedRoutes.map((one) => change("-", "route", name(one))),
    ...diff.reach.map(({ route, added, removed }) => {
      const more = added.length === 0 ? [] : [" also reaches ", ...list(added)];
      const less = removed.length === 0 ? [] : [" no longer reaches ", ...list(removed)];
      const comma = more.length > 0 && less.length > 0 ? [","] : [];
      return change("~", "reach", name(route), ...more, ...comma, ...less);
    }),
  ];
}

const list = (names: readonly string[]): readonly (string | { readonly name: string })[] =>
  names.flatMap((one, at) => (at === 0 ? [name(one)] : [", ", name(one)]));

const tones: Readonly<Record<Change["sign"], Tone>> = { "+": "good", "-": "bad", "~": "warn" };
const unchanged = "the graph has not changed";

/** The changes and the broken rules, line by line. */
export function diffLines(diff: GraphDiff, broken: readonly BrokenRule[], { paint }: Screen): readonly string[] {
  const changes = changesOf(diff).map(({ sign, what, parts }) => {
    const text = parts.map((part) => printable(typeof part === "string" ? part : part.name)).join("");
    return `${paint(tones[sign], sign)} ${what.padEnd(10)}  ${text}`;
  });
  const rules = broken.map(({ rule, from, to, isNew }) =>
    paint("bad", printable(`✗ ${rule}  forbids  ${from} → ${to}${isNew ? ", which is new" : ""}`)),
  );
  return [...(isChanged(diff) ? changes : [unchanged]), ...(rules.length > 0 ? ["", ...rules] : [])];
}

/** The same as Markdown. */
export function diffMarkdown(diff: GraphDiff, broken: readonly BrokenRule[]): readonly string[] {
  const changes = changesOf(diff).map(({ sign, what, parts }) => {
    const words = parts.map((part) => (typeof part === "string" ? part : code(part.name))).join("");
    return `| \`${sign}\` | ${what} | ${words} |`;
  });
  const rules = broken.map(
    ({ rule, from, to, isNew }) => `- ${code(rule)} forbids ${code(from)} → ${code(to)}${isNew ? " (new)" : ""}`,
  );
  return [
    "### Bean graph",
    "",
    ...(isChanged(diff) ? ["| | | |", "|---|---|---|", ...changes] : [`${unchanged}.`]),
    ...(rules.length > 0
      ? ["", `**${count(broken.length, "forbidden dependency", "forbidden dependencies")}**`, "", ...rules]
      : []),
  ];
}

/** A name as code, with any content, which can end neither the code nor the cell. */
function code(text: string): string {
  return `\`${printable(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;
}
