/**
 * The parts of the graph's picture: sizes, placed beans, drawn edges.
 */

import type { BeanEdge } from "../shapes.ts";

/** Width and height of a bean's box. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A placed bean; `x`, `y` is the top left corner, `layer` its column. */
export interface PlacedBean extends Size {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

/** A drawn dependency; `d` is an SVG path from `from` to `to`. */
export interface DrawnEdge extends BeanEdge {
  readonly d: string;
  readonly back: boolean;
}

/** Between columns, by default. */
export const LAYER_GAP = 76;

/** The picture. `layers` lists ids by column, top to bottom; the last may be the shelf. */
export interface Layout extends Size {
  readonly beans: ReadonlyMap<string, PlacedBean>;
  readonly edges: readonly DrawnEdge[];
  readonly layers: readonly (readonly string[])[];
  /** Between columns. */
  readonly layerGap: number;
  /** The top of the shelf, which holds beans without any edge; Infinity without such beans. */
  readonly shelf: number;
  /** Frames around the beans of other services. */
  readonly islands?: readonly Island[];
}

/** The frame around the beans of another service. */
export interface Island extends Size {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** The path of a bold edge. One that closes a cycle is drawn against its direction. */
export type BoldPath = Pick<DrawnEdge, "d" | "back">;
