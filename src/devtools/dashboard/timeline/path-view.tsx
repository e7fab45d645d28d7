/**
 * Lines over the rows: the critical path below the bars that bound the end, joined by verticals, and brackets at calls side by side.
 */

import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { BoxSize } from "../page/use-size.ts";
import { time } from "../store/page-store.ts";
import { bracketsIn, pathIn, type RowBracket, type RowPart } from "./path-lines.ts";

/** The lines over the rows from `first` to `last`, which are in an element that begins with the first. */
export function PathLines(props: {
  readonly parts: readonly RowPart[];
  readonly brackets: readonly RowBracket[];
  readonly first: number;
  readonly last: number;
  readonly height: number;
  readonly width: ReadonlySignal<BoxSize>;
}): JSX.Element {
  const { first, last, height } = props;
  const { width } = props.width.value;
  const window = time.shown.value;
  const rows = useMemo(() => ({ first, last, height }), [first, last, height]);
  const brackets = bracketsIn(props.brackets, window, width, rows);
  return (
    <svg class="path-lines" width={width} height={(last - first) * height} aria-hidden="true">
      <path class="critical-path" d={pathIn(props.parts, window, width, rows)} />
      {brackets.map(({ d, x, y, text, end }, i) => (
        <g key={i}>
          <path class="bracket" d={d} />
          {text !== "" && (
            <text x={x} y={y} text-anchor={end ? "end" : "start"}>
              {text}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
