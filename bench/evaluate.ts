/**
 * From slices to verdicts.
 *
 *   lists, footprints, micro ──▶ figures per row: ours, by hand, each peer ──▶ verdict against the target
 */
import type { Footprint } from "./method/footprint.ts";
import type { Measured } from "./method/list.ts";
import type { Micro } from "./method/micro.ts";
import type { Slice } from "./method/slice.ts";
import { cellOf, deviationOf, mean, median, ratios, type Cell } from "./method/stats.ts";
import { judge, type Verdict } from "./method/verdict.ts";
import { rows, type Row, type Source } from "./rows.ts";

/** Everything a run measured. */
export interface Observed {
  /** By the list's id; the lists `hello` and `hello#2` are one, with more peers. */
  readonly lists: ReadonlyMap<string, Measured>;
  readonly footprints: ReadonlyMap<string, Footprint>;
  readonly micro: Micro;
}

/** A line of the table, judged. */
export interface Judged {
  readonly id: string;
  readonly title: string;
  readonly unit: Row["unit"];
  readonly is: Row["is"];
  readonly target: number;
  readonly ours: Cell;
  /** What the control strayed by: what cannot be told apart here. */
  readonly tolerance: number;
  readonly verdict: Verdict;
  readonly hand?: Cell | undefined;
  readonly peers: Readonly<Record<string, Cell>>;
  readonly fastify?:
    | { readonly is: Row["is"]; readonly target: number; readonly ours: Cell; readonly verdict: Verdict }
    | undefined;
}

/** A figure of one server: all its values, run by run. */
type Values = readonly (readonly number[])[];

/** Judges every row on a Node of the given major version. @throws Error naming a row that was not measured. */
export function evaluate(observed: Observed, nodeMajor: number): readonly Judged[] {
  return rows.map((row) => judgeRow(row, observed, nodeMajor));
}

function judgeRow(row: Row, observed: Observed, nodeMajor: number): Judged {
  const figures = figuresOf(row.source, observed);
  const ours = figures.get("ours");
  if (ours === undefined) throw new Error(`the row ${row.id} was not measured`);
  const cells = new Map(Array.from(figures, ([name, values]) => [name, cellOf(values)]));
  const target = nodeMajor >= 22 ? row.target.newer : row.target.older;
  const tolerance = toleranceOf(row.source, observed);
  const measured = cellOf(ours);
  const hand = cells.get("hand");
  const { id, title, unit, is } = row;
  const peers = [...cells].filter(([name]) => name !== "ours" && name !== "hand");
  const verdict = judge(measured.median, { is, target, hand: hand?.median, tolerance });
  const fastify = figures.get("fastify");
  return {
    ...{ id, title, unit, is, target, ours: measured, tolerance, verdict },
    ...(hand === undefined ? {} : { hand }),
    peers: Object.fromEntries(peers),
    ...(row.fastify === undefined || fastify === undefined
      ? {}
      : { fastify: versus(row.fastify, { ours, fastify, hand: figures.get("hand") }, observed, row.source) }),
  };
}

/**
 * Ours ÷ Fastify's. Nobody can be asked to be further ahead of Fastify than what is written by hand is; in rows without
 * a hand-written server that is bare node:http.
 */
function versus(
  { is, target }: NonNullable<Row["fastify"]>,
  { ours, fastify, hand }: { readonly ours: Values; readonly fastify: Values; readonly hand: Values | undefined },
  observed: Observed,
  source: Source,
): NonNullable<Judged["fastify"]> {
  const cell = quotientOf(source, observed, ours, fastify);
  const byHand = hand ?? (source.kind === "ratio" ? fastify.map((run) => run.map(() => 1)) : undefined);
  const best = byHand === undefined ? undefined : quotientOf(source, observed, byHand, fastify).median;
  const tolerance = toleranceVersus(source, observed, target, fastify);
  return { is, target, ours: cell, verdict: judge(cell.median, { is, target, hand: best, tolerance }) };
}

/** What the control strayed by, in the unit of ours ÷ Fastify's. */
function toleranceVersus(source: Source, observed: Observed, target: number, fastify: Values): number {
  if (source.kind === "ratio" || source.kind === "p99") return toleranceOf(source, observed) * target;
  return source.kind === "own" ? Math.abs(toleranceOf(source, observed) / median(fastify.flat())) : 0;
}

/** Ours ÷ Fastify's: paired where both ran in one list, of the medians otherwise, of the whole start-up time. */
function quotientOf(source: Source, { footprints }: Observed, ours: Values, fastify: Values): Cell {
  if (source.kind === "footprint") {
    const all = (name: string): readonly number[] => footprints.get(name)?.[source.id] ?? [];
    return cellOf([ratios(all("ours"), all("fastify"))]);
  }
  if (source.kind === "own") return cellOf([[median(ours.flat()) / median(fastify.flat())]]);
  return cellOf(ours.map((run, at) => ratios(run, fastify[at] ?? [])));
}

