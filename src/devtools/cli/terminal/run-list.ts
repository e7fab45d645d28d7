/**
 * Run list: runs as rows for a terminal, the newest last, where the eye is.
 *
 *   time      run      status   took      request
 *   14:03:07  12       200      12.4 ms   GET /orders/7
 *   14:02:58  7f3a.3   500      6.31 ms   GET /orders/12
 *
 * A run of the current process is named by its number, and one of an earlier process also by the beginning of its instance;
 * `run` accepts both.
 */
import { clock, duration } from "../../run/format.ts";
import { attemptWords } from "../../run/jobs.ts";
import type { SearchHit } from "../../run/shapes.ts";
import { columnsOf, cutTo, printable } from "./printable.ts";
import { toneOf } from "./run-tree.ts";
import type { Screen } from "./screen.ts";

/** The length of an instance's distinctive beginning. */
const ENOUGH = 8;
/** With fewer columns a row begins with the name of the run. */
const NARROW = 56;

/** One row. `current` is the instance of the current process. */
export function runRow(hit: SearchHit, current: string | undefined, { width, paint }: Screen): string {
  const { instance, sequence, status, durationUs, method, path, startedAt, job } = hit;
  const name = instance === current ? `${sequence}` : `${instance.slice(0, ENOUGH)}.${sequence}`;
  const took = duration(durationUs).padStart(9);
  // A narrow screen has no room for the time.
  const time = width < NARROW ? "" : `${clock(startedAt)}  `;
  const before = `${time}${printable(name).padEnd(6)}  `;
  const taken = columnsOf(before) + columnsOf(took) + 7;
  const rest = cutTo(
    printable(`${method} ${path}${job === undefined ? "" : ` ${attemptWords(job)}`}`),
    Math.max(0, width - taken),
  );
  return `${paint("muted", before)}${paint(toneOf(status), String(status))}  ${took}  ${rest}`;
}
