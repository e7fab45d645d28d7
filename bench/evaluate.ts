/**
 * From slices to verdicts.
 *
 *   lists, footprints, micro ──▶ figures per row: ours, by hand, each peer ──▶ verdict against the target
 */
import type { Footprint } from "./method/footprint.ts";
import type { Measured } from "./method/list.ts";
import type { Micro } from "./method/micro.ts";
import { difference, quotient, type Values } from "./method/paired.ts";
import type { Slice } from "./method/slice.ts";
import { cellOf, deviationOf, mean, undisturbed, type Cell } from "./method/stats.ts";
import { judge, type Bar, type Verdict } from "./method/verdict.ts";
import { rows, yardstickUs, type Row, type Source } from "./rows.ts";

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
  /** What ours takes more than what is written by hand: µs in rows of own costs, else a share. */
  readonly beside?: Bar["hand"];
  readonly peers: Readonly<Record<string, Cell>>;
  readonly fastify?:
    | { readonly is: Row["is"]; readonly target: number; readonly ours: Cell; readonly verdict: Verdict }
    | undefined;
}

/** Is it short of its target, or of what is asked of it beside Fastify? */
export const isShort = ({ verdict, fastify }: Judged): boolean => verdict === "short" || fastify?.verdict === "short";

type ListSource = Extract<Source, { readonly list: string }>;

/** Judges every row on a Node of the given major version. @throws Error naming a row that was not measured. */
export function evaluate(observed: Observed, nodeMajor: number): readonly Judged[] {
  return rows.map((row) => judgeRow(row, observed, nodeMajor));
}

/** Units of time: such a target is as much longer as this machine is slower. */
const times: ReadonlySet<Row["unit"]> = new Set(["µs", "ns", "ms"]);

function judgeRow(row: Row, observed: Observed, nodeMajor: number): Judged {
  const cells = cellsOf(row.source, observed);
  const ours = cells.get("ours");
  if (ours === undefined) throw new Error(`the row ${row.id} was not measured`);
  const at = nodeMajor >= 22 ? "newer" : "older";
  const target = row.target[at] * (times.has(row.unit) ? bareUs("hello", observed) / yardstickUs[at] : 1);
  const tolerance = toleranceOf(row.source, observed);
  const hand = cells.get("hand");
  const { id, title, unit, is } = row;
  const peers = [...cells].filter(([name]) => name !== "ours" && name !== "hand");
  const beside = besideHand(row.source, observed);
  const verdict = judge(ours.median, { is, target, hand: beside, tolerance });
  const fastify = row.fastify === undefined ? undefined : versus(row.fastify, row.source, observed, beside);
  return {
    ...{ id, title, unit, is, target, ours, tolerance, verdict },
    ...(hand === undefined ? {} : { hand }),
    ...(beside === undefined ? {} : { beside }),
    peers: Object.fromEntries(peers),
    ...(fastify === undefined ? {} : { fastify }),
  };
}

/**
 * Ours ÷ Fastify's. Nobody can be asked to be further ahead of Fastify than what is written by hand is; in rows without
 * a hand-written server that is bare node:http.
 */
function versus(
  { is, target }: NonNullable<Row["fastify"]>,
  source: Source,
  observed: Observed,
  beside: Bar["hand"],
): Judged["fastify"] {
  const ours = overFastify(source, observed);
  if (ours === undefined) return undefined;
  const tolerance = toleranceVersus(source, observed, target);
  const hand = beside ?? (source.kind === "ratio" ? compared("bare", source, observed) : undefined);
  return { is, target, ours, verdict: judge(ours.median, { is, target, hand, tolerance }) };
}

/** What the control strayed by, in the unit of ours ÷ Fastify's. */
function toleranceVersus(source: Source, observed: Observed, target: number): number {
  if (source.kind === "ratio" || source.kind === "p99") return toleranceOf(source, observed) * target;
  const fastify = source.kind === "own" ? ownCells(source.feature, observed).get("fastify") : undefined;
  return fastify === undefined ? 0 : Math.abs(toleranceOf(source, observed) / fastify.median);
}

/** Our figure ÷ Fastify's: of two in one list, of two differences, of whole start-up times. */
function overFastify(source: Source, observed: Observed): Cell | undefined {
  if (source.kind === "micro" || source.kind === "growth") return undefined;
  if (source.kind === "own") {
    const cells = ownCells(source.feature, observed);
    const [own, fastify] = [cells.get("ours")?.median, cells.get("fastify")?.median];
    return own === undefined || fastify === undefined ? undefined : cellOf([[own / fastify]]);
  }
  if (source.kind === "footprint") {
    const [own, fastify] = ["ours", "fastify"].map((one) => observed.footprints.get(one)?.[source.id]);
    return own === undefined || fastify === undefined ? undefined : quotient(own, fastify);
  }
  for (const measured of parts(source.list, observed)) {
    const own = costOf(measured, source.of, source);
    const fastify = costOf(measured, "fastify", source);
    if (own.length === 0 || fastify.length === 0) continue;
    return source.kind === "ratio" ? quotient(fastify, own) : quotient(own, fastify);
  }
  return undefined;
}

