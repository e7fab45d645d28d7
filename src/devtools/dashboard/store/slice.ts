/**
 * The page's store: a set of slices, each a plain function that requests the slices it depends on.
 *
 *   createUse() ──▶ use(slice) ──▶ made once, from use(others) ──▶ signals and actions ──▶ page-*.ts of a room ──▶ views
 *
 * A slice names its dependencies by importing them, so the import table of the rooms (scripts/import-table.mjs)
 * is also the table of allowed dependencies between states. Views never fetch. They read signals and call actions.
 */

/** A part of the store: signals, values computed from them, and the actions that change them. */
export type Slice<T> = (use: Use) => T;

/** Returns the one instance of a slice that a page has. */
export type Use = <T>(slice: Slice<T>) => T;

/** The store of one page; `given` are instances to use instead of the slices' own. */
export function createUse(given: ReadonlyMap<Slice<unknown>, unknown> = new Map()): Use {
  const made = new Map(given);
  const use: Use = <T>(slice: Slice<T>): T => {
    if (!made.has(slice)) made.set(slice, slice(use));
    return made.get(slice) as T;
  };
  return use;
}

/** The store of the shown page. Views have its slices from `page-*.ts`; tests of slices make their own store. */
export const useSlice: Use = createUse();
