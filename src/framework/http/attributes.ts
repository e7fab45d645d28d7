/**
 * Attributes: what middleware notes on a request for those further in.
 *
 *   newest ──▶ earlier ──▶ … ──▶ first      a handful, found sooner in a list than in a Map
 *
 * Spec: spec/context.md (CTX)
 */

/** One attribute of a request. */
export interface Attribute {
  readonly name: string | symbol;
  value: unknown;
  readonly earlier: Attribute | undefined;
}

/** The attribute of that name in a list. */
export function attributeOf(newest: Attribute | undefined, name: string | symbol): Attribute | undefined {
  let at = newest;
  while (at !== undefined && at.name !== name) at = at.earlier;
  return at;
}
