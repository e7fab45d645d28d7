/**
 * The notes below the rows of the timeline: repeated work, and missing parts.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { repeatsOf, retriesOf, type TimelineRow } from "../../run/calls.ts";
import type { Trace } from "../../run/shapes.ts";
import type { Alike } from "../../run/explain/alike.ts";
import { count, duration, grouped } from "../../run/format.ts";
import { selection } from "../store/page-store.ts";

const NAMED = 3;

/** Repeated calls, and their cost. */
export function Repeats({ rows }: { readonly rows: readonly TimelineRow[] }): JSX.Element | null {
  const repeats = useMemo(() => repeatsOf(rows), [rows]);
  if (repeats.length === 0) return null;
  const words = repeats
    .slice(0, NAMED)
    .map((r) => `${selection.beanName(r.bean)}.${r.method}() ${r.count}×, the repeats ${duration(r.repeatsUs)} in sum`);
  return (
    <p class="notice">
      Called again with the same arguments: {words.join("; ")}
      {repeats.length > NAMED && ` and ${repeats.length - NAMED} more`}
    </p>
  );
}

/** Calls that were tried again after they threw, and the cost. */
export function Retries({ rows }: { readonly rows: readonly TimelineRow[] }): JSX.Element | null {
  const retries = useMemo(() => retriesOf(rows), [rows]);
  if (retries.length === 0) return null;
  const words = retries.slice(0, NAMED).map(({ bean, method, attempts, retriesUs, failed }) => {
    const end = failed ? ", none succeeded" : "";
    return `${selection.beanName(bean)}.${method}() ${count(attempts, "attempt")}${end}, those after the first ${duration(retriesUs)} in sum`;
  });
  return (
    <p class="notice">
      Tried again after an error: {words.join("; ")}
      {retries.length > NAMED && ` and ${retries.length - NAMED} more`}
    </p>
  );
}

const GROUPS = 10;

/** Statements that could be one. */
export function AlikeStatements({ alike }: { readonly alike: readonly Alike[] }): JSX.Element | null {
  if (alike.length === 0) return null;
  const wastedUs = alike.reduce((sum, one) => sum + one.wastedUs, 0);
  return (
    <details class="notice">
      <summary>
        {alike.every(({ isEqual }) => isEqual)
          ? `${count(alike.length, "statement")} sent again and again with the same values`
          : `N+1: ${count(alike.length, "statement")} sent again and again with other values`}
        , {duration(wastedUs)} in repeats
      </summary>
      {alike.slice(0, GROUPS).map((one) => (
        <p key={one.ids[0]}>
          {one.bean === null ? "the request" : selection.beanName(one.bean)} {one.ids.length}× {duration(one.wastedUs)}{" "}
          <code>{one.statement.slice(0, 160)}</code>
        </p>
      ))}
      {alike.length > GROUPS && <p>{count(alike.length - GROUPS, "more statement")}</p>}
    </details>
  );
}

/** The missing parts, and why. */
export function Dropped({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const { droppedCalls, droppedLeaves } = trace;
  return (
    <>
      {droppedCalls > 0 && <DroppedCalls trace={trace} />}
      {droppedLeaves > 0 && (
        <p class="notice">
          {count(droppedLeaves, "statement, request or log line", "statements, requests and log lines")} more are not
          kept: over <code>limits.leavesPerTrace</code>, or begun after the run was over.
        </p>
      )}
    </>
  );
}

function DroppedCalls({ trace }: { readonly trace: Trace }): JSX.Element {
  const { droppedCalls, callLimit, calls } = trace;
  if (callLimit === undefined)
    return (
      <p class="notice">
        {count(droppedCalls, "call")} begun after the run was over: {droppedCalls === 1 ? "it is" : "they are"} counted,
        not kept.
      </p>
    );
  return (
    <p class="notice">
      The first {count(calls.length, "call")} are kept, {grouped(droppedCalls)} more are not, and the times above are
      without them. The bound is <code>Devtools.create({`{ limits: { callsPerTrace: ${callLimit} } }`})</code>.
    </p>
  );
}
