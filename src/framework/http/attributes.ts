/**
 * Attributes: values that middleware stores on a request for the handlers after it.
 *
 *   newest ──▶ earlier ──▶ … ──▶ first      a handful, found sooner in a list than in a Map
 *
 * A key is a name, a symbol, or `Attribute<User>("user")`, a token that carries its type. Tokens are compared by identity, so
 * two packages that chose the same name do not collide.
 *
 * Spec: spec/context.md, spec/plugins.md
 */
import { usageError } from "../internal/usage-errors.ts";

declare const attributeBrand: unique symbol;

/** The key of a request attribute, with the type of its value. Compared by identity. */
export interface Attribute<T> {
  /** For people only: it shows in messages. Lookups do not use it. */
  readonly name: string;
  readonly [attributeBrand]: (value: T) => T;
}

/** A token at run time. */
class AttributeKey {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
    Object.freeze(this);
  }

  get [Symbol.toStringTag](): string {
    return `Attribute ${this.name}`;
  }

  toString(): string {
    return `Attribute(${JSON.stringify(this.name)})`;
  }
}

/**
 * Makes the key of a request attribute. Export it: any module that imports it may read and set the value.
 *
 * @throws TypeError (`ATTRIBUTE_INVALID`) when the name is empty.
 * @example
 * ```ts
 * export const user: Attribute<User> = Attribute("user");
 * ctx.attribute(user, { id: 7 });
 * ctx.attribute(user)?.id;
 * ```
 */
export function Attribute<T>(name: string): Attribute<T> {
  if (typeof name === "string" && name.trim() !== "") return new AttributeKey(name) as unknown as Attribute<T>;
  throw usageError("ATTRIBUTE_INVALID", `Attribute(${JSON.stringify(name)}) lacks a name: Attribute<User>("user")`);
}

/** One attribute of a request. */
export interface AttributeEntry {
  readonly key: string | symbol | Attribute<unknown>;
  value: unknown;
  readonly earlier: AttributeEntry | undefined;
}

/** Finds the attribute of that key in a list. */
export function attributeOf(
  newest: AttributeEntry | undefined,
  key: string | symbol | Attribute<unknown>,
): AttributeEntry | undefined {
  let at = newest;
  while (at !== undefined && at.key !== key) at = at.earlier;
  return at;
}
