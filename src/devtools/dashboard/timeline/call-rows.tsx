/**
 * A call, and equal calls in a row, as rows of the timeline.
 */

import type { ComponentChildren, JSX } from "preact";
import type { TimelineRow } from "../../run/timeline-rows.ts";
import { duration, grouped } from "../../run/format.ts";
import type { Call, Leaf, Trace } from "../../run/shapes.ts";
import { selection } from "../store/page-store.ts";
import { CallBar, FoldBar } from "./bar-view.tsx";
import { SlowFlag } from "./leaf-row.tsx";
import { Flag, Took, TimeRow, type RowPlace } from "./time-row.tsx";
import { indentOf, type TimelineFold } from "./timeline.ts";

/** The name of a call, indented by its depth, with marks after it. Of a long name the bean's part is cut, not the method's. */
function NameCell(props: {
  readonly call: Call;
  readonly times?: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { call, times } = props;
  return (
    <span
      role="cell"
      class="call-name"
      style={{ paddingLeft: `${indentOf(call)}px` }}
      title={`${call.declaredBy}.${call.method}`}
    >
      <i />
      <span>
        <span class="cut">{selection.beanName(call.bean)}</span>
        <span class="whole">
          .<b>{call.method}</b>
          {times !== undefined && ` ${grouped(times)}×`}
        </span>
      </span>
      {props.children}
    </span>
  );
}

/** Equal calls in one line; opens on click, Enter or Space. */
export function FoldRow(props: {
  readonly fold: TimelineFold;
  readonly leaves: readonly Leaf[];
  readonly trace: Trace;
  readonly place: RowPlace;
  readonly onToggle: () => void;
}): JSX.Element | null {
  const { fold, place, onToggle } = props;
  const [first] = fold.rows;
  if (!first) return null;
  const { call } = first;
  const { startUs, endUs } = fold;
  return (
    <TimeRow
      kind="fold"
      place={place}
      marks={{ "data-fold": fold.key, "data-stereotype": call.stereotype }}
      onOpen={onToggle}
      onSpace={onToggle}
      self={<Took us={fold.selfUs} sum />}
      whole={<Took us={fold.totalUs} sum />}
      says={`from ${duration(startUs)} to ${duration(endUs)}`}
      bars={
        <FoldBar
          fold={fold}
          leaves={props.leaves}
          trace={props.trace}
          width={place.width}
          isCritical={fold.rows.some((row) => row.critical)}
        />
      }
    >
      <NameCell call={call} times={fold.rows.length}>
        <button type="button" class="flag calm" tabIndex={-1} aria-expanded={fold.open}>
          {fold.open ? "fold" : "show"}
        </button>
      </NameCell>
    </TimeRow>
  );
}

const besideText = (beside: number): string => (beside === 0 ? "" : `, side by side with ${beside} more`);

/** One call. A click opens it in the Bean tab. */
export function CallRow(props: {
  readonly row: TimelineRow;
  /** The calls and leaves directly below it. */
  readonly below: readonly (Call | Leaf)[];
  /** Its leaves, if they have no rows of their own. */
  readonly leaves: readonly Leaf[];
  /** How many of its siblings ran beside it. */
  readonly beside: number;
  readonly trace: Trace;
  readonly place: RowPlace;
  /** Shows and hides its leaves. Undefined without any. */
  readonly onTurn: (() => void) | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { row, place } = props;
  const { call, repeat, totalUs } = row;
  const open = (): void => {
    selection.selectBean(call.bean, call.id);
    // This table disappears with that, so the focus moves to the panel that replaces it.
    requestAnimationFrame(() => document.getElementById("panel-node")?.focus());
  };
  return (
    <TimeRow
      place={place}
      marks={{
        "data-call": call.id,
        "data-stereotype": call.stereotype,
        "data-current": selection.callId.value === call.id ? "" : undefined,
      }}
      onOpen={open}
      onSpace={props.onTurn}
      self={<Took us={row.selfUs} />}
      whole={<Took us={totalUs} />}
      says={`starts at ${duration(call.startUs)}${row.critical ? ", on the critical path" : ""}${besideText(props.beside)}`}
      bars={
        <CallBar
          call={call}
          below={props.below}
          leaves={props.leaves}
          trace={props.trace}
          width={place.width}
          isCritical={row.critical}
        />
      }
    >
      <NameCell call={call}>
        {call.error && (
          <Flag isError means={`${call.error.name}: ${call.error.message}`}>
            {row.threw ? "! threw" : "!"}
          </Flag>
        )}
        <SlowFlag us={totalUs} />
        {row.retry && (
          <Flag means={`Attempt ${row.retry.attempt} of ${row.retry.attempts}: called again after an error`}>
            attempt {row.retry.attempt}/{row.retry.attempts}
          </Flag>
        )}
        {repeat && (
          <Flag means={`The same arguments ${repeat.count} times; the repeats took ${duration(repeat.repeatsUs)}`}>
            {repeat.index}/{repeat.count}
          </Flag>
        )}
        {props.children}
      </NameCell>
    </TimeRow>
  );
}
