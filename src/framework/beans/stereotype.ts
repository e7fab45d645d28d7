/**
 * Stereotypes: the role of a bean. The most specific source wins, and a name's suffix is the fallback.
 *
 *   bind option ▶ Interface option ▶ class's static stereotype ▶ suffix of the name ▶ "bean"
 */
import type { Stereotype } from "./types.ts";

/** Every stereotype, in the order in which layers usually call each other. */
export const stereotypes: readonly Stereotype[] = ["controller", "service", "repository", "component", "bean"];

/** Is `value` one of the five? */
export function isStereotype(value: unknown): value is Stereotype {
  return (stereotypes as readonly unknown[]).includes(value);
}

/** The stereotype of a type bound under `name`. A class's own `static stereotype` with another meaning is ignored. */
export function stereotypeOf(type: object, name: string, bound: Stereotype | undefined): Stereotype {
  const declared = Reflect.get(type, "stereotype") as unknown;
  if (bound !== undefined) return bound;
  if (isStereotype(declared)) return declared;
  return stereotypes.find((word) => name.endsWith(word.charAt(0).toUpperCase() + word.slice(1))) ?? "bean";
}
