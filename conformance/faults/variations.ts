/**
 * Legal variations: what a conformant subject may as well send. The suite passes on each of them, or it holds more than
 * the specification says.
 *
 *   {"id":"1"}                        { "id": "1" }⏎
 *   Content-Type: application/json    content-type: application/json; charset=UTF-8
 *
 * Spec: conformance/README.md
 */
import type { Exchange } from "../kit/exchange.ts";
import { editHeader, headerOf } from "../kit/mutant.ts";
import type { Relay, RelayedItem } from "../kit/relay.ts";
import type { HeaderLines } from "../kit/response.ts";
import { shapes } from "./documents.ts";
import { nothing } from "./fault.ts";
import { relayOf } from "./of-shapes.ts";
import { objectsOf, pathText } from "./fields.ts";

/** One of them. */
export interface Variation extends Relay {
  readonly name: string;
}

type Line = HeaderLines[number];
type Json = unknown;

/**
 * Every variation, in a few subjects that have many at once: what is an alternative to another one is in another.
 * `only` keeps those whose names hold a word.
 */
export function variedSubjects(only: readonly string[] = []): readonly Variation[] {
  const chosen = variations().filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)));
  const subjects = Array.from({ length: Math.min(4, chosen.length) }, (_, at) =>
    chosen.filter((_one, of) => of % 4 === at),
  );
  return subjects.map((many) => ({
    name: many.map(({ name }) => name).join(", "),
    rewrite: (exchange) => many.reduce((passed, { rewrite }) => rewrite(passed), exchange),
    rewriteItem: ({ item: first, ...step }) =>
      many.reduce<readonly RelayedItem[]>(
        (items, { rewriteItem }) => items.flatMap((item) => rewriteItem({ ...step, item })),
        [first],
      ),
  }));
}

/** Every variation by itself. */
export function variations(): readonly Variation[] {
  return [...extraMembers(), ...ofJson, ...ofHeaders, ...ofStreams];
}

const isJson = ({ headers }: Exchange): boolean =>
  /[/+]json\b/.test(headerOf(headers, "content-type") ?? "") && headerOf(headers, "content-encoding") === undefined;

/** A JSON body in another spelling. */
function json(name: string, spell: (text: string) => string): Variation {
  return {
    name,
    ...nothing,
    rewrite(exchange) {
      // What is large is about its size.
      if (!isJson(exchange) || exchange.body === "" || exchange.body.length > 100_000) return exchange;
      const body = spell(exchange.body);
      if (body === exchange.body) return exchange;
      return { ...editHeader(exchange, "Content-Length", undefined), body };
    },
  };
}

const rewritten = (change: (value: Json) => Json) => (text: string) => JSON.stringify(change(JSON.parse(text)));

const ofJson: readonly Variation[] = [
  json("a line feed behind JSON", (text) => `${text}\n`),
  json("blanks before JSON", (text) => ` \t\r\n${text}`),
  json("JSON with indentation", (text) => JSON.stringify(JSON.parse(text), null, 2)),
  json("JSON with tabs", (text) => JSON.stringify(JSON.parse(text), null, "\t")),
  json("JSON in ASCII", (text) => text.replaceAll(/[\u0080-\uffff]/g, (char) => escaped(char))),
  json("JSON with an escaped slash", (text) => text.replaceAll("/", String.raw`\/`)),
  json("JSON whose members are in another order", rewritten(reordered)),
];

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The members of each object from the last to the first; those of `checks` are in an order that means something. */
function reordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, name === "checks" ? member : reordered(member)]);
  return Object.fromEntries(members.toReversed()) as Json;
}

/** Header lines in another spelling. */
function headers(name: string, spell: (lines: HeaderLines, exchange: Exchange) => HeaderLines): Variation {
  return {
    name,
    ...nothing,
    rewrite(exchange) {
      if (exchange.status === 0) return exchange;
      const lines = spell(exchange.headers, exchange);
      return JSON.stringify(lines) === JSON.stringify(exchange.headers) ? exchange : { ...exchange, headers: lines };
    },
  };
}

/** Values of some headers in another spelling. */
const values = (name: string, which: RegExp, spell: (value: string) => string): Variation =>
  headers(name, (lines) => lines.map(([field, value]): Line => [field, which.test(field) ? spell(value) : value]));

