/**
 * The Logs tab: the lines that the run wrote, with the call that wrote each.
 */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { count, duration, grouped } from "../../run/format.ts";
import { VirtualRows } from "../page/virtual-rows.tsx";
import { Empty, NoRun } from "../page/widgets.tsx";
import { selection, time } from "../store/page-store.ts";
import { linesWith, logLines, type LogLine } from "./log-lines.ts";
import { CallLink, LeafPane } from "./pane.tsx";

const ROW = 26;

/** The Logs tab. */
export function Logs(): JSX.Element {
  const trace = selection.whole.value;
  const text = useSignal("");
  const lines = useMemo(() => (trace ? logLines(trace) : []), [trace]);
  const shown = useMemo(() => linesWith(lines, text.value), [lines, text.value]);
  if (!trace) return <NoRun />;
  if (lines.length === 0)
    return (
      <Empty title="No log lines">
        This run wrote none by <code>ctx.log</code> or a recorded logger.
      </Empty>
    );
  return (
    <div class="logs">
      <div class="panel-bar">
        <input
          type="search"
          aria-label="Filter log lines"
          placeholder="Filter: text, level, field"
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <span role="status" class="muted">
          {shown.length === lines.length
            ? count(lines.length, "line")
            : `${grouped(shown.length)} of ${count(lines.length, "line")}`}
        </span>
      </div>
      {shown.length === 0 && <Empty title="No line has this text">Change the filter.</Empty>}
      <div
        class="log-table"
        role="table"
        aria-label="Log lines"
        aria-rowcount={shown.length + 1}
        hidden={shown.length === 0}
      >
        <div class="log-row head" role="row">
          <span role="columnheader">At</span>
          <span role="columnheader">Level</span>
          <span role="columnheader">Message</span>
          <span role="columnheader">Written by</span>
        </div>
        <VirtualRows
          length={shown.length}
          height={ROW}
          before={1}
          row={(index, tab) => {
            const line = shown[index];
            return line ? <Line key={line.leaf.id} line={line} index={index} tab={tab} /> : null;
          }}
        />
      </div>
      <LeafPane />
    </div>
  );
}

function Line(props: { readonly line: LogLine; readonly index: number; readonly tab: boolean }): JSX.Element {
  const { leaf, caller, fields } = props.line;
  const { level, message } = leaf.detail;
  const open = (): void => selection.selectLeaf(leaf, caller);
  return (
    <div
      class="log-row"
      role="row"
      tabIndex={props.tab ? 0 : -1}
      aria-rowindex={props.index + 2}
      data-leaf={leaf.id}
      data-level={level}
      data-later={leaf.startUs > (time.at.value ?? Infinity) ? "" : undefined}
      data-current={selection.leafId.value === leaf.id ? "" : undefined}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget) open();
      }}
    >
      <span role="cell" class="num muted">
        +{duration(leaf.startUs)}
      </span>
      <span role="cell">
        <b class="level">{level}</b>
      </span>
      <span role="cell" class="cut" title={message}>
        {message} <code class="muted">{fields}</code>
      </span>
      <span role="cell" class="cut">
        {caller ? (
          <CallLink call={caller} more={{ tabIndex: -1, title: "Opens the call" }} />
        ) : (
          <span class="muted">the request</span>
        )}
      </span>
    </div>
  );
}
