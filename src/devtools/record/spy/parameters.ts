/**
 * Parameters: the names of a method's arguments, read from its source text.
 *
 *   async find(id, { limit = 10 } = {}, ...rest) { … ──▶ ["id", "", "...rest"]
 *
 * Read once per method. A method that is not written plainly, such as one with a computed name, has no names, which is better
 * than wrong ones.
 *
 * Spec: spec/trace.md
 */
import type { MethodCall } from "framework";

/** Any function, as it is passed around and called through Reflect.apply. */
export type Callable = MethodCall["method"];

const maxChars = 2_000;
const identifier = /^[A-Za-z_$][\w$]*$/;
const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const known = new WeakMap<Callable, readonly string[] | null>();

/** The names, an empty one for a destructured parameter, or undefined if they are not certain. */
export function parametersOf(method: Callable): readonly string[] | undefined {
  const before = known.get(method);
  if (before !== undefined) return before ?? undefined;
  const names = read(method);
  known.set(method, names ?? null);
  return names;
}

function read(method: Callable): readonly string[] | undefined {
  const text = Function.prototype.toString.call(method).slice(0, maxChars);
  const single = /^(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(text)?.[1];
  if (single !== undefined) return [single];
  const head = /^(?:async\s+)?(?:function\s*)?(?:\*\s*)?(?:#?[A-Za-z_$][\w$]*\s*)?\(/.exec(text)?.[0];
  if (head === undefined || text.includes("[native code]")) return undefined;
  const parts = partsOf(text, head.length);
  return parts === undefined || parts.length === 0 ? undefined : parts.map(nameOf);
}

/** The text between the commas up to the closing parenthesis, or undefined if that is not simple. */
function partsOf(text: string, start: number): readonly string[] | undefined {
  const parts: string[] = [];
  const open: string[] = [];
  let part = "";
  for (let at = start; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "`" || char === "/" || char === "\\") return undefined;
    if (char === '"' || char === "'") {
      at = text.indexOf(char, at + 1);
      if (at < 0) return undefined;
    } else if (open.length === 0 && (char === "," || char === ")")) {
      if (part.trim() !== "") parts.push(part.trim());
      if (char === ")") return parts;
      part = "";
    } else {
      if (closing[char] !== undefined) open.push(closing[char]);
      else if (char === open.at(-1)) open.pop();
      part += char;
    }
  }
  return undefined;
}

function nameOf(part: string): string {
  const rest = part.startsWith("...") ? "..." : "";
  const name = part.slice(rest.length).split("=")[0]?.trim() ?? "";
  return identifier.test(name) ? rest + name : "";
}