/** The figure of every server that has one in this row: "ours", "hand", and peers by name. */
function cellsOf(source: Source, observed: Observed): ReadonlyMap<string, Cell> {
  switch (source.kind) {
    case "ratio":
    case "p99":
    case "growth":
      return listCells(source, observed);
    case "own":
      return ownCells(source.feature, observed);
    case "micro": {
      const cell = observed.micro[source.id]?.ns;
      return new Map(cell === undefined ? [] : [["ours", cell]]);
    }
    case "footprint":
      return footprintCells(source.id, observed.footprints);
  }
}

function listCells(source: ListSource, observed: Observed): ReadonlyMap<string, Cell> {
  const { kind, list, of, base } = source;
  const found = new Map<string, Cell>();
  for (const measured of parts(list, observed)) {
    const reference = costOf(measured, base, source);
    for (const name of measured.keys()) {
      if (name === base || name.endsWith("twin") || (base !== "bare" && name !== of)) continue;
      const own = costOf(measured, name, source);
      const shown = name === of ? "ours" : name;
      if (!found.has(shown)) found.set(shown, kind === "ratio" ? quotient(reference, own) : quotient(own, reference));
    }
  }
  return found;
}

/** µs above the same server without the feature, scaled to the speed that bare node:http had in our own list. */
function ownCells(feature: string, observed: Observed): ReadonlyMap<string, Cell> {
  const cpu = (list: string, name: string): Values =>
    valuesOf(observed.lists.get(list) ?? new Map(), name, ({ cpuUs }) => cpuUs);
  const found = new Map<string, Cell>();
  for (const [name, list, plain] of [
    ["ours", "alone-ours", "plain"],
    ["hand", "alone-hand", "bare"],
    ["fastify", "alone-fastify", "plain"],
  ] as const) {
    const [values, without] = [cpu(list, feature), cpu(list, plain)];
    if (values.length === 0 || without.length === 0) continue;
    const scale = bareUs("alone-ours", observed) / bareUs(list, observed);
    found.set(name, difference(values, without, scale));
  }
  return found;
}

/** What bare node:http takes in a list when nothing disturbs. */
const bareUs = (list: string, { lists }: Observed): number =>
  undisturbed(valuesOf(lists.get(list) ?? new Map(), "bare", ({ cpuUs }) => cpuUs).flat());

function footprintCells(id: keyof Footprint, footprints: Observed["footprints"]): ReadonlyMap<string, Cell> {
  const bare = footprints.get("bare")?.[id] ?? [];
  const others = [...footprints].filter(([name]) => name !== "bare" && name !== "twin");
  return new Map(others.map(([name, values]) => [name, difference(values[id], bare, 1)]));
}

/** What the control strayed by, in the unit of the row: an identical twin of what the row is held against, else of bare. */
function toleranceOf(source: Source, { lists, footprints, micro }: Observed): number {
  if (source.kind === "micro") return mean((micro[source.control]?.ns.runs ?? []).map(Math.abs));
  if (source.kind === "footprint") {
    const [bare, twin] = [footprints.get("bare")?.[source.id] ?? [], footprints.get("twin")?.[source.id] ?? []];
    return bare.length === 0 || twin.length === 0 ? 0 : mean(difference(twin, bare, 1).runs.map(Math.abs));
  }
  const measured = lists.get(source.kind === "own" ? "alone-ours" : source.list);
  if (measured === undefined) return 0;
  const base = source.kind !== "own" && measured.has(twinOf(source.base)) ? source.base : "bare";
  const share = strays(measured, base, source);
  return source.kind === "own" ? share * undisturbed(costOf(measured, base, source).flat()) : share;
}

/** The name of a server's identical twin. */
const twinOf = (name: string): string => (name === "bare" ? "twin" : `${name}-twin`);

/** How far the twin of a server strays from it. */
const strays = (measured: Measured, name: string, source: Source): number =>
  deviationOf(quotient(costOf(measured, name, source), costOf(measured, twinOf(name), source)));

/** How much more ours takes than what is written by hand does. */
function besideHand(source: Source, observed: Observed): Bar["hand"] {
  if (source.kind !== "own") return compared("hand", source, observed);
  const cells = ownCells(source.feature, observed);
  const [ours, hand] = [cells.get("ours"), cells.get("hand")];
  if (ours === undefined || hand === undefined) return undefined;
  return { more: ours.median - hand.median, tolerance: toleranceOf(source, observed) };
}

/** By what share ours takes more than another server of its list, round by round, and how far that one's twin strays. */
function compared(name: string, source: Source, { lists }: Observed): Bar["hand"] {
  if (!("list" in source)) return undefined;
  const measured = lists.get(source.list);
  if (!measured?.has(twinOf(name))) return undefined;
  const more = quotient(costOf(measured, source.of, source), costOf(measured, name, source)).median - 1;
  return { more, tolerance: strays(measured, name, source) };
}

const parts = (list: string, { lists }: Observed): readonly Measured[] =>
  [...lists].filter(([id]) => id === list || id.startsWith(`${list}#`)).map(([, measured]) => measured);

/** What a server of a list took, in the row's own coin. */
const costOf = (measured: Measured, name: string, { kind }: Source): Values =>
  valuesOf(measured, name, kind === "p99" ? ({ p99Ms }) => p99Ms : ({ cpuUs }) => cpuUs);

const valuesOf = (measured: Measured, name: string, pick: (slice: Slice) => number): Values =>
  (measured.get(name) ?? []).map((run) => run.map(pick));
