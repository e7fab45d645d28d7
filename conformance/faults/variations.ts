/**
 * Legal variations: other responses that a conformant subject may send. Like faults, they are made from the shapes, the
 * headers that clauses name, and the messages. If the suite fails on one, it checks more than the specification says.
 *
 *   Trace.startedAt               with a fraction of zero     a field of a shape
 *   header Vary of GET → 404      in another order            a line of the head
 *   event trace                   a comment before            an item of a stream
 *
 * Alternatives of one target are in different subjects. All other variations are in one.
 *
 * Spec: conformance/README.md
 */
import type { Exchange } from "../kit/exchange.ts";
import type { Relay, RelayedItem } from "../kit/relay.ts";
import type { HeaderLines } from "../kit/response.ts";
import { editHeader, headerOf } from "../kit/mutant.ts";
import { touches } from "../kit/selftest.ts";
import type { Ran } from "../kit/run.ts";
import { shapes, type Shape } from "./documents.ts";
import type { Fault } from "./fault.ts";
import { fieldsOf, objectsOf, pathText, sitesOf, type Field, type Path, type Site } from "./fields.ts";
import { areaOf, chapterOf, isOfTheApp } from "./of-messages.ts";
import { holdersOf, isEventOf, parsed, textAsJson } from "./of-shapes.ts";
import { kindOf } from "./of-streams.ts";
import { spellingsOf, type SpellLines } from "./of-headers.ts";
import * as spelling from "./spelling.ts";

/** One legal change of one target: of header lines, of parts of its JSON, of its text or of its stream. */
export interface Variation extends Pick<Fault, "chapter" | "target" | "kind"> {
  /** The index of the alternative. */
  readonly slot: number;
  readonly head?: (exchange: Exchange) => HeaderLines;
  readonly json?: {
    readonly shape: Shape;
    readonly path: Path;
    readonly change: (draft: spelling.Draft, at: Site) => void;
  };
  readonly text?: (exchange: Exchange) => string;
  readonly items?: (item: RelayedItem) => readonly RelayedItem[];
  readonly chunk?: (text: string) => readonly string[];
}

type Parts = Omit<Variation, "chapter" | "target" | "kind" | "slot">;

/** A subject that sends all of these at the same time. */
export interface VariedSubject extends Relay {
  readonly all: readonly Variation[];
}

/** Every variation that changes a message. */
export function generateVariations(ran: readonly Passed[], named: ReadonlyMap<string, string>): readonly Variation[] {
  const all = ran.flatMap((one) => one.exchanges);
  const exchanges = all.filter(isOfTheApp);
  const steps = ran.flatMap((one) => one.steps);
  return [
    ...shapes.flatMap((shape) => {
      const mine = holding(shape, { exchanges: all, steps });
      return ofShape(shape).filter((one) => changes(one, having(mine, shape, one.json?.path ?? [])));
    }),
    ...[...groups(exchanges, pairOf)].flatMap(([pair, mine]) => [
      ...[...named].flatMap(([name, chapter]) => ofHeader(name, chapter, { pair, exchanges: mine })),
      ...ofHead(pair).filter((one) => changes(one, { exchanges: mine, steps: [] })),
    ]),
    ...ofTexts(exchanges.filter(isJson)),
    ...ofStreams(steps.map(({ item }) => kindOf(item))).filter((one) => changes(one, { exchanges: [], steps })),
  ];
}

/** Grouped by the key `of`. */
function groups(
  exchanges: readonly Exchange[],
  of: (exchange: Exchange) => string,
): ReadonlyMap<string, readonly Exchange[]> {
  const found = new Map<string, Exchange[]>();
  for (const exchange of exchanges) found.set(of(exchange), [...(found.get(of(exchange)) ?? []), exchange]);
  return found;
}

/** The messages of a case. */
type Passed = Pick<Ran, "exchanges" | "steps">;

const changes = (one: Variation, passed: Passed): boolean => touches(subjectOf([one]), passed);

/** Different responses and events that contain the shape. */
function holding(shape: Shape, { exchanges, steps }: Passed): Passed {
  const isIt = (exchange: Exchange): boolean =>
    exchange.body.length <= spelledAtMost && holdersOf(shape, exchange).length > 0;
  const bodies = new Map(exchanges.filter(isIt).map((exchange) => [exchange.body, exchange]));
  return { exchanges: [...bodies.values()], steps: steps.filter((step) => isEventOf(shape, step)) };
}

