/**
 * Reads Hurl files (hurl.dev), the part of the format that published API tests use: requests with headers and a JSON body, a
 * status, asserts and captures by JSONPath.
 *
 *   POST {{host}}/api/users ─┐
 *   { "user": … }            ├─▶ { method, url, headers, body, status, asserts, captures }
 *   HTTP 201                 │
 *   [Asserts] …              ┘
 *
 * An unknown line is an error that names it, so no part of a test is skipped silently.
 */

/** A request and the expected response. Texts still contain `{{variables}}`. */
export interface HurlEntry {
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
  readonly status: number;
  readonly asserts: readonly HurlAssert[];
  readonly captures: readonly HurlCapture[];
}

/** A condition on the response's body, e.g. `jsonpath "$.tags" count >= 1`. */
export interface HurlAssert {
  /** Its text in the file. */
  readonly text: string;
  readonly path: string;
  /** Is the length of the found value compared? */
  readonly counts: boolean;
  readonly negated: boolean;
  readonly predicate: string;
  /** The text after the predicate, or undefined without it. */
  readonly operand: string | undefined;
}

/** A value of the response's body that later requests use. */
export interface HurlCapture {
  readonly name: string;
  readonly path: string;
}

type Draft = { -readonly [K in keyof HurlEntry]: HurlEntry[K] } & {
  readonly headers: [string, string][];
  readonly asserts: HurlAssert[];
  readonly captures: HurlCapture[];
};

/** The part of an entry that a line belongs to. */
type Place = "headers" | "body" | "response" | "[Asserts]" | "[Captures]";

/** The entries of a file, in order. @throws Error naming an unknown line */
export function parseHurl(text: string): readonly HurlEntry[] {
  const entries: Draft[] = [];
  let place = "response" as Place;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const entry = entries.at(-1);
    const next: Place | undefined = entry?.body !== undefined && place === "body" ? inBody(entry, line) : undefined;
    if (next !== undefined) place = next;
    else if (line.trim() === "" || line.startsWith("#")) continue;
    else {
      const started: Draft | undefined = place === "headers" ? undefined : requestOf(line, index + 1);
      if (started !== undefined) entries.push(started);
      const after: Place | undefined = started !== undefined ? "headers" : entry && placeAfter(entry, place, line);
      if (after === undefined) throw new Error(`line ${index + 1} is not understood: ${line}`);
      place = after;
    }
  }
  if (place === "headers" || place === "body") throw new Error("the last request has no HTTP line");
  return entries;
}

/** A body continues until the line of the status. */
function inBody(entry: Draft, line: string): Place | undefined {
  if (line.startsWith("HTTP ")) return undefined;
  entry.body = `${entry.body}\n${line}`;
  return "body";
}

function requestOf(line: string, number: number): Draft | undefined {
  const [, method, url] = /^([A-Z]+) (\S+)$/.exec(line) ?? [];
  if (method === undefined || url === undefined || method === "HTTP") return undefined;
  return { line: number, method, url, headers: [], body: undefined, status: 0, asserts: [], captures: [] };
}

/** Adds a line to its entry and returns the place of the next one, or undefined if the line is not allowed there. */
function placeAfter(entry: Draft, place: Place, line: string): Place | undefined {
  const [, status] = /^HTTP (\d{3})$/.exec(line) ?? [];
  if (status !== undefined && (place === "headers" || place === "body")) {
    entry.status = Number(status);
    return "response";
  }
  if (place === "headers") {
    const [, name, value] = /^([\w-]+): (.+)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) entry.headers.push([name, value]);
    else if (line.startsWith("{")) entry.body = line;
    else return undefined;
    return entry.body === undefined ? "headers" : "body";
  }
  if (line === "[Asserts]" || line === "[Captures]") return line;
  if (place === "[Asserts]") return added(entry.asserts, assertOf(line), place);
  if (place === "[Captures]") return added(entry.captures, captureOf(line), place);
  return undefined;
}

function added<T>(to: T[], one: T | undefined, place: Place): Place | undefined {
  if (one === undefined) return undefined;
  to.push(one);
  return place;
}

/** Predicates, with whether they have an operand. */
const predicates: Readonly<Record<string, boolean>> = {
  "==": true,
  "!=": true,
  ">=": true,
  contains: true,
  matches: true,
  exists: false,
  isBoolean: false,
  isEmpty: false,
  isInteger: false,
  isList: false,
  isString: false,
};

const path = String.raw`jsonpath "(\$(?:\.\w+|\[\d+\])*)"`;
const assertion = new RegExp(String.raw`^${path}( count)?( not)? (\S+)(?: (.+))?$`);
const capture = new RegExp(String.raw`^(\w+): ${path}$`);

function assertOf(text: string): HurlAssert | undefined {
  const [, found, counts, negated, predicate = "", operand] = assertion.exec(text) ?? [];
  if (found === undefined || predicates[predicate] !== (operand !== undefined)) return undefined;
  return { text, path: found, counts: counts !== undefined, negated: negated !== undefined, predicate, operand };
}

function captureOf(text: string): HurlCapture | undefined {
  const [, name, found] = capture.exec(text) ?? [];
  return name === undefined || found === undefined ? undefined : { name, path: found };
}
