/**
 * The Why tab: the findings about a run, each a sentence with a sign that leads to its call, line and place in the graph, and
 * where the run's time went.
 */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { clock, duration } from "../../run/format.ts";
import { isSameRequest } from "../../run/explain/last-good.ts";
import type { WhyRow } from "../../run/explain/why.ts";
import type { Trace } from "../../run/shapes.ts";
import { CallLink, LeafPane } from "../leaves/pane.tsx";
import { Place } from "../page/error-view.tsx";
import { Empty, Failure, NoRun } from "../page/widgets.tsx";
import { selection } from "../store/page-store.ts";
import { Trail } from "./trail.tsx";
import { WhereTimeWent } from "./where.tsx";
import { why } from "./page-why.ts";
import type { Explained } from "./why.ts";

/** The Why tab. */
export function Why(): JSX.Element {
  useEffect(() => why.follow(), []);
  const trace = selection.whole.value;
  const failure = why.failure.value;
  const explained = why.explained.value;
  if (!trace) return <NoRun />;
  return (
    <div class="why">
      <Trail />
      <Failure reason={failure && `The application has not explained this run: ${failure}`} />
      {failure === null &&
        (explained ? (
          <Explanation of={explained} isPast={explained.run !== trace} />
        ) : (
          <p class="hint">Reading the run…</p>
        ))}
      <LeafPane />
    </div>
  );
}

/** @param props.isPast whether that of the selected run has not arrived yet */
function Explanation(props: { readonly of: Explained; readonly isPast: boolean }): JSX.Element {
  const { run, good, why: found } = props.of;
  return (
    <div class="why" inert={props.isPast} aria-busy={props.isPast}>
      {found.rows.length === 0 ? (
        <Empty title="Nothing stands out">It did not fail, and nothing in it was repeated or slow.</Empty>
      ) : (
        <ul class="findings" aria-label="Findings">
          {found.rows.map((row, at) => (
            <Row key={at} row={row} trace={run} />
          ))}
        </ul>
      )}
      {good && <Compared good={good} trace={run} />}
      <WhereTimeWent trace={run} why={found} />
    </div>
  );
}

function Row({ row, trace }: { readonly row: WhyRow; readonly trace: Trace }): JSX.Element {
  const { kind, sign, word, message, detail, callId, leafId, frame, code, costUs } = row;
  const call = trace.calls.find(({ id }) => id === callId) ?? null;
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
      {clock(good.startedAt)}.{" "}
      <button type="button" class="link" onClick={compare}>
        Open both in Compare
      </button>
    </p>
  );
}