const lists = /^(?:vary|allow|accept-encoding|access-control-allow-(?:methods|headers)|cache-control)$/i;
const caseless =
  /^(?:vary|accept-encoding|access-control-allow-headers|cache-control|content-encoding|upgrade|connection)$/i;
const structured = /^ratelimit(?:-policy)?$/i;
const membersOf = (value: string): readonly string[] => value.split(",").map((member) => member.trim());
const type = /^content-type$/i;
const upper = (value: string): string => value.toUpperCase();

const ofHeaders: readonly Variation[] = [
  headers("header names in capitals", (lines) => lines.map(([name, value]): Line => [upper(name), value])),
  headers("header names in small letters", (lines) => lines.map(([name, value]): Line => [name.toLowerCase(), value])),
  headers("headers in another order", (lines) => lines.toSorted(([a], [b]) => b.localeCompare(a))),
  headers("a header that nobody asked for", (lines) => [...lines, ["X-Served-By", "node-7"], ["Server", "another"]]),
  headers("no Content-Length on HEAD", (lines, { sent: { method } }) =>
    method === "HEAD" ? lines.filter(([name]) => !/^content-length$/i.test(name)) : lines,
  ),
  headers("a Date that is another", (lines) => lines.filter(([name]) => !/^date$/i.test(name))),
  values("charset=UTF-8", type, (value) =>
    /json|text\/(?!event)/.test(value) ? `${value.split(";")[0] ?? ""}; charset=UTF-8` : value,
  ),
  values("a charset in quotes", type, (value) =>
    /^(?:text\/plain|text\/html|application\/json)/.test(value)
      ? `${value.split(";")[0] ?? ""};charset="utf-8"`
      : value,
  ),
  values("a charset of the event stream", type, (value) =>
    value.startsWith("text/event-stream") ? "text/event-stream;charset=utf-8" : value,
  ),
  values("types in capitals", type, (value) => value.replace(/^[^;]+/, upper)),
  values("lists without blanks", lists, (value) => membersOf(value).join(",")),
  values("lists with blanks and tabs", lists, (value) => membersOf(value).join(" ,\t")),
  values("lists with an empty member", lists, (value) => `, ${value}`),
  values("lists in another order", lists, (value) => membersOf(value).toReversed().join(", ")),
  headers("a line for each member of a list", (lines) =>
    lines.flatMap(([name, value]) => (lists.test(name) ? membersOf(value) : [value]).map((one): Line => [name, one])),
  ),
  values("capitals where case does not matter", caseless, upper),
  values("small letters where case does not matter", caseless, (value) => value.toLowerCase()),
  values("no-store among others", /^cache-control$/i, (value) =>
    value.includes("no-store") ? `${value}, max-age=0` : value,
  ),
  values("structured fields with blanks", structured, (value) => value.replaceAll(";", "; ")),
  values("a type as a string in Accept-Query", /^accept-query$/i, (value) =>
    membersOf(value)
      .map((one) => `"${one}"`)
      .join(", "),
  ),
  values("attributes of cookies in another spelling", /^set-cookie$/i, attributesSpelt),
];

/** The pair as it is, its attributes in capitals, from the last to the first and without blanks. */
function attributesSpelt(line: string): string {
  const [pair = "", ...attributes] = line.split(/;\s*/);
  return [pair, ...attributes.map((one) => one.replace(/^[^=]+/, upper)).toReversed()].join(";");
}

/** The items of a stream with something between them. */
function stream(name: string, change: (item: RelayedItem, index: number) => readonly RelayedItem[]): Variation {
  return { name, ...nothing, rewriteItem: ({ item, index }) => change(item, index) };
}

const ofStreams: readonly Variation[] = [
  stream("a comment before each item of a stream", (item) => [{ kind: "comment", data: "still here" }, item]),
  stream("an event of a later release", (item) => [item, { kind: "event", event: "later", data: "{}" }]),
  stream("the time to come back twice", (item) => (item.kind === "retry" ? [item, item] : [item])),
];

/** A member more in each object that a later release may add one to (D-versioning). */
function extraMembers(): readonly Variation[] {
  const open = shapes.filter(({ name }) => name !== "HealthResult" && !name.startsWith("Subject"));
  return open.flatMap((shape) =>
    objectsOf(shape.schema).map((path) => ({
      name: `a member more in ${shape.name}${pathText(path)}`,
      ...relayOf(shape, path, (value) =>
        typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, laterRelease: 1 } : value,
      ),
    })),
  );
}
