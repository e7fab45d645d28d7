/**
 * A number with its unit, so that in a column digits stand under digits.
 */

import type { JSX } from "preact";

/** A text such as `38.1 ms`: the unit is muted and has a slot of its own. */
export function Quantity({ text }: { readonly text: string }): JSX.Element {
  const [value = "", unit = ""] = text.split(" ");
  return (
    <span class="quantity">
      {value} <i>{unit}</i>
    </span>
  );
}
