/**
 * From samples to lines: calculates the figures of ours, of the hand-written baseline and of each peer in the same way.
 *
 * A figure is reached or short only if it is further from its target than the control deviates. So the uncertainty counts for
 * neither side.
 */
import { difference, onTop, quotient, strays, undisturbed, type Cell, type Values } from "./method/stats.ts";
import { isScaled, type Part, partOf, rows, yardstickUs, type Row } from "./rows.ts";

/** The samples of every server by name, by the list's id. The lists `hello` and `hello#2` are one, with more peers. */
export type Samples = ReadonlyMap<string, ReadonlyMap<string, Values>>;

type Parts = readonly (readonly [id: string, list: ReadonlyMap<string, Values>])[];

/** The relation of a figure to its target. */
export type Outcome = "reached" | "short" | "too close to tell";

/** A line of the table. */
export interface Line {
  readonly row: Row;
  readonly target: number;
  /** The figures of "ours", "hand" and every peer by name. */
  readonly cells: ReadonlyMap<string, Cell>;
  /** The deviation of the control: smaller differences cannot be detected. */
  readonly deviation: number;
  readonly outcome: Outcome;
  /** Ours ÷ the hand-written baseline's, and ÷ Fastify's. */
  readonly overHand: Cell | undefined;
  readonly overFastify: Cell | undefined;
}

/**
 * Every row of those parts, on a Node of the given major version.
 *
 * @param absent lists that broke off, or were not run: their rows are left out
 * @throws Error naming another row that was not measured, or the yardstick
 */
export function evaluate(
  samples: Samples,
  nodeMajor: number,
  measured: readonly Part[],
  absent: readonly string[] = [],
): readonly Line[] {
  const at = nodeMajor >= 22 ? "newer" : "older";
  const slowness = (): number => {
    const bare = samples.get("hello")?.get("bare");
    if (bare === undefined) throw new Error("the row hello was not measured");
    return undisturbed(bare.flat()) / yardstickUs[at];
  };
  const wanted = rows.filter(
    ({ list }) => measured.includes(partOf(list)) && !absent.includes(list.replace("-p99", "")),
  );
  return wanted.map((row) => {
    const cells = cellsOf(row, samples);
    const ours = cells.get("ours")?.median;
    if (ours === undefined) throw new Error(`the row ${row.id} was not measured`);
    const deviation = deviationOf(row, samples);
    const target = row.target[at] * (isScaled(row) ? slowness() : 1);
    const [overHand, overFastify] = ["hand", "fastify"].map((name) => over(name, row, samples));
    const outcome = outcomeOf(row.is === "atLeast" ? ours - target : target - ours, deviation);
    return { row, target, cells, deviation, outcome, overHand, overFastify };
  });
}

/** Reached or short only by more than the deviation. @param ahead by how much the figure is better than its target */
export function outcomeOf(ahead: number, deviation: number): Outcome {
  if (ahead >= deviation) return "reached";
  return ahead <= -deviation ? "short" : "too close to tell";
}

/** The figure of every server that has one in this row. */
function cellsOf(row: Row, samples: Samples): ReadonlyMap<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const [id, list] of partsOf(row, samples))
    for (const [name, values] of list) {
      const base = list.get(row.base);
      // If the base is another state of ours, only ours is compared with it, and no peer.
      if (base === undefined || (name !== row.of && row.of !== "ours")) continue;
      const shown = row.kind === "own" ? id.replace("alone-", "") : name === row.of ? "ours" : name;
      if (name === row.base || name.endsWith("-twin") || cells.has(shown)) continue;
      cells.set(shown, figures[row.kind](values, base));
    }
  return cells;
}

const figures: Readonly<Record<Row["kind"], (values: Values, base: Values) => Cell>> = {
  ratio: (values, base) => quotient(base, values),
  growth: quotient,
  own: onTop,
  difference,
};

/** Ours ÷ another server's, as the row's kind defines it, round by round. For a footprint the totals are divided. */
function over(name: string, { kind, of, ...row }: Row, samples: Samples): Cell | undefined {
  const list = partsOf({ kind, ...row }, samples).find(([, part]) => part.has(of) && part.has(name))?.[1];
  const [ours, other] = [list?.get(of), list?.get(name)];
  if (ours === undefined || other === undefined) return undefined;
  return kind === "ratio" ? quotient(other, ours) : quotient(ours, other);
}

/** The deviation of the control, the twin of the row's base, in the unit of the row. */
function deviationOf({ kind, list, base }: Row, samples: Samples): number {
  const [plain = [], twin = []] = [base, `${base}-twin`].map((name) => samples.get(list)?.get(name));
  if (kind === "difference") return strays(difference(twin, plain), 0);
  return strays(quotient(plain, twin), 1) * (kind === "own" ? undisturbed(plain.flat()) : 1);
}

/** The lists of a row by id. For own costs each server has a separate id. */
const partsOf = ({ list, kind }: Pick<Row, "list" | "kind">, samples: Samples): Parts =>
  [...samples].filter(([id]) => id === list || id.startsWith(kind === "own" ? "alone-" : `${list}#`));
