/**
 * Conditional faults, like those of real implementations: each fault under each condition that some, but not all, of the
 * messages it changes met on the conformant subject.
 *
 *   faults × conditions ──▶ those that change something ──▶ so many of each chapter and kind of condition
 *
 * There are too many to run, so a seed chooses. A conditional fault is left out if it changes as much as the unconditional
 * one, or if it lies within a fault that a chapter leaves open.
 */
import fc from "fast-check";
import type { Chapter } from "../kit/chapters.ts";
import type { Profile } from "../kit/case.ts";
import type { Exchange, StreamStep } from "../kit/exchange.ts";
import { headerOf } from "../kit/mutant.ts";
import type { Ran } from "../kit/run.ts";
import type { Change, Place } from "./changes.ts";
import { ofDocuments, ofLines, ofMessages, ofPlaces, partition, type Message } from "./conditions.ts";
import { shapes, type Shape } from "./documents.ts";
import type { Fault, When } from "./fault.ts";
import { fieldsOf, sitesOf, valuesAt, type Path } from "./fields.ts";
import { generateFaults, headersNamed } from "./generate.ts";
import { isUnspecified } from "./judge.ts";
import { headerFaults, isOfTheApp } from "./of-messages.ts";
import {
  brokenFields,
  holdersOf,
  isEventOf,
  parsed,
  placeOf,
  relayOf,
  textAsJson,
  type BrokenField,
} from "./of-shapes.ts";

/** A fault that may turn out to change nothing. Finding out costs more than creating it. */
interface Candidate {
  readonly fault: Fault;
  /** The messages that it could change. */
  readonly of: Passed;
}

interface Passed {
  readonly exchanges: readonly Exchange[];
  readonly steps: readonly StreamStep[];
}

/** The chosen faults, and the number of candidates. */
export interface Chosen {
  readonly faults: readonly Fault[];
  readonly candidates: number;
}

/** This number of faults for each chapter and kind of condition. The same seed chooses the same ones. */
export function conditionalFaults(
  ran: readonly Ran[],
  chapters: readonly Chapter[],
  { each, seed }: { readonly each: number; readonly seed: number },
): Chosen {
  const groups = new Map<string, Candidate[]>();
  let candidates = 0;
  for (const one of allCandidates(ran, chapters)) {
    candidates += 1;
    const group = `${one.fault.chapter} ${one.fault.when?.by ?? ""}`;
    const mine = groups.get(group) ?? [];
    groups.set(group, mine);
    mine.push(one);
  }
  const faults = [...groups.values()].flatMap((mine) => sampled(mine, each, seed));
  return { faults, candidates };
}

/** The first few that change something, in the seed's order. */
function sampled(all: readonly Candidate[], most: number, seed: number): readonly Fault[] {
  const size = { minLength: all.length, maxLength: all.length };
  const [order = []] = fc.sample(fc.shuffledSubarray([...all], size), { seed, numRuns: 1 });
  const found: Fault[] = [];
  for (const { fault, of } of order) {
    if (found.length === most) break;
    if (changesSome(fault, of)) found.push(fault);
  }
  return found;
}

const changesSome = (fault: Fault, { exchanges, steps }: Passed): boolean =>
  exchanges.some((exchange) => fault.rewrite(exchange) !== exchange) ||
  steps.some((step) => {
    const [first, ...others] = fault.rewriteItem(step);
    return first !== step.item || others.length > 0;
  });

type Kinds = Readonly<Record<string, (one: Message) => readonly string[]>>;

/** The messages by the chapters of their cases, and the faults that may be applied to them. */
interface Passing {
  readonly askedBy: (isMeant: (chapter: Chapter) => boolean) => Passed;
  readonly conditions: Conditions;
  readonly isOpen: (fault: Pick<Fault, "target" | "kind">) => boolean;
}

