/**
 * Icons, drawn as paths: letters in SVG would be read as a part of the accessible name.
 */

import type { JSX } from "preact";
import type { LeafKind, Stereotype } from "../../wire.ts";
import { ICONS } from "./icon-paths.ts";
import type { IconName } from "./icon-paths.ts";

/** An icon of the text's colour and size. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

/** A stereotype's icon for use inside another SVG. */
export function StereotypePath({
  of,
  x,
  y,
}: {
  readonly of: Stereotype;
  readonly x: number;
  readonly y: number;
}): JSX.Element {
  return <path class="glyph" d={ICONS[of]} transform={`translate(${x} ${y})`} />;
}

/** The icon of a kind of leaf inside another SVG, small. */
export function KindPath({ of, x, y }: { readonly of: LeafKind; readonly x: number; readonly y: number }): JSX.Element {
  return <path class="kind" d={ICONS[of]} transform={`translate(${x} ${y}) scale(.75)`} />;
}

/** The "not recorded" icon inside another SVG. */
export function UnrecordedPath({ x, y }: { readonly x: number; readonly y: number }): JSX.Element {
  return <path class="unrecorded" d={ICONS.unrecorded} transform={`translate(${x} ${y}) scale(.8)`} />;
}
