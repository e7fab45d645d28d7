/**
 * Checks a value against its shape member by member, when a case reads it. So a clause about one member does not fail
 * because of another one.
 *
 *   checked("the trace", Trace, value) ──▶ .status   a Violation where it is missing or does not fit
 *                                      └─▶ .calls    never read, never judged
 */
import type { Static, TObject } from "typebox";
import { misfit } from "./shape.ts";
import { Violation } from "./violation.ts";

/** The value, which must be an object. Each of its members is checked when it is read. */
export function checked<T extends TObject>(what: string, schema: T, value: unknown): Static<T> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Violation(`${what} is ${JSON.stringify(value)}, no object`);
  const required: readonly string[] = schema.required ?? [];
  return new Proxy(value, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name === "symbol" || !Object.hasOwn(schema.properties, name)) return member;
      if (member === undefined && !required.includes(name)) return undefined;
      if (member === undefined) throw new Violation(`${what} has no ${name}`);
      const problem = misfit(schema.properties[name] ?? {}, member);
      if (problem !== undefined) throw new Violation(`${what} does not fit its shape: ${name}, where ${problem}`);
      return member;
    },
  }) as Static<T>;
}
