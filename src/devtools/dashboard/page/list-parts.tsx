/**
 * Parts of both lists of the left column.
 */

import type { JSX } from "preact";
import { shownPath } from "../../run/format.ts";
import { listKeys, onKeys } from "./on-keys.ts";
import { Select } from "./widgets.tsx";

/** A path in its readable form, shortened in the middle, so that its distinctive end stays readable. */
export function Path({ text: path }: { readonly text: string }): JSX.Element {
  const text = shownPath(path);
  const segments = text.split("/");
  const kept = segments.length > 3 ? 2 : segments.length > 2 ? 1 : 0;
  const tail = kept === 0 ? "" : `/${segments.slice(-kept).join("/")}`;
  return (
    <code class="path">
      <span>{tail ? segments.slice(0, -kept).join("/") : text}</span>
      {tail !== "" && <span class="tail">{tail}</span>}
    </code>
  );
}

/** A choice among the methods that occur. */
export function MethodSelect(props: {
  readonly value: string;
  readonly methods: readonly string[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const options = [...new Set(props.methods)].map((name) => [name] as const);
  return <Select {...props} label="Method" options={[["", "Method"], ...options]} />;
}

/** Moves in a listbox by keys. */
export function onListKey<T>(
  items: readonly T[],
  at: number,
  choose: (item: T) => void,
): (event: KeyboardEvent) => void {
  return (event) => {
    const list = event.currentTarget;
    if (!(list instanceof Element) || event.target !== list) return;
    const go = (to: number): void => {
      for (const item of items.slice(to, to + 1)) choose(item);
      requestAnimationFrame(() => list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }));
    };
    onKeys(listKeys(at, items.length, go))(event);
  };
}
