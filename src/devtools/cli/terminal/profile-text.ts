/**
 * Profile text: the lines of a profiled run, as a table.
 *
 *   55.8 ms   36 %  Work.later  later at work.ts:30
 */
import { duration, size } from "../../run/format.ts";
import { nameOf } from "../../run/explain/findings.ts";
import { placeText, profileRows } from "../../run/profile.ts";
import type { Trace } from "../../run/shapes.ts";
import { cutTo, printable } from "./printable.ts";
import type { Screen } from "./screen.ts";

const ALLOCATIONS = 5;

/** The lines of a profiled run. */
export function profileLines(trace: Trace, { width }: Pick<Screen, "width">): readonly string[] {
  const { ownUs = 0, otherUs = 0, allocations = [] } = trace.profile ?? {};
  const rows = profileRows(trace).map(({ line, call, share }) => {
    const time = `${duration(line.us).padStart(8)} ${`${Math.round(share * 100)} %`.padStart(6)}`;
    return `${time}  ${call === undefined ? "the handler" : nameOf(call)}  ${placeText(line)}`;
  });
  const allocated = allocations
    .slice(0, ALLOCATIONS)
    .map((one) => `${size(one.bytes).padStart(15)}  ${placeText(one)}`);
  const head = `${duration(ownUs)} of the processor for this run, ${duration(otherUs)} for others`;
  return [head, ...rows, ...(allocated.length === 0 ? [] : ["allocated"]), ...allocated].map((line) =>
    cutTo(printable(line), width),
  );
}