/** Every fault under every condition that some of its messages met. */
function allCandidates(ran: readonly Ran[], chapters: readonly Chapter[]): readonly Candidate[] {
  const profiles = ran.flatMap(({ case: { profile }, exchanges }) => exchanges.map((one) => [one, profile] as const));
  const passing: Passing = {
    askedBy(isMeant) {
      const ids = new Set<string>(chapters.filter(isMeant).flatMap(({ clauses }) => clauses.map(({ id }) => id)));
      const mine = ran.filter(({ case: { id } }) => ids.has(id));
      return { exchanges: mine.flatMap(({ exchanges }) => exchanges), steps: mine.flatMap(({ steps }) => steps) };
    },
    conditions: new Conditions(new Map(profiles)),
    isOpen: (fault: Pick<Fault, "target" | "kind">) => isUnspecified(fault, chapters),
  };
  const seen = passing.askedBy(() => true);
  const always = generateFaults(ran, chapters);
  return [
    ...[...headersNamed(chapters, seen.exchanges)].flatMap((header) => ofHeader(header, always, passing)),
    ...always.flatMap((fault) => (isOfMessages(fault) ? ofMessage(fault, passing) : [])),
    ...shapes.flatMap((shape) => ofShape(shape, seen, passing)),
  ];
}

/** A wrong header under a condition, except for the methods or statuses that a chapter leaves open. */
function ofHeader(
  [name, chapter]: readonly [string, string],
  always: readonly Fault[],
  { askedBy, conditions, isOpen }: Passing,
): readonly Candidate[] {
  const { exchanges } = askedBy(({ clauses }) =>
    clauses.some(({ sentence }) => sentence.toLowerCase().includes(`\`${name}`)),
  );
  const withIt = exchanges.filter((one) => isOfTheApp(one) && headerOf(one.headers, name) !== undefined);
  const open = always.filter((fault) => fault.target.startsWith(`header ${name},`) && isOpen(fault));
  return headerFaults(name, chapter).flatMap((fault) => {
    if (isOpen(fault)) return [];
    const alike = open.filter(({ kind }) => kind === fault.kind);
    const left = withIt.filter((one) => alike.every(({ rewrite }) => rewrite(one) === one));
    return conditions.of(fault, { exchanges: left, steps: [] }, { ...ofMessages, ...linesOf(name) });
  });
}

const shapeNames = new Set(shapes.map(({ name }) => name));

/** Is it neither about a header nor about a shape? */
const isOfMessages = ({ target, kind }: Fault): boolean =>
  kind !== "unseen" && !target.startsWith("header ") && !shapeNames.has(/^\w+/.exec(target)?.[0] ?? "");

function ofMessage(fault: Fault, { askedBy, conditions, isOpen }: Passing): readonly Candidate[] {
  if (isOpen(fault)) return [];
  const { exchanges, steps } = askedBy(({ name }) => name === fault.chapter);
  return conditions.of(fault, {
    exchanges: exchanges.filter((one) => fault.rewrite(one) !== one),
    steps: steps.filter((step) => fault.rewriteItem(step)[0] !== step.item),
  });
}

function ofShape(shape: Shape, seen: Passed, { askedBy, conditions, isOpen }: Passing): readonly Candidate[] {
  const { exchanges, steps } = askedBy(
    ({ name, clauses }) => name === shape.chapter || clauses.some(({ schema }) => schema === shape.name),
  );
  const passed = {
    exchanges: exchanges.filter((one) => holdersOf(shape, one).length > 0),
    steps: steps.filter((step) => isEventOf(shape, step)),
  };
  return brokenFields(shape, seen).flatMap((broken) => {
    const { chapter, target, kind, path, change } = broken;
    if (change === undefined || isOpen(broken)) return [];
    const fault = { chapter, target, kind, ...relayOf(shape, path, change) };
    return [...conditions.of(fault, passed, ofDocuments), ...ofPlacesOf(shape, { ...broken, change }, passed)];
  });
}

/** A fault under a condition. */
const under = (fault: Pick<Fault, "chapter" | "target" | "kind">, when: Omit<When, "of">) => ({
  chapter: fault.chapter,
  target: `${fault.target}, ${when.label}`,
  kind: fault.kind,
  when: { ...when, of: fault.target },
});

/** The conditions of messages. Messages are partitioned once for all faults of the same messages. */
class Conditions {
  readonly #profiles: ReadonlyMap<object, Profile>;
  readonly #known = new WeakMap<readonly Exchange[], ReturnType<typeof partition>>();

  constructor(profiles: ReadonlyMap<object, Profile>) {
    this.#profiles = profiles;
  }