/** The first few that have a value at the path. */
function having({ exchanges, steps }: Passed, shape: Shape, path: Path): Passed {
  const found: Exchange[] = [];
  for (const exchange of exchanges) {
    const sites = holdersOf(shape, exchange).flatMap(({ at }) => sitesOf(parsed(exchange), [...at, ...path]));
    if (sites.some(({ owner, key }) => key in owner)) found.push(exchange);
    if (found.length === 3) break;
  }
  return { exchanges: found, steps: steps.slice(0, 20) };
}

/** Few subjects that together send all variations. */
export function variedSubjects(all: readonly Variation[]): readonly VariedSubject[] {
  const slots = [...new Set(all.map(({ slot }) => slot))];
  return slots.map((at) => subjectOf(all.filter(({ slot }) => slot === at)));
}

/** Larger texts are about their size. */
const spelledAtMost = 100_000;

/** A subject that sends these variations, which must not be alternatives to one another. */
export function subjectOf(all: readonly Variation[]): VariedSubject {
  const chunks = all.flatMap(({ chunk }) => (chunk === undefined ? [] : [chunk]));
  return {
    all,
    rewrite(exchange) {
      if (exchange.status === 0) return exchange;
      let { headers } = exchange;
      for (const { head } of all)
        if (head !== undefined) headers = head(headers === exchange.headers ? exchange : { ...exchange, headers });
      const body = exchange.body.length > spelledAtMost ? exchange.body : textOf(all, exchange);
      const isSame = body === exchange.body && JSON.stringify(headers) === JSON.stringify(exchange.headers);
      if (isSame) return exchange;
      const passed = { ...exchange, headers, body };
      // The length has changed, and HEAD cannot know it.
      return body === exchange.body ? passed : editHeader(passed, "Content-Length", undefined);
    },
    rewriteItem(step) {
      const mine = all.filter(({ json }) => json !== undefined && isEventOf(json.shape, step));
      const data = rewritten(step.item.data, mine, () => [[]]);
      const first = data === step.item.data ? step.item : { ...step.item, data };
      return all.reduce<readonly RelayedItem[]>(
        (items, one) => items.flatMap((item) => one.items?.(item) ?? [item]),
        [first],
      );
    },
    ...(chunks.length === 0
      ? {}
      : {
          rewriteChunk: (text) =>
            chunks.reduce<readonly string[]>((parts, chunk) => parts.flatMap((part) => chunk(part)), [text]),
        }),
  };
}

function textOf(all: readonly Variation[], exchange: Exchange): string {
  const waysTo = new Map<Shape, readonly Path[]>();
  const ways = (shape: Shape): readonly Path[] => {
    const found = waysTo.get(shape) ?? holdersOf(shape, exchange).map(({ at }) => at);
    waysTo.set(shape, found);
    return found;
  };
  let body = rewritten(exchange.body, all, ways);
  for (const { text } of all)
    if (text !== undefined) body = text(body === exchange.body ? exchange : { ...exchange, body });
  return body;
}

/** The JSON text with its marked parts respelled, or unchanged if there are none. */
function rewritten(text: string, all: readonly Variation[], ways: (shape: Shape) => readonly Path[]): string {
  const mine = all.flatMap(({ json }) => (json !== undefined && ways(json.shape).length > 0 ? [json] : []));
  if (mine.length === 0 || textAsJson(text) === undefined) return text;
  const draft = new spelling.Draft(text);
  for (const { shape, path, change } of mine)
    for (const way of ways(shape))
      for (const site of sitesOf(draft.value, [...way, ...path])) if (site.key in site.owner) change(draft, site);
  const changed = String(draft);
  return JSON.stringify(JSON.parse(text)) === changed ? text : changed;
}

/** Alternatives of one target. */
const alternatives = (chapter: string, target: string, kinds: Readonly<Record<string, Parts>>): readonly Variation[] =>
  Object.entries(kinds).map(([kind, parts], slot) => ({ chapter, target, kind, slot, ...parts }));

