/**
 * Changes: the ways in which a value of each form can be wrong, independent of its meaning.
 *
 *   number   zero · one more · ×1,000 · ÷1,000 · always the same        list     empty · reversed · cut · doubled
 *   text     empty · cut · always the same                              record   empty · cut
 *   boolean  the opposite · always true · always false                  choice   always the first, the last
 *   each     missing · null · its sibling's · its neighbour's · made up where there is none
 */
import { isDeepStrictEqual } from "node:util";
import type { Field } from "./fields.ts";

/** The place of a value. */
export interface Place {
  /** The object that contains it. */
  readonly owner: Readonly<Record<string, unknown>>;
  /** The enclosing objects, the outermost first. */
  readonly owners: readonly Readonly<Record<string, unknown>>[];
  /** Its index in the innermost list and the length of that list; 0 of 0 without a list. */
  readonly at: number;
  readonly size: number;
  /** The same field of the previous item, or of the last one for the first. The value itself outside of lists. */
  readonly neighbour: unknown;
}

/** The changed value, or the same one if this fault makes no difference. Undefined to remove it. */
export type Change = (value: unknown, place: Place) => unknown;

type Changes = Readonly<Record<string, Change>>;

/** Every way in which the field can be wrong; `samples` are observed values of it. */
export function changesOf({ form, choices, sibling }: Field, samples: readonly unknown[]): Changes {
  const [sample, another = sample] = samples;
  return {
    missing: () => undefined,
    null: ifThere(() => null),
    ...byForm[form],
    ...(form === "choice" ? constants(choices) : {}),
    ...(sample === undefined ? {} : sampled(form, sample, another)),
    ...(sibling === undefined
      ? {}
      : { [`that of ${sibling}`]: ifThere((value, { owner }) => owner[sibling] ?? value) }),
    "its neighbour's": ifThere((value, { neighbour }) => neighbour ?? value),
  };
}

/** Applies the change only if there is a value. */
function ifThere(change: Change): Change {
  return (value, place) => (value === undefined || value === null ? value : change(value, place));
}

function sampled(form: Field["form"], sample: unknown, another: unknown): Changes {
  const isScalar = form === "number" || form === "text" || form === "any";
  return {
    // Two values, so that one is always wrong.
    ...(isScalar
      ? { "always the same": ifThere((value) => (isDeepStrictEqual(value, sample) ? another : sample)) }
      : {}),
    "made up": (value) => value ?? sample,
  };
}

const constants = (choices: readonly unknown[]): Changes =>
  Object.fromEntries([choices[0], choices.at(-1)].map((choice) => [`always ${String(choice)}`, ifThere(() => choice)]));

const number = (change: (value: number) => number): Change =>
  ifThere((value) => (typeof value === "number" ? change(value) : value));
const text = (change: (value: string) => string): Change =>
  ifThere((value) => (typeof value === "string" ? change(value) : value));
const list = (change: (value: readonly unknown[]) => readonly unknown[]): Change =>
  ifThere((value) => (Array.isArray(value) ? change(value as readonly unknown[]) : value));
const record = (change: (value: object) => object): Change => ifThere((value) => change(value as object));

const byForm: Readonly<Record<Field["form"], Changes>> = {
  number: {
    zero: number(() => 0),
    "one more": number((value) => value + 1),
    "×1,000": number((value) => value * 1_000),
    "÷1,000": number((value) => (Number.isInteger(value) ? Math.trunc(value / 1_000) : value / 1_000)),
  },
  text: { empty: text(() => ""), cut: text((value) => value.slice(0, -1)) },
  boolean: {
    "the opposite": ifThere((value) => value !== true),
    "always true": ifThere(() => true),
    "always false": ifThere(() => false),
  },
  list: {
    empty: list(() => []),
    reversed: list((items) => items.toReversed()),
    cut: list((items) => items.slice(0, -1)),
    doubled: list((items) => [...items, ...items.slice(-1)]),
  },
  record: {
    empty: record(() => ({})),
    cut: record((members) => Object.fromEntries(Object.entries(members).slice(0, -1))),
  },
  choice: {},
  object: {},
  any: { empty: ifThere((value) => (typeof value === "string" ? "" : Array.isArray(value) ? [] : {})) },
};