/** The figure of every server that has one in this row: "ours", "hand", and peers by name. */
function figuresOf(source: Source, observed: Observed): ReadonlyMap<string, Values> {
  switch (source.kind) {
    case "ratio":
    case "p99":
    case "growth":
      return listFigures(source, observed);
    case "own":
      return ownFigures(source.feature, observed);
    case "micro": {
      const cell = observed.micro[source.id]?.ns;
      return new Map(cell === undefined ? [] : [["ours", [[cell.low, cell.median, cell.high]]]]);
    }
    case "footprint":
      return footprintFigures(source.id, observed.footprints);
  }
}

function listFigures(
  { kind, list, of, base }: Extract<Source, { readonly list: string }>,
  observed: Observed,
): ReadonlyMap<string, Values> {
  const pick = kind === "p99" ? ({ p99Ms }: Slice): number => p99Ms : ({ cpuUs }: Slice): number => cpuUs;
  const found = new Map<string, Values>();
  for (const measured of parts(list, observed)) {
    const reference = valuesOf(measured, base, pick);
    for (const name of measured.keys()) {
      if (name === base || name === "twin" || (base !== "bare" && name !== of)) continue;
      const paired = valuesOf(measured, name, pick).map((run, at) => {
        const quotients = ratios(reference[at] ?? [], run);
        return kind === "ratio" ? quotients : quotients.map((quotient) => 1 / quotient);
      });
      const shown = name === of ? "ours" : name;
      if (!found.has(shown)) found.set(shown, paired);
    }
  }
  return found;
}

/** µs above the same server without the feature, scaled to the speed that bare node:http had in our own list. */
function ownFigures(feature: string, observed: Observed): ReadonlyMap<string, Values> {
  const bareUs = (list: string): number => {
    const measured = observed.lists.get(list);
    return measured === undefined ? Number.NaN : median(valuesOf(measured, "bare", ({ cpuUs }) => cpuUs).flat());
  };
  const ownBare = bareUs("alone-ours");
  const found = new Map<string, Values>();
  for (const [name, list, plain] of [
    ["ours", "alone-ours", "plain"],
    ["hand", "alone-hand", "bare"],
    ["fastify", "alone-fastify", "plain"],
  ] as const) {
    const measured = observed.lists.get(list);
    if (measured === undefined) continue;
    const scale = ownBare / bareUs(list);
    const without = valuesOf(measured, plain, ({ cpuUs }) => cpuUs);
    const values = valuesOf(measured, feature, ({ cpuUs }) => cpuUs);
    found.set(
      name,
      values.map((run, at) => run.map((us, round) => scale * (us - (without[at]?.[round] ?? us)))),
    );
  }
  return found;
}

function footprintFigures(id: keyof Footprint, footprints: Observed["footprints"]): ReadonlyMap<string, Values> {
  const bare = footprints.get("bare")?.[id] ?? [];
  const over = (name: string): Values => [
    (footprints.get(name)?.[id] ?? []).map((value, at) => value - (bare[at] ?? value)),
  ];
  return new Map(
    [...footprints.keys()].filter((name) => name !== "bare" && name !== "twin").map((name) => [name, over(name)]),
  );
}

/** What the control strayed by, in the unit of the row: an identical twin of what the row is held against, else of bare. */
function toleranceOf(source: Source, { lists, footprints, micro }: Observed): number {
  if (source.kind === "micro") return mean((micro[source.control]?.ns.runs ?? []).map(Math.abs));
  if (source.kind === "footprint") {
    const [bare, twin] = [footprints.get("bare")?.[source.id] ?? [], footprints.get("twin")?.[source.id] ?? []];
    return bare.length === 0 || twin.length === 0 ? 0 : Math.abs(median(bare) - median(twin));
  }
  const measured = lists.get(source.kind === "own" ? "alone-ours" : source.list);
  if (measured === undefined) return 0;
  const pick = source.kind === "p99" ? ({ p99Ms }: Slice): number => p99Ms : ({ cpuUs }: Slice): number => cpuUs;
  const base = source.kind !== "own" && measured.has(`${source.base}-twin`) ? source.base : "bare";
  const reference = valuesOf(measured, base, pick);
  const control = valuesOf(measured, base === "bare" ? "twin" : `${base}-twin`, pick);
  const twin = cellOf(control.map((run, at) => ratios(reference[at] ?? [], run)));
  return source.kind === "own" ? deviationOf(twin) * median(reference.flat()) : deviationOf(twin);
}

const parts = (list: string, { lists }: Observed): readonly Measured[] =>
  [...lists].filter(([id]) => id === list || id.startsWith(`${list}#`)).map(([, measured]) => measured);

const valuesOf = (measured: Measured, name: string, pick: (slice: Slice) => number): Values =>
  (measured.get(name) ?? []).map((run) => run.map(pick));
