/**
 * The two sides of a schema: what clients send, and what they receive.
 */
import { isJson, listIn, objectIn, textIn, type Json } from "./json.ts";
import { targetIfThere } from "./operations.ts";

/** The side that clients send, or the one that they receive. */
export type Side = "input" | "output";

const MAX_HOPS = 50;

/** Is a property left out of requests (`readOnly`), or of responses (`writeOnly`)? Its definition may say so too. */
export function isLeftOut(document: Json, property: unknown, side: Side): boolean {
  const flag = side === "input" ? "readOnly" : "writeOnly";
  let at = property;
  for (let hops = 0; isJson(at) && hops < MAX_HOPS; hops += 1) {
    if ([at, ...listIn(at["allOf"])].some((one) => objectIn(one)[flag] === true)) return true;
    const reference = textIn(at["$ref"]);
    at = reference === undefined ? undefined : targetIfThere(document, reference);
  }
  return false;
}
