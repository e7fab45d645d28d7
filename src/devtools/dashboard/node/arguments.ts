/**
 * The arguments of a call under the names of the method's parameters. Pure.
 *
 *   args [7, {…}], params ["id", ""] ──▶ { id: 7, "#2": {…} }      without names ──▶ the list
 */

import type { Call, Json } from "../../run/shapes.ts";

/** The arguments in the Bean tab. */
export function shownArguments({ args, params }: Pick<Call, "args" | "params">): Json {
  if (!params || params.every((name) => name === "")) return args;
  const last = params.length - 1;
  const rest = params[last]?.startsWith("...") === true ? last : undefined;
  const named = args.slice(0, rest).map((value, i): [string, Json] => [keyOf(params[i], i), value]);
  const more: [string, Json][] =
    rest === undefined || args.length <= rest ? [] : [[params[rest] ?? "", args.slice(rest)]];
  return Object.fromEntries([...named, ...more]);
}

/** A key that starts with `$` would be a mark of the recording. */
const keyOf = (name: string | undefined, index: number): string =>
  !name ? `#${index + 1}` : name.startsWith("$") ? `$${name}` : name;
