/**
 * The time of a run on its path: what each edge leads to, each bean's own time, and what is on the critical path. Pure.
 *
 *   path, trace ──▶ edges: the calls along each, their share of the run │ beans: the share of own time
 */

import { byParent, endOf } from "../../run/calls.ts";
import { criticalPath } from "../../run/critical-path.ts";
import type { Trace } from "../../run/shapes.ts";
import { gapsBetween, merged, type Span } from "../../run/spans.ts";
import type { RunPath } from "../store/path.ts";

/** The time behind an edge. */
export interface EdgeTime {
  /** The calls along it, in entry order. */
  readonly calls: readonly Span[];
  /** For which share of the run at least one of them was running, from 0 to 1. */
  readonly share: number;
  readonly isCritical: boolean;
}

/** The time of a bean. */
export interface BeanTime {
  /** For which share of the run it worked itself or waited for no other bean, from 0 to 1. */
  readonly ownShare: number;
  readonly isCritical: boolean;
}

/** The times of a run's path, by the keys of its edges and the ids of its beans. */
export interface RunTime {
  readonly edges: ReadonlyMap<string, EdgeTime>;
  readonly beans: ReadonlyMap<string, BeanTime>;
}

/** The times of a path. */
export function runTime(trace: Trace, path: RunPath): RunTime {
  const critical = new Set(criticalPath(trace).map(({ callId }) => callId));
  const spanOf = (call: Trace["calls"][number]): Span => ({ startUs: call.startUs, endUs: endOf(call, trace) });
  const shareOf = (spans: readonly Span[]): number => {
    const us = merged(spans).reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0);
    return Math.min(1, us / Math.max(1, trace.durationUs));
  };
  const along = new Map<string, { calls: Span[]; isCritical: boolean }>();
  const own = new Map<string, { spans: Span[]; isCritical: boolean }>();
  const children = byParent(trace.calls);
  for (const { call, edges } of path.steps) {
    const isCritical = critical.has(call.id);
    for (const key of edges) {
      const known = along.get(key) ?? { calls: [], isCritical: false };
      known.calls.push(spanOf(call));
      known.isCritical ||= isCritical;
      along.set(key, known);
    }
    const bean = own.get(call.bean) ?? { spans: [], isCritical: false };
    const { startUs, endUs } = spanOf(call);
    bean.spans.push(...gapsBetween((children.get(call.id) ?? []).map(spanOf), startUs, endUs));
    bean.isCritical ||= isCritical;
    own.set(call.bean, bean);
  }
  const beans = new Map(
    [...own].map(([id, { spans, isCritical }]) => [id, { ownShare: shareOf(spans), isCritical }] as const),
  );
  // A bean that is not recorded is on the critical path if an edge of it is.
  for (const [key, { isCritical }] of along) {
    const to = path.edges.get(key)?.to;
    if (to !== undefined && !own.has(to))
      beans.set(to, { ownShare: 0, isCritical: isCritical || beans.get(to)?.isCritical === true });
  }
  return { edges: new Map([...along].map(([key, one]) => [key, { ...one, share: shareOf(one.calls) }])), beans };
}

/** A line behind which the whole run is. */
const WIDEST = 12;
/** The least on the critical path, and any other line. */
const NARROW = 2;
const THIN = 1.25;

/** The width of an edge's line, in pixels. */
export function lineWidth({ share, isCritical }: EdgeTime): number {
  return isCritical ? Math.max(NARROW, Math.round(WIDEST * share * 10) / 10) : THIN;
}

/** Less own time is not drawn. */
const LEAST_SHARE = 0.01;

/** The width of a bean's fill in a box of this width. */
export function fillWidth({ ownShare }: BeanTime, width: number): number {
  return ownShare < LEAST_SHARE ? 0 : Math.round(width * ownShare * 10) / 10;
}

/** How far each call along the edge is that runs at this moment, from 0 to 1. */
export function progressAt({ calls }: EdgeTime, us: number): readonly number[] {
  return calls
    .filter(({ startUs, endUs }) => startUs <= us && us < endUs)
    .map(({ startUs, endUs }) => (us - startUs) / (endUs - startUs));
}
