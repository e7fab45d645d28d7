/**
 * How long files and functions may be. Comments and blank lines count: the budget is for the reader's eye.
 */
import { isTest, lineOf, nodes, type Source } from "./source.ts";

/**
 * Lines allowed: the median and the longest file, the 95th percentile and the longest function. A view (`.tsx`) may be
 * longer: its markup, formatted one attribute a line, is read like data, and cutting it apart would hide its shape.
 */
export const budgets = { fileMedian: 100, fileMax: 440, functionP95: 35, functionMax: 60, viewMax: 90 } as const;

interface Length {
  readonly where: string;
  readonly lines: number;
}

/** The sentences for every budget that the sources (tests apart) exceed. */
export function budgetFindings(sources: readonly Source[]): readonly string[] {
  const own = sources.filter(({ path }) => !isTest(path));
  const files = own.map(({ path, lines }) => ({ where: path, lines }));
  const functions = own.flatMap(functionLengths);
  const { fileMedian, fileMax, functionP95, functionMax } = budgets;
  return [
    ...tooLong("file", files, fileMax),
    ...tooLong(
      "function",
      functions.filter(({ where }) => !isView(where)),
      functionMax,
    ),
    ...tooLong(
      "view",
      functions.filter(({ where }) => isView(where)),
      budgets.viewMax,
    ),
    ...above("the median file", quantile(files, 0.5), fileMedian),
    ...above("the 95th percentile function", quantile(functions, 0.95), functionP95),
  ];
}

const isView = (where: string): boolean => /\.tsx:\d+$/.test(where);

function functionLengths({ path, text, program }: Source): readonly Length[] {
  return nodes(program, "FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression").map(
    ({ start, end }) => {
      const first = lineOf(text, start);
      return { where: `${path}:${first}`, lines: lineOf(text, end) - first + 1 };
    },
  );
}

function tooLong(kind: string, lengths: readonly Length[], max: number): readonly string[] {
  return lengths
    .filter(({ lines }) => lines > max)
    .map(({ where, lines }) => `${where}: ${kind} of ${lines} lines, ${max} are allowed`);
}

function above(what: string, lines: number, max: number): readonly string[] {
  return lines > max ? [`${what} has ${lines} lines, ${max} are allowed`] : [];
}

/** Nearest rank. */
function quantile(lengths: readonly Length[], q: number): number {
  const sorted = lengths.map(({ lines }) => lines).toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0;
}
