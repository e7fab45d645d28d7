/**
 * The notes below the rows of the timeline: repeated work, and missing parts.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { leafRetriesOf, repeatsOf, retriesOf, type Retry } from "../../run/retries.ts";
import type { Call, Trace } from "../../run/shapes.ts";
import { leafText } from "../../run/spent.ts";
import type { Alike } from "../../run/explain/alike.ts";
import { count, duration, grouped } from "../../run/format.ts";
import { selection } from "../store/page-store.ts";

const NAMED = 3;

/** Repeated calls, and their cost. */
export function Repeats({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const repeats = useMemo(() => repeatsOf(trace), [trace]);
  return (
    <Named
      what="Called again with the same arguments"
      words={repeats.map(
        ({ calls, costUs }) => `${nameOf(calls[0])} ${calls.length}×, the repeats ${duration(costUs)} in sum`,
      )}
    />
  );
}

/** Calls and operations that were tried again after they failed, and the cost. */
export function Retries({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const words = useMemo(() => {
    const wordsOf = (name: string, { attempts, hasWorked, costUs }: Retry<unknown>): string =>
      `${name} ${count(attempts.length, "attempt")}${hasWorked ? "" : ", none succeeded"}, ${duration(costUs)} until the last`;
    return [
      ...retriesOf(trace).map((one) => wordsOf(nameOf(one.attempts[0]), one)),
      ...leafRetriesOf(trace).map((one) => wordsOf(one.attempts[0] ? leafText(one.attempts[0]) : "", one)),
    ];
  }, [trace]);
  return <Named what="Tried again after an error" words={words} />;
}

const nameOf = (call: Call | undefined): string => (call ? `${selection.beanName(call.bean)}.${call.method}()` : "");

/** The first of them in a sentence. */
function Named({ what, words }: { readonly what: string; readonly words: readonly string[] }): JSX.Element | null {
  if (words.length === 0) return null;
  return (
    <p class="notice">
      {what}: {words.slice(0, NAMED).join("; ")}
      {words.length > NAMED && ` and ${words.length - NAMED} more`}
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
