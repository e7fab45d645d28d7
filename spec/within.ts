/** Shapes inside shapes of other chapters. */
import { type Static, type TSchema, Type } from "typebox";

/** A shape of another chapter without its `$id`. In one validator only its own chapter defines the id. */
export function within<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>(Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$id")));
}
