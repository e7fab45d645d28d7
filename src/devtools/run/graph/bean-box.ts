/**
 * The box of a bean: the places of its stripe, icon, name, line and pill. Pure.
 */
import { BEAN_HEIGHT, foldName } from "./geometry.ts";
import type { Size } from "./shapes.ts";

/** The places of a bean's parts in its box. If room is short, the count is inside, below the name. */
export interface Places {
  readonly stripe: number;
  readonly icon: number;
  readonly text: number;
  readonly name: number;
  /** The second line of a name on two lines. */
  readonly rest: number;
  readonly line: number;
  /** Top of the count, and its right end. */
  readonly pill: number;
  readonly pillEnd: number;
  readonly pillHeight: number;
}

/** The places in a box of this size. */
export function placesIn({ width, height }: Size): Places {
  const isFolded = height > BEAN_HEIGHT;
  return height < BEAN_HEIGHT || isFolded
    ? {
        stripe: 22,
        icon: 3,
        text: 28,
        name: 9.5,
        rest: 23.5,
        line: height - 8.5,
        pill: height - 16.5,
        pillEnd: width - 3,
        pillHeight: 14.5,
      }
    : { stripe: 30, icon: 7, text: 42, name: 15, rest: 15, line: 31, pill: -9, pillEnd: width + 8, pillHeight: 18 };
}

/** The coloured stripe at the left of a box. */
export function stripePath(at: Size): string {
  return `M8,0H${placesIn(at).stripe}V${at.height}H8a8,8 0 0 1 -8,-8V8a8,8 0 0 1 8,-8z`;
}

/** The name in a box of this size, on two lines if the box has them. */
export function nameIn(name: string, { height }: Size): readonly string[] {
  return height > BEAN_HEIGHT ? foldName(name) : [name];
}
