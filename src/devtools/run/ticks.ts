/**
 * The marks of an axis of time.
 */

/** A part of a run, in microseconds after its start. */
interface Stretch {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Round marks in a window, so that `most` of them have room, in steps of 1, 2 or 5. */
export function ticks({ fromUs, toUs }: Stretch, most = 5): number[] {
  const raw = Math.max(1, toUs - fromUs) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? raw;
  const first = Math.ceil(fromUs / step);
  return Array.from({ length: Math.max(0, Math.floor(toUs / step) - first + 1) }, (_, i) => (first + i) * step);
}
