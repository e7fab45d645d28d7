/**
 * The Why tab: the findings about a run, each a sentence with a sign that leads to its call, line and place in the graph, and
 * where the run's time went.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { duration } from "../../run/format.ts";
import { hasFailed, isSameRequest, lastGood } from "../../run/explain/last-good.ts";
import type { Trace } from "../../run/shapes.ts";
import { CallLink, LeafPane } from "../leaves/pane.tsx";
import { Place } from "../page/error-view.tsx";
import { Empty, NoRun } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { findingRows, type FindingRow } from "./findings.ts";
import { Trail } from "./trail.tsx";
import { WhereTimeWent } from "./where.tsx";

const none: readonly Trace[] = [];

/** The Why tab. */
export function Why(): JSX.Element {
  const trace = selection.whole.value;
  const own = selection.ownPart.value ?? undefined;
  const runs = application.traces.value;
  // With live traffic the list of runs changes often, and the run to compare with seldom.
  const good = useMemo(() => trace && lastGood(runs, trace), [trace, runs]);
  // Only a run that failed is compared with those at the same time.
  const others = trace && hasFailed(trace) ? runs : none;
  const rows = useMemo(() => trace && findingRows(trace, good ?? undefined, others, own), [trace, good, others]);
  if (!trace || !rows) return <NoRun />;
  return (
    <div class="why">
      <Trail />
      {rows.length === 0 ? (
        <Empty title="Nothing stands out">
          This run did not fail, nothing in it was repeated, and no call took a large share of its time.
        </Empty>
      ) : (
        <ul class="findings" aria-label="Findings">
          {rows.map((row, at) => (
            <Row key={at} row={row} trace={trace} />
          ))}
        </ul>
      )}
      {good && <Compared good={good} trace={trace} />}
      <WhereTimeWent trace={trace} />
      <LeafPane />
    </div>
  );
}

function Row({
  row: { finding, sign, word },
  trace,
}: {
  readonly row: FindingRow;
  readonly trace: Trace;
}): JSX.Element {
  const { kind, message, detail, call, leafId, frame, code, costUs } = finding;
  const leaf = trace.leaves.find(({ id }) => id === leafId);
  const caller = call ?? trace.calls.find(({ id }) => id === leaf?.parentId);
  const show = (): void => {
    if (leaf) selection.selectLeaf(leaf, caller);
    else if (call) selection.showCall(call);
  };
  const isSelected = leaf ? selection.leafId.value === leaf.id : call !== null && selection.callId.value === call.id;
  return (
    <li class="finding" data-kind={kind} data-selected={isSelected ? "" : undefined}>
      <b class="finding-sign" title={word}>
        {sign}
      </b>
      <div>
        {leaf || call ? (
          <button type="button" class="finding-text" onClick={show} title="Shows it in the graph">
            {message}
          </button>
        ) : (
          <p class="finding-text">{message}</p>
        )}
        <p class="hint">
          {caller && <CallLink call={caller} />}
          {frame && (
            <>
              {caller && " at "}
              <Place of={frame} />
            </>
          )}
          {costUs !== null && <span class="num">{duration(costUs)}</span>}
          {detail !== "" && <span>{detail}</span>}
        </p>
        {code !== null && <code class="finding-code">{code}</code>}
      </div>
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
      Compared with the last run of {isSameRequest(good, trace) ? "the same request" : "this route"} that worked, at{" "}
      {new Date(good.startedAt).toLocaleTimeString()}.{" "}
      <button type="button" class="link" onClick={compare}>
        Open both in Compare
      </button>
    </p>
  );
}
