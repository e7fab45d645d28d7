/**
 * The two sides of a schema: what of it clients send, and what they are sent.
 */
import { isJson, listIn, objectIn, textIn, type Json } from "./json.ts";
import { targetIfThere } from "./operations.ts";

/** Of what clients send, or of what they are sent. */
export type Side = "input" | "output";

const MAX_HOPS = 50;

/** Is a property left out of requests (`readOnly`), or of responses (`writeOnly`)? It may say so where it is defined. */
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
