/**
 * tracestate: the strict parser of the W3C header that accompanies traceparent, level 2.
 *
 *   "rojo=00f0, congo=t61" ──▶ members in order ──▶ at most 512 characters passed on
 *
 * With one bad member or more than 32 the whole header is dropped, but the traceparent stays. Of a repeated key the first is
 * kept, because it was added later. Over 512 characters whole members are dropped: those over 128 first, then from the right.
 *
 * Spec: spec/tracing.md
 */
import type { TraceState } from "@opentelemetry/api";

const MAX_MEMBERS = 32;
const MAX_CHARS = 512;
const LONG_MEMBER = 128;
const KEY = /^[a-z0-9][a-z0-9_\-*/@]{0,255}$/;
const VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

type Member = readonly [key: string, value: string];

/** Parses a header value (several headers joined by commas), or undefined when it is invalid or empty. */
export function parseTracestate(value: string): TraceState | undefined {
  const members: Member[] = [];
  const keys = new Set<string>();
  let count = 0;
  for (const raw of value.split(",")) {
    const text = raw.replace(/^[ \t]+/, "");
    if (text === "") continue;
    const member = parseMember(text);
    count += 1;
    if (member === undefined || count > MAX_MEMBERS) return undefined;
    if (keys.has(member[0])) continue;
    keys.add(member[0]);
    members.push(member);
  }
  return members.length === 0 ? undefined : new Members(bounded(members));
}

function parseMember(text: string): Member | undefined {
  const equals = text.indexOf("=");
  if (equals < 1) return undefined;
  const key = text.slice(0, equals);
  const value = withoutTrailingBlanks(text.slice(equals + 1));
  return KEY.test(key) && VALUE.test(value) ? [key, value] : undefined;
}

function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && (text.charCodeAt(end - 1) === 32 || text.charCodeAt(end - 1) === 9)) end -= 1;
  return text.slice(0, end);
}

/** Whole members only, at most 512 characters. */
function bounded(members: readonly Member[]): readonly Member[] {
  let kept = members;
  if (lengthOf(kept) > MAX_CHARS) kept = kept.filter((member) => lengthOf([member]) <= LONG_MEMBER);
  while (lengthOf(kept) > MAX_CHARS) kept = kept.slice(0, -1);
  return kept;
}

function lengthOf(members: readonly Member[]): number {
  return members.reduce((sum, [key, value]) => sum + key.length + 1 + value.length, Math.max(0, members.length - 1));
}

/** An immutable list of members, as OpenTelemetry requires. */
class Members implements TraceState {
  readonly #members: readonly Member[];

  constructor(members: readonly Member[]) {
    this.#members = members;
  }

  /** A changed member moves to the front. */
  set(key: string, value: string): TraceState {
    if (!KEY.test(key) || !VALUE.test(value)) return this;
    const others = this.#members.filter(([other]) => other !== key);
    return new Members(bounded([[key, value] as const, ...others].slice(0, MAX_MEMBERS)));
  }

  unset(key: string): TraceState {
    return new Members(this.#members.filter(([other]) => other !== key));
  }

  get(key: string): string | undefined {
    return this.#members.find(([other]) => other === key)?.[1];
  }

  serialize(): string {
    return this.#members.map(([key, value]) => `${key}=${value}`).join(",");
  }
}
