/**
 * The declared parts of a request in the draft: reads the values of a declared name, and changes them. Pure.
 *
 *   contract.query { page, tag } ──▶ "page=2&x=1&tag=a&tag=b" ──▶ page: 2, tag: a, b, and one more row: x
 *
 * The draft remains text, and setting one name leaves every other character as it was typed.
 */

import type { Json, JsonObject, RouteInfo } from "../../run/shapes.ts";
import { fieldOf } from "../forms/schema.ts";
import { headerIn } from "./body.ts";
import type { Draft } from "./draft-text.ts";
import { queryPairs, replaceQueryPairs, replaced } from "./query-pairs.ts";

/** A part of a request with texts as values; a body is one if it is a form. */
export type TextPart = "params" | "query" | "headers" | "cookies" | "body";

/** The names of a part that a contract declares. */
export interface DeclaredPart {
  readonly root: JsonObject;
  readonly members: JsonObject;
  readonly required: readonly Json[];
}

/** What the route's contract declares of that part. */
export function declaredIn({ contract }: RouteInfo, part: TextPart): DeclaredPart {
  const root = contract?.[part]?.schema ?? {};
  const field = fieldOf(root, root);
  return field.kind === "object" ? { root, ...field } : { root, members: {}, required: [] };
}

/** Whether the values of that name are a list. */
export const isList = ({ root, members }: DeclaredPart, name: string): boolean =>
  fieldOf(root, members[name], true).kind === "list";

type Pairs = readonly (readonly [name: string, value: string])[];

/** Names and values of a part, as in the draft. */
export function pairsIn({ params, query, headers, body }: Draft, part: TextPart): Pairs {
  if (part === "params") return Object.entries(params);
  if (part === "headers") return headers.map(([name, value]) => [name.toLowerCase(), value]);
  if (part === "cookies") return cookiesOf(headers);
  return queryPairs(part === "query" ? query : body).map(({ name, value }) => [name, value]);
}

/** The positions of the pairs that the field of that name shows. */
function rowsOf(declared: DeclaredPart, pairs: Pairs, name: string): number[] {
  const rows = pairs.flatMap(([one], at) => (one === name ? [at] : []));
  return isList(declared, name) ? rows : rows.slice(0, 1);
}

/** The positions of the pairs that no field shows. */
export function rowsBeside(route: RouteInfo, part: TextPart, draft: Draft): number[] {
  const [declared, pairs] = [declaredIn(route, part), pairsIn(draft, part)];
  return [...pairs.keys()].filter((at) => {
    const [name = ""] = pairs[at] ?? [];
    return !Object.hasOwn(declared.members, name) || !rowsOf(declared, pairs, name).includes(at);
  });
}

/** The value of a declared name: a text, or a list of them, or undefined if it is left out. */
export function declaredValue(declared: DeclaredPart, part: TextPart, draft: Draft, name: string): Json | undefined {
  const pairs = pairsIn(draft, part);
  const texts = rowsOf(declared, pairs, name).map((at) => pairs[at]?.[1] ?? "");
  return isList(declared, name) && texts.length > 0 ? texts : texts[0];
}

/** The change of the draft that sets these values for a declared name. */
export function withValues(
  declared: DeclaredPart,
  part: TextPart,
  draft: Draft,
  name: string,
  texts: readonly string[],
): Partial<Draft> {
  const rows = rowsOf(declared, pairsIn(draft, part), name);
  const pairs = texts.map((value) => ({ name, value }));
  const named = texts.map((value) => [name, value] as const);
  if (part === "params") return { params: { ...draft.params, [name]: texts[0] ?? "" } };
  if (part === "query") return { query: replaceQueryPairs(draft.query, rows, pairs) };
  if (part === "body") return { body: replaceQueryPairs(draft.body, rows, pairs) };
  if (part === "headers") return { headers: replaced(draft.headers, rows, named) };
  const cookies = replaced(cookiesOf(draft.headers), rows, named);
  return withHeader(draft, "Cookie", cookies.map((pair) => pair.join("=")).join("; "));
}

/** The change of the draft that sets this header and removes others of that name; no header if it is empty. */
export function withHeader(draft: Draft, name: string, value: string): Pick<Draft, "headers"> {
  const others = draft.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase());
  return { headers: value ? [[name, value], ...others] : others };
}

function cookiesOf(headers: Draft["headers"]): Pairs {
  return (headerIn(headers, "cookie") ?? "")
    .split(/; */)
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...rest] = pair.split("=");
      return [name, rest.join("=")];
    });
}
