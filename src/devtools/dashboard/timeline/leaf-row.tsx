/**
 * A leaf as a row of the timeline, and the button that shows and hides a call's leaves.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Alike } from "../../run/explain/alike.ts";
import { KINDS, leafText, outcomeOf } from "../../run/spent.ts";
import { duration, grouped } from "../../run/format.ts";
import { Icon } from "../page/icons.tsx";
import { selection } from "../store/page-store.ts";
import type { LeafLine } from "./leaf-lines.ts";
import { LeafBar } from "./bar-view.tsx";
import { Flag, Took, TimeRow, type RowPlace } from "./time-row.tsx";
import { indentOf } from "./timeline.ts";

/** Calls and leaves that take longer are flagged. The server writes its slowMs option into the page. */
export const slowUs = Number(document.documentElement.dataset["slowMs"] ?? Infinity) * 1_000;

/** Shows and hides a call's leaves. */
export function LeafToggle(props: {
  readonly count: number | undefined;
  readonly open: boolean;
  readonly onToggle: () => void;
}): JSX.Element | null {
  if (props.count === undefined) return null;
  return (
    <button
      type="button"
      class="flag calm"
      tabIndex={-1}
      aria-expanded={props.open}
      title={`${props.open ? "Hides" : "Shows"} what it did below the beans`}
      onClick={(event) => {
        event.stopPropagation();
        props.onToggle();
      }}
    >
      {props.open ? "▾" : "▸"} {grouped(props.count)}
    </button>
  );
}

/** Marks a longer duration as slow. */
export function SlowFlag({ us }: { readonly us: number | null }): JSX.Element | null {
  return (us ?? 0) > slowUs ? <Flag means={`Longer than ${duration(slowUs)}`}>slow</Flag> : null;
}

/** A statement, a request, a log line … */
export function LeafRow(props: {
  readonly line: LeafLine;
  /** Similar statements, and which of them this is. */
  readonly mark: { readonly one: Alike; readonly i: number } | undefined;
  readonly place: RowPlace;
  readonly endUs: number;
}): JSX.Element {
  const { line, mark, place } = props;
  const { leaf, caller, depth } = line;
  const { startUs, durationUs, error } = leaf;
  const current = selection.leafId.value === leaf.id;
  const open = (): void => selection.selectLeaf(current ? null : leaf, caller);
  const text = leafText(leaf);
  const element = useRef<HTMLDivElement>(null);
  // The opened leaf is below the rows, and may cover this one.
  useLayoutEffect(() => {
    if (current) element.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <TimeRow
      row={element}
      kind="leaf"
      place={place}
      marks={{ "data-leaf": leaf.id, "data-kind": leaf.kind, "data-current": current ? "" : undefined }}
      onOpen={open}
      onSpace={open}
      self={<span class="muted">{outcomeOf(leaf)}</span>}
      whole={leaf.kind === "log" ? "" : <Took us={durationUs} />}
      says={`starts at ${duration(startUs)}`}
      bars={<LeafBar leaf={leaf} endUs={props.endUs} width={place.width} />}
    >
      <span role="cell" class="call-name" style={{ paddingLeft: `${indentOf({ depth })}px` }} title={text}>
        <Icon name={leaf.kind} />
        <span class="sr">{KINDS[leaf.kind][0]} </span>
        <span class="cut">{text}</span>
        {error && (
          <Flag isError means={`${error.name}: ${error.message}`}>
            ! failed
          </Flag>
        )}
        <SlowFlag us={durationUs} />
        {mark && (
          <Flag means={`${mark.one.ids.length} statements alike; the repeats took ${duration(mark.one.wastedUs)}`}>
            N+1 {mark.i + 1}/{mark.one.ids.length}
          </Flag>
        )}
      </span>
    </TimeRow>
  );
}
