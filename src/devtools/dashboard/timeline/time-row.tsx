/**
 * A row of the timeline: its name, its own time, its whole time, and its place in the run.
 */

import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, JSX, RefObject } from "preact";
import { duration } from "../../run/format.ts";
import { onKeys } from "../page/on-keys.ts";
import type { BoxSize } from "../page/use-size.ts";

/** The place of a row among the rows, and the width of the bars. */
export interface RowPlace {
  readonly index: number;
  /** Whether Tab leads here. */
  readonly tab: boolean;
  readonly width: ReadonlySignal<BoxSize>;
}

interface CellsProps {
  readonly self: ComponentChildren;
  readonly whole: ComponentChildren;
  /** The meaning of the bars, in words. */
  readonly says: string;
  readonly bars: JSX.Element;
}

/** Attributes of an element. */
export type Marks = Readonly<Record<`data-${string}`, string | number | undefined>>;

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

/** A duration with its unit in a slot of three characters, so that digits are below digits. */
export function Took({ us, sum }: { readonly us: number | null; readonly sum?: boolean }): JSX.Element {
  const [digits, unit] = duration(us).split(" ");
  return (
    <>
      {sum === true && "Σ "}
      {digits}
      {unit !== undefined && <small>{` ${unit}`.padEnd(3)}</small>}
    </>
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
