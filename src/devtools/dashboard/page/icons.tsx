/**
 * Icons, drawn as paths, because letters in SVG would be read as a part of the accessible name.
 */

import type { JSX } from "preact";
import { ICONS, type IconName } from "../../run/graph/icon-paths.ts";

/** An icon of the text's colour and size. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

/** An icon inside another SVG. `class` is `glyph` for a stereotype, `kind` for a leaf. */
export function IconPath(props: {
  readonly class: "glyph" | "kind" | "unrecorded";
  readonly of: IconName;
  readonly x: number;
  readonly y: number;
  readonly scale?: number;
}): JSX.Element {
  const { of, x, y, scale = 1 } = props;
  return <path class={props.class} d={ICONS[of]} transform={`translate(${x} ${y}) scale(${scale})`} />;
}
