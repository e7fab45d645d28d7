/**
 * Bodies: bytes to text, text to a JSON value, a JSON value to what the handler's type says.
 *
 *   bytes ──UTF-8──▶ text ──JSON──▶ value ──type──▶ T
 *     413            400            400             422
 *
 * Spec: spec/context.md
 */
import { check, isBodyType, isRejected, unprocessable, type BodyType } from "../contract/schema.ts";
import { BadRequestError } from "../internal/errors.ts";

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder();

/**
 * Text. A decoder that looks for errors is many times slower than the other on Deno, so it is asked only where the other
 * may have found one and put U+FFFD in its place.
 *
 * @throws BadRequestError (400) when the bytes are not UTF-8.
 */
export function decodeText(bytes: Uint8Array): string {
  const text = lenient.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  try {
    return strict.decode(bytes);
  } catch {
    throw new BadRequestError("the body is not valid UTF-8");
  }
}

/**
 * The JSON value of `text`.
 *
 * @throws BadRequestError (400): empty, malformed, deeper than `maxDepth`, or with a key that could reach a prototype.
 */
export function parseJson(text: string, maxDepth: number): unknown {
  if (text.trim() === "") throw new BadRequestError("the body is empty; JSON was expected");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BadRequestError(`the body is not valid JSON: ${syntaxMessage(cause)}`, { cause });
  }
  if (typeof value === "object" && value !== null && mayBeRejected(text, maxDepth)) inspect(value, maxDepth);
  return value;
}

/**
 * Could `inspect` find fault? Not without one of the keys, as it is or escaped, and not with fewer brackets than
 * levels allowed. Looking at the text is a tenth of the work of walking the value, and a single character is found in a
 * fifth of the time that a word takes on Bun.
 */
function mayBeRejected(text: string, maxDepth: number): boolean {
  if (text.includes("_") && text.includes("__proto__")) return true;
  if (text.includes("\\") && text.includes("\\u")) return true;
  if (text.includes("constructor")) return true;
  // Each level takes two characters.
  return text.length > 2 * maxDepth && occurrences(text, "{") + occurrences(text, "[") > maxDepth;
}

function occurrences(text: string, bracket: string): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) count += 1;
  return count;
}

/** V8's message without the piece of the body that it quotes. */
function syntaxMessage(cause: unknown): string {
  const message = String(cause);
  const at = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  return at ?? (message.startsWith("SyntaxError: Unexpected end") ? "it ends too early" : "it is malformed");
}

function inspect(value: object, depthLeft: number): void {
  if (depthLeft <= 0) throw new BadRequestError("the body is nested too deeply");
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && item !== null) inspect(item, depthLeft - 1);
    return;
  }
  for (const key of Object.keys(value)) {
    const item: unknown = (value as Readonly<Record<string, unknown>>)[key];
    if (key === "__proto__" || (key === "constructor" && Object.hasOwn(Object(item), "prototype")))
      throw new BadRequestError(`the body holds the key ${JSON.stringify(key)}, which is rejected`);
    if (typeof item === "object" && item !== null) inspect(item, depthLeft - 1);
  }
}

/** `value` as `type` returns it. @throws UnprocessableContentError (422) with the issues when `type` rejects it. */
export async function validate(value: unknown, type: BodyType): Promise<unknown> {
  if (!isBodyType(type))
    throw new TypeError(
      "ctx.body(type) takes a Standard Schema, a compiled TypeBox validator, an object with parse, or a function",
    );
  const checked = await check(value, type);
  if (isRejected(checked)) throw unprocessable([["body", checked.issues]]);
  return checked.value;
}
