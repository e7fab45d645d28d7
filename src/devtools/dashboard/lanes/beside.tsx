/**
 * Interleaved with: the selected run that failed, and the runs that called the same bean between its read and its write.
 */

import type { JSX } from "preact";
import { endOf as endOfCall } from "../../run/calls.ts";
import { interleavedFindings, type Interleaving } from "../../run/explain/interleaved.ts";
import { count, duration, shownPath, traceKey } from "../../run/format.ts";
import type { Call, Trace } from "../../run/shapes.ts";
import { ticks } from "../../run/ticks.ts";
import { Method, Status } from "../page/widgets.tsx";
import { panels, selection } from "../store/page-store.ts";
import { endOf, exact } from "./layout.ts";
import { lanes } from "./page-lanes.ts";

/** The most runs beside it that are drawn. */
const MOST = 4;

/** The part of the axis that has room for marks. */
const AXIS = 0.94;
/** A call that takes a smaller part of the time has no room for its name, and one after such a part none to its right. */
const NARROW = 0.08;
const LATE = 0.85;

/** Where the name of a call is, if not in it. */
function nameAt(run: Trace, call: Call, from: number, to: number): "before" | "after" | undefined {
  if ((call.durationUs ?? 0) / 1_000 > NARROW * (to - from)) return undefined;
  return run.startedAt + call.startUs / 1_000 > from + LATE * (to - from) ? "before" : "after";
}

/** Nothing without an interleaving. */
export function Beside(): JSX.Element | null {
  const trace = selection.trace.value;
  const found = trace && lanes.interleavings.value.get(traceKey(trace));
  return found ? <Interleaved trace={trace} found={found} /> : null;
}

function Interleaved(props: { readonly trace: Trace; readonly found: readonly Interleaving[] }): JSX.Element {
  const { trace, found } = props;
  const bean = found[0]?.write.bean ?? "";
  const others = [...new Set(found.filter(({ write }) => write.bean === bean).map(({ run }) => run))];
  const [first] = others;
  const shown = [trace, ...others.slice(0, MOST)];
  const from = shown.reduce((least, { startedAt }) => Math.min(least, startedAt), Infinity);
  const to = shown.reduce((most, run) => Math.max(most, endOf(run)), from + 1);
  const us = (to - from) * 1_000;
  const [said] = interleavedFindings(trace, others);
  return (
    <section class="lanes-beside" aria-label="Interleaved with">
      <div class="zone-head">
        <h2>Interleaved with</h2>
        <span class="muted">
          {count(others.length, "run")} on <b>{selection.beanName(bean)}</b>
        </span>
        <span class="grow" />
        <button type="button" class="quiet" onClick={() => (panels.place.value = "inspect")}>
          Inspect this run
        </button>
        {first && (
          <button type="button" class="quiet" onClick={() => compare(first, trace)}>
            Compare with {exact(first.startedAt)}
          </button>
        )}
      </div>
      <ul class="lanes-runs">
        <li aria-hidden="true">
          <span />
          <span class="lanes-axis">
            {ticks({ fromUs: 0, toUs: AXIS * us }).map((at) => (
              <i key={at} class="lanes-mark" style={{ left: `${(100 * at) / us}%` }}>
                {duration(at)}
              </i>
            ))}
          </span>
        </li>
        {shown.map((run) => (
          <Row key={traceKey(run)} run={run} isThis={run === trace} bean={bean} from={from} to={to} />
        ))}
      </ul>
      {said && (
        <p class="lanes-sentence">
          {said.message[0]?.toUpperCase()}
          {said.message.slice(1)}, in the run that began at {exact(others[0]?.startedAt ?? 0)}.
        </p>
      )}
    </section>
  );
}

function compare(other: Trace, trace: Trace): void {
  selection.clearMarks();
  selection.mark("a", other);
  selection.mark("b", trace);
  panels.place.value = "inspect";
}

function Row(props: {
  readonly run: Trace;
  readonly isThis: boolean;
  readonly bean: string;
  readonly from: number;
  readonly to: number;
}): JSX.Element {
  const { run, isThis, from, to } = props;
  const place = (start: number, end: number): { left: string; width: string } => ({
    left: `${(100 * (start - from)) / (to - from)}%`,
    width: `${(100 * (end - start)) / (to - from)}%`,
  });
  const placeOf = (call: Call): { left: string; width: string } =>
    place(run.startedAt + call.startUs / 1_000, run.startedAt + endOfCall(call, run) / 1_000);
  return (
    <li>
      <span>
        <Method name={run.method} /> <code>{shownPath(run.path)}</code> <Status code={run.status} of={run.kind} />
        <small class="muted">
          {exact(run.startedAt)}, {isThis ? "this run" : duration(run.durationUs)}
        </small>
      </span>
      <span class="lanes-track">
        <i style={place(run.startedAt, endOf(run))} />
        {run.calls
          .filter(({ bean }) => bean === props.bean)
          .map((call) => (
            <b
              key={call.id}
              data-stereotype={call.stereotype}
              data-name={nameAt(run, call, from, to)}
              data-failed={call.error ? "" : undefined}
              title={`.${call.method}, ${duration(call.durationUs)}, ${duration((run.startedAt - from) * 1_000 + call.startUs)} after the first`}
              style={placeOf(call)}
            >
              <span>.{call.method}</span>
            </b>
          ))}
      </span>
    </li>
  );
}
