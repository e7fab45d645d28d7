/**
 * Parts of both lists of the left column.
 */

import type { JSX } from "preact";

/** A path that gives way in the middle, so that its telling end stays readable. */
export function Path({ text }: { readonly text: string }): JSX.Element {
  const segments = text.split("/");
  const kept = segments.length > 3 ? 2 : segments.length > 2 ? 1 : 0;
  const tail = kept === 0 ? "" : `/${segments.slice(-kept).join("/")}`;
  return (
    <code class="path">
      <span>{tail === "" ? text : segments.slice(0, -kept).join("/")}</span>
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
  return (
    <select aria-label="Method" value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
      <option value="">Method</option>
      {[...new Set(props.methods)].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

/** Moves in a listbox by keys. */
export function onListKey<T>(
  items: readonly T[],
  at: number,
  choose: (item: T) => void,
): (event: KeyboardEvent) => void {
  return (event) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    const item = to === undefined ? undefined : items[Math.max(0, Math.min(items.length - 1, to))];
    if (item === undefined || event.target !== event.currentTarget) return;
    event.preventDefault();
    choose(item);
    const list = event.currentTarget;
    if (list instanceof Element)
      requestAnimationFrame(() => list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }));
  };
}