  /** The fault under each condition that some of these messages met. */
  of(fault: Fault, passed: Passed, kinds: Kinds = ofMessages): readonly Candidate[] {
    const { exchanges, steps } = passed;
    const known =
      this.#known.get(exchanges) ??
      partition([...exchanges, ...steps.map(messageOf)], {
        ...kinds,
        profile: (one) => [`profile ${this.#profiles.get(one) ?? "default"}`],
      });
    this.#known.set(exchanges, known);
    return known.map(({ by, label, among }) => {
      const isMet = metBy(kinds, by, label);
      return {
        fault: {
          ...under(fault, {
            by,
            label,
            ...(by === "profile" ? { profile: label.slice("profile ".length) as Profile } : {}),
          }),
          rewrite: (exchange) => (isMet(exchange) ? fault.rewrite(exchange) : exchange),
          rewriteItem: (step) => (isMet(messageOf(step)) ? fault.rewriteItem(step) : [step.item]),
        },
        of: {
          exchanges: exchanges.filter((_, at) => among.has(at)),
          steps: steps.filter((_, at) => among.has(exchanges.length + at)),
        },
      };
    });
  }
}

const linesOf = (header: string): Kinds =>
  Object.fromEntries(
    Object.entries(ofLines).map(([by, labelsOf]) => [
      by,
      ({ headers }: Message) => labelsOf(headerOf(headers, header) ?? ""),
    ]),
  );

function metBy(kinds: Kinds, by: string, label: string): (one: Message) => boolean {
  // The judge selects the profile.
  return by === "profile" ? () => true : (one) => kinds[by]?.(one).includes(label) === true;
}

/** The response of a stream item. The item only has its request and its index. */
const messageOf = ({ sent, index }: StreamStep): Message => ({ sent, status: 200, headers: [], earlier: index });

/** Documents are many and similar, so this number of them is enough to find the conditions. */
const documentsAtMost = 60;

/** A wrong field under a condition of its surroundings. */
function ofPlacesOf(
  shape: Shape,
  { path, change, ...fault }: BrokenField & { readonly change: Change },
  passed: Passed,
): readonly Candidate[] {
  const marks = marksOf(shape);
  const divided = dividedPlaces.get(path) ?? partition(placesOf(shape, path, passed), kindsOfPlaces(marks));
  dividedPlaces.set(path, divided);
  return divided.map(({ by, label }) => ({
    fault: {
      ...under(fault, { by, label }),
      ...relayOf(shape, path, (value, place) =>
        ofPlaces[by]?.(value, place, marks).includes(label) === true ? change(value, place) : value,
      ),
    },
    of: passed,
  }));
}

/** The places of a field, partitioned once for all changes of it. */
const dividedPlaces = new WeakMap<Path, ReturnType<typeof partition>>();

interface Placed {
  readonly value: unknown;
  readonly place: Place;
}

function placesOf(shape: Shape, path: Path, passed: Passed): readonly Placed[] {
  return documentsOf(shape, passed).flatMap((document) => {
    const sites = sitesOf(document, path);
    return sites.map((site, index) => ({ value: site.owner[site.key], place: placeOf(site, index, sites) }));
  });
}

const kindsOfPlaces = (marks: ReadonlySet<string>): Readonly<Record<string, (one: Placed) => readonly string[]>> =>
  Object.fromEntries(
    Object.entries(ofPlaces).map(([by, labelsOf]) => [by, ({ value, place }) => labelsOf(value, place, marks)]),
  );

/** The members that distinguish documents of a shape. */
function marksOf({ schema }: Shape): ReadonlySet<string> {
  const choices = fieldsOf(schema).filter(({ form }) => form === "choice" || form === "boolean");
  return new Set(["method", "status", "kind", ...choices.flatMap(({ path }) => path.slice(-1))]);
}

const known = new WeakMap<Passed, readonly unknown[]>();

/** A sample of the documents of the shape, from the whole run. */
function documentsOf(shape: Shape, passed: Passed): readonly unknown[] {
  const found =
    known.get(passed) ??
    spread(passed.exchanges).flatMap((exchange) =>
      holdersOf(shape, exchange).flatMap(({ at }) => valuesAt(parsed(exchange), at)),
    );
  known.set(passed, found);
  return found.length > 0 ? found : spread(passed.steps).map(({ item }) => textAsJson(item.data));
}

function spread<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.floor(all.length / documentsAtMost));
  return all.filter((_, at) => at % step === 0);
}
