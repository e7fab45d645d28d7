/**
 * The page's store: a set of slices, each a plain function that asks for the slices it stands on.
 *
 *   createUse() ──▶ use(slice) ──▶ made once, from use(others) ──▶ signals and actions ──▶ shown.ts of a room ──▶ views
 *
 * A slice names what it depends on by importing it, so the import table of the rooms (scripts/import-table.mjs)
 * is also the table of which state may depend on which. Views never fetch; they read signals and call actions.
 */

/** A part of the store: signals, what is computed from them, and the actions that change them. */
export type Slice<T> = (use: Use) => T;

/** Gives the one instance of a slice that a page has. */
export type Use = <T>(slice: Slice<T>) => T;

/** The store of one page; `given` are instances to use instead of what these slices would make. */
export function createUse(given: ReadonlyMap<Slice<unknown>, unknown> = new Map()): Use {
  const made = new Map(given);
  const use: Use = <T>(slice: Slice<T>): T => {
    if (!made.has(slice)) made.set(slice, slice(use));
    return made.get(slice) as T;
  };
  return use;
}

/** The store of the page that is shown. Views have its slices from `shown.ts`; tests of slices make their own store. */
export const useSlice: Use = createUse();