/** Every field of a shape in other spellings, and its objects with their members in another order, or with an extra member. */
function ofShape(shape: Shape): readonly Variation[] {
  const of = (path: Path, change: (draft: spelling.Draft, at: Site) => void): Parts => ({
    json: { shape, path, change },
  });
  const spells = (path: Path, kinds: Readonly<Record<string, spelling.Spell>>): Readonly<Record<string, Parts>> =>
    Object.fromEntries(
      Object.entries(kinds).map(([kind, spell]) => [kind, of(path, (draft, at) => draft.spell(at, spell))]),
    );
  const target = (path: Path): string => shape.name + pathText(path);
  const chapter = (path: Path): string => (path[0] === "leaves" ? "leaves" : shape.chapter);
  const fields = fieldsOf(shape.schema);
  return [
    ...fields.flatMap(({ path, form }) => [
      ...alternatives(chapter(path), target(path), spells(path, spellingsOfForm(form))),
      ...alternatives(
        chapter(path),
        target(path),
        /^[[{<]/.test(path.at(-1) ?? "")
          ? {}
          : {
              "its name in numbers": of(path, (draft, at) => draft.spellName(at, spelling.inNumbers)),
              "its name begun by a number": of(path, (draft, at) => draft.spellName(at, spelling.firstInNumbers)),
              "its name among blanks": of(path, (draft, at) => draft.spellName(at, spelling.amongBlanks)),
            },
      ),
      ...alternatives(chapter(path), target(path), spells(path, { "among blanks": spelling.amongBlanks })),
    ]),
    ...objectsOf(shape.schema).flatMap((path) => ofObject(shape, path, of)),
  ];
}

function spellingsOfForm(form: Field["form"]): Readonly<Record<string, spelling.Spell>> {
  if (form === "number")
    return { "with a fraction of zero": spelling.withFraction, "with an exponent": spelling.withExponent };
  if (form === "text" || form === "choice" || form === "any")
    return { "in numbers": spelling.inNumbers, "begun by a number": spelling.firstInNumbers };
  return {};
}

/** Shapes that a later release cannot extend: a health result is closed, and so are the subject's own shapes. */
const isClosed = ({ name }: Shape): boolean => name === "HealthResult" || name.startsWith("Subject");

function ofObject(
  shape: Shape,
  path: Path,
  of: (path: Path, change: (draft: spelling.Draft, at: Site) => void) => Parts,
): readonly Variation[] {
  const target = `members of ${shape.name}${pathText(path)}`;
  const ordered = (sort: (names: readonly string[]) => readonly string[]): Parts =>
    of(path, (_, { owner, key }) => spelling.inOrder(owner[key], sort));
  const oneMore = (place: (names: readonly string[]) => readonly string[]): Parts =>
    of(path, (_, { owner, key }) => {
      const found = owner[key];
      if (typeof found !== "object" || found === null || Array.isArray(found)) return;
      Reflect.set(found, "laterRelease", { is: [1, null] });
      spelling.inOrder(found, place);
    });
  return [
    ...alternatives(shape.chapter, target, {
      "from the last to the first": ordered((names) => names.toReversed()),
      "by their names": ordered((names) => names.toSorted()),
      "the first behind the others": ordered(([first = "", ...others]) => [...others, first]),
    }),
    ...alternatives(
      shape.chapter,
      target,
      isClosed(shape)
        ? {}
        : { "one more behind": oneMore((names) => names), "one more before": oneMore((names) => names.toReversed()) },
    ),
  ];
}

const pairOf = ({ sent: { method }, status }: Exchange): string => `${method} → ${status}`;

/** The lines of a header in other spellings, for the methods and statuses with which it occurs. */
function ofHeader(
  name: string,
  chapter: string,
  { pair, exchanges }: { readonly pair: string; readonly exchanges: readonly Exchange[] },
): readonly Variation[] {
  const withIt = exchanges.filter(({ headers }) => headerOf(headers, name) !== undefined);
  if (withIt.length === 0) return [];
  return spellingsOf(name, Number(pair.slice(-3)))
    .flatMap((kinds) => ofLines(chapter, `header ${name} of ${pair}`, pair, kinds))
    .filter((one) => changes(one, { exchanges: withIt, steps: [] }));
}

const cookie: HeaderLines[number] = ["Set-Cookie", "balancer=node-7; Path=/"];

/** Headers that a head may have additionally, or lack. */
function ofHead(pair: string): readonly Variation[] {
  const without = (lines: HeaderLines, which: RegExp): HeaderLines => lines.filter(([name]) => !which.test(name));
  const axes: readonly Readonly<Record<string, SpellLines>>[] = [
    { "fields that nobody asked for": (lines) => [["Server", "another"], ...lines, ["X-Served-By", "node-7"]] },
    {
      "a balancer's own cookie before": (lines) => [cookie, ...lines],
      "a balancer's own cookie behind": (lines) => [...lines, cookie],
    },
    { "no Date": (lines) => without(lines, /^date$/i) },
    pair.startsWith("HEAD ") ? { "no Content-Length": (lines) => without(lines, /^content-length$/i) } : {},
  ];
  return axes.flatMap((kinds) => ofLines("engines", `head of ${pair}`, pair, kinds));
}

function ofLines(
  chapter: string,
  target: string,
  pair: string,
  kinds: Readonly<Record<string, SpellLines>>,
): readonly Variation[] {
  const heads = Object.entries(kinds).map(([kind, spell]): readonly [string, Parts] => [
    kind,
    { head: (exchange) => (pairOf(exchange) === pair ? spell(exchange.headers) : exchange.headers) },
  ]);
  return alternatives(chapter, target, Object.fromEntries(heads));
}

/** JSON with another layout, by place and status. */
function ofTexts(exchanges: readonly Exchange[]): readonly Variation[] {
  const placeOf = (exchange: Exchange): string => `${areaOf(exchange)} → ${exchange.status}`;
  return [...groups(exchanges, placeOf)].flatMap(([place, mine]) => {
    const textOf = (spell: spelling.Spell): Parts => ({
      text: (exchange) => (placeOf(exchange) === place && isJson(exchange) ? spell(exchange.body) : exchange.body),
    });
    const chapter = chapterOf(` of ${place}`, Number(place.slice(-3)));
    return [spelling.characters, spelling.layouts]
      .flatMap((kinds) =>
        alternatives(
          chapter,
          `JSON of ${place}`,
          Object.fromEntries(Object.entries(kinds).map(([kind, spell]) => [kind, textOf(spell)])),
        ),
      )
      .filter((one) => changes(one, { exchanges: mine, steps: [] }));
  });
}

const isJson = ({ headers, body }: Exchange): boolean =>
  body !== "" &&
  /[/+]json\b/i.test(headerOf(headers, "content-type") ?? "") &&
  headerOf(headers, "content-encoding") === undefined;

/** Server-Sent Events may end their lines in three ways, with or without a space after the colon. */
const lineEnds: Readonly<Record<string, spelling.Spell>> = {
  "lines that end with CR LF": (text) => text.replaceAll("\n", "\r\n"),
  "lines that end with CR": (text) => text.replaceAll("\n", "\r"),
  "no blank behind the colon": (text) => text.replaceAll(/^(\w+): (?! )/gm, "$1:"),
  "a field that nobody knows": (text) => text.replaceAll(/^(?=data)/gm, "later: 1\n"),
};

/** Streams of events: what comes between their items, and how their text is split and spelled. */
function ofStreams(kinds: readonly string[]): readonly Variation[] {
  const items = (target: string, change: (item: RelayedItem) => readonly RelayedItem[]): Parts => ({
    items: (item) => (kindOf(item) === target ? change(item) : [item]),
  });
  const text = (spell: spelling.Spell): Parts => ({ chunk: (part) => [spell(part)] });
  return [
    ...[...new Set(kinds)].flatMap((target) => [
      ...alternatives("stream", target, {
        "a comment before": items(target, (item) => [{ kind: "comment", data: "still here" }, item]),
        "an event of a later release before": items(target, (item) => [
          { kind: "event", event: "later", data: "{}" },
          item,
        ]),
        "an event of a later release behind": items(target, (item) => [
          item,
          { kind: "event", event: "later", data: "{}" },
        ]),
        "an empty comment behind": items(target, (item) => [item, { kind: "comment", data: "" }]),
      }),
    ]),
    ...alternatives("stream", "the retry of a stream", { twice: items("retry", (item) => [item, item]) }),
    ...alternatives(
      "stream",
      "the lines of a stream",
      Object.fromEntries(Object.entries(lineEnds).map(([kind, spell]) => [kind, text(spell)])),
    ),
    ...alternatives("stream", "the pieces of a stream", {
      "cut into characters": { chunk: (part) => Array.from(part) },
    }),
  ];
}
