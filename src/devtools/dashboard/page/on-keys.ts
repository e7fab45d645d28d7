/**
 * Keys and their functions. A key with Ctrl, Meta or Alt is the browser's, and a key without a function keeps its meaning.
 */

import { clamp } from "../../run/format.ts";

/** Functions by the name of the key. */
export type KeyActs = Readonly<Partial<Record<string, () => unknown>>>;

/** Handles a key press. If the key has a function, it calls that and takes the key. */
export function onKeys(acts: KeyActs): (event: KeyboardEvent) => void {
  return (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}

/** The keys of a list: to the next and the previous, to both ends. Past an end they stay there. */
export function listKeys(at: number, length: number, go: (to: number) => void): KeyActs {
  const goTo = (to: number) => (): void => {
    if (length > 0) go(clamp(to, 0, length - 1));
  };
  return { ArrowDown: goTo(at + 1), ArrowUp: goTo(at - 1), Home: goTo(0), End: goTo(length - 1) };
}
