/** Shapes within shapes of other chapters. */
import { type Static, type TSchema, Type } from "typebox";

/** A shape of another chapter without its `$id`: in one validator an id is defined once, by its own chapter. */
export function within<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>(Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$id")));
}
