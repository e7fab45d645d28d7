/**
 * The Why tab: the errors of a run and its time, each finding a sentence that leads to its call and line.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { duration } from "../../run/format.ts";
import type { Finding } from "../../run/explain/findings.ts";
import { lastGood } from "../../run/explain/last-good.ts";
import type { Trace } from "../../run/shapes.ts";
import { CallLink, LeafPane } from "../leaves/pane.tsx";
import { Place } from "../page/error-view.tsx";
import { Empty, NoRun } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { findingGroups, wordOf } from "./findings.ts";

/** The Why tab. */
export function Why(): JSX.Element {
  const trace = selection.trace.value;
  const runs = application.traces.value;
  // With live traffic the list of runs changes often, and the run to compare with seldom.
  const good = useMemo(() => trace && lastGood(runs, trace), [trace, runs]);
  const groups = useMemo(() => trace && findingGroups(trace, good ?? undefined), [trace, good]);
  if (!trace || !groups) return <NoRun />;
  return (
    <div class="why">
      {groups.length === 0 && (
        <Empty title="Nothing stands out">
          This run did not fail, nothing in it was repeated, and no call took a large share of its time.
        </Empty>
      )}
      {groups.map(({ title, findings }) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul>
            {findings.map((finding, at) => (
              <Row key={at} finding={finding} trace={trace} />
            ))}
          </ul>
        </section>
      ))}
      {good && <Compared good={good} trace={trace} />}
      <LeafPane />
    </div>
  );
}

function Row({ finding, trace }: { readonly finding: Finding; readonly trace: Trace }): JSX.Element {
  const { kind, message, call, leafId, frame, code, costUs } = finding;
  const leaf = trace.leaves.find(({ id }) => id === leafId);
  const caller = call ?? trace.calls.find(({ id }) => id === leaf?.parentId);
  const show = (): void => {
    if (leaf) selection.selectLeaf(leaf, caller);
    else if (call) selection.showCall(call);
  };
  return (
    <li class="finding" data-kind={kind}>
      <b class="finding-kind">{wordOf(finding)}</b>
      <div>
        {leaf || call ? (
          <button type="button" class="finding-text" onClick={show} title="Shows it in the graph">
            {message}
          </button>
        ) : (
          <p class="finding-text">{message}</p>
        )}
        {(call || frame) && (
          <p class="hint">
            {call && <CallLink call={call} />}
            {call && frame && " at "}
            {frame && <Place of={frame} />}
          </p>
        )}
        {code !== null && <code class="finding-code">{code}</code>}
      </div>
      <span class="num">{costUs === null ? "" : duration(costUs)}</span>
    </li>
  );
}

/** The run that this one was compared with, and the way to see both side by side. */
function Compared({ good, trace }: { readonly good: Trace; readonly trace: Trace }): JSX.Element {
  const compare = (): void => {
    selection.clearMarks();
    selection.mark("a", good);
    selection.mark("b", trace);
  };
  return (
    <p class="hint">
      Compared with the last run of the same request that worked, at {new Date(good.startedAt).toLocaleTimeString()}.{" "}
      <button type="button" class="link" onClick={compare}>
        Open both in Compare
      </button>
    </p>
  );
}
