/**
 * A row of the timeline: its name, its own time, its whole time, and its place in the run.
 */

import type { ComponentChildren, JSX, RefObject } from "preact";
import { onKeys } from "../page/on-keys.ts";

/** The place of a row among the rows, and the duration of the whole run. */
export interface RowPlace {
  readonly index: number;
  /** Whether Tab leads here. */
  readonly tab: boolean;
  readonly totalUs: number;
}

interface CellsProps {
  readonly self: ComponentChildren;
  readonly whole: ComponentChildren;
  /** The meaning of the bars, in words. */
  readonly says: string;
  readonly bars: JSX.Element;
}

type Marks = Readonly<Record<`data-${string}`, string | number | undefined>>;

/** The row; `children` is its name. A click or Enter opens it, and so does Space if it toggles nothing. */
export function TimeRow(
  props: CellsProps & {
    readonly place: RowPlace;
    readonly kind?: "leaf" | "fold";
    readonly marks: Marks;
    readonly onOpen: () => void;
    readonly onSpace: (() => void) | undefined;
    /** The element, while the row exists. */
    readonly row?: RefObject<HTMLDivElement | null>;
    readonly children: ComponentChildren;
  },
): JSX.Element {
  const { place, onOpen } = props;
  return (
    <div
      ref={props.row ?? null}
      class={`call-row ${props.kind ?? ""}`}
      role="row"
      tabIndex={place.tab ? 0 : -1}
      aria-rowindex={place.index + 3}
      onClick={onOpen}
      onKeyDown={onKeys({ Enter: onOpen, " ": props.onSpace })}
      {...props.marks}
    >
      {props.children}
      <TimeCells {...props} />
    </div>
  );
}

/** The cells after the name. */
export function TimeCells({ self, whole, says, bars }: CellsProps): JSX.Element {
  return (
    <>
      <span role="cell" class="num">
        {self}
      </span>
      <span role="cell" class="num">
        {whole}
      </span>
      <span role="cell" class="bar-cell" aria-label={says}>
        {bars}
      </span>
    </>
  );
}

/** A stretch of the run as a bar, at least two pixels wide. */
export function Bar(props: {
  readonly fromUs: number;
  readonly us: number;
  readonly totalUs: number;
  readonly kind?: "whole" | "before";
  readonly marks?: Marks;
}): JSX.Element {
  const percent = (us: number): string => `${(us / props.totalUs) * 100}%`;
  return (
    <i
      class={`bar ${props.kind ?? ""}`}
      {...props.marks}
      style={{ left: percent(props.fromUs), width: `max(2px, ${percent(props.us)})` }}
    />
  );
}

/** A mark after a name, with its meaning. */
export function Flag(props: {
  readonly means: string;
  readonly isError?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <em class={props.isError ? "flag error" : "flag"} title={props.means}>
      {props.children}
    </em>
  );
}
