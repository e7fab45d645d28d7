/**
 * Stretches of time: where none of some others was running. Pure.
 */

/** A stretch of a run, in microseconds from its start. */
export interface Span {
  readonly startUs: number;
  readonly endUs: number;
}

/** The parts between `fromUs` and `toUs` in which none of these was running, in the order of time. */
export function gapsBetween(busy: readonly Span[], fromUs: number, toUs: number): Span[] {
  const gaps: Span[] = [];
  let reachedUs = fromUs;
  for (const { startUs, endUs } of busy.toSorted((a, b) => a.startUs - b.startUs)) {
    const until = Math.min(startUs, toUs);
    if (until > reachedUs) gaps.push({ startUs: reachedUs, endUs: until });
    reachedUs = Math.max(reachedUs, endUs);
  }
  if (toUs > reachedUs) gaps.push({ startUs: reachedUs, endUs: toUs });
  return gaps;
}

/** These in one row of time: those that overlap or touch are one. */
export function merged(spans: readonly Span[]): Span[] {
  const rows: { startUs: number; endUs: number }[] = [];
  for (const { startUs, endUs } of spans.toSorted((a, b) => a.startUs - b.startUs)) {
    const last = rows.at(-1);
    if (last && startUs <= last.endUs) last.endUs = Math.max(last.endUs, endUs);
    else rows.push({ startUs, endUs });
  }
  return rows;
}
