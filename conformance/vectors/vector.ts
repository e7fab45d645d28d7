/**
 * A vector is a case as data: requests, and what must be true of each response. Nothing in it is a program, so it is
 * exported as JSON and runs wherever somebody has written the fifty lines that `run.ts` is.
 *
 *   vectors/*.ts ──▶ Vector ──▶ data/vectors.json   for readers in any language
 *                         └──▶ Case                 for this suite (`--profile vectors`)
 *
 * `{{token}}`, anywhere in a step, stands for a word that nothing else carries, `{{x*9000}}` for so many letters x,
 * `{{host}}` and `{{origin}}` for those of the subject, and any other name for what a step before has saved under it. A
 * target is sent as it stands; `base64` is a body that is no text, and a list of header values a line for each.
 */
import { Type, type Static } from "typebox";
import type { Feature, RequirementId } from "../../spec/requirements.ts";
import { profileNames } from "../../spec/subject.ts";
import type { Profile } from "../kit/case.ts";

const closed = { additionalProperties: false } as const;
const text = Type.String();
const texts = Type.Array(text);
const anyText = Type.String({ pattern: "^[\\s\\S]*$" });
const byName = Type.String({ pattern: "^[a-z0-9-]+$" });

const RequestShape = Type.Object(
  {
    method: Type.String({ pattern: "^[A-Z]+$" }),
    target: text,
    /** A list is a line for each; of `host` also none. */
    headers: Type.Optional(Type.Record(byName, Type.Union([text, texts]))),
    body: Type.Optional(text),
    base64: Type.Optional(text),
    /** Sent in chunks, without its length. */
    chunked: Type.Optional(Type.Literal(true)),
  },
  closed,
);

/**
 * What must be true of a header that is there; `without`, also of one that is not. Lists are compared without their order. Of a challenge, `scheme` and a charset
 * in small letters; `false` that there is no parameter of this name, `true` that there is one.
 */
const HeaderValueShape = Type.Union([
  Type.Object({ present: Type.Literal(true) }, closed),
  Type.Object({ is: text }, closed),
  Type.Object({ not: text }, closed),
  Type.Object({ matches: text }, closed),
  Type.Object({ without: text }, closed),
  Type.Object({ sameAs: Type.Integer({ minimum: 1 }) }, closed),
  Type.Object({ members: texts }, closed),
  Type.Object({ namesAre: texts }, closed),
  Type.Object({ names: text }, closed),
  Type.Object({ once: text }, closed),
  Type.Object({ lacks: text }, closed),
  Type.Object({ mediaType: text }, closed),
  Type.Object({ structuredList: texts }, closed),
  Type.Object(
    { challenges: Type.Array(Type.Record(Type.String({ pattern: "^[a-z_]+$" }), Type.Union([text, Type.Boolean()]))) },
    closed,
  ),
]);

/** `null` that it is absent; a list that all of these are true. */
const HeaderShape = Type.Union([Type.Null(), HeaderValueShape, Type.Array(HeaderValueShape, { minItems: 2 })]);

/**
 * What must be true of a value in a JSON body. `members` are those of a list in any order; `has` is a member of a list, or a
 * part of a text.
 */
const ValueShape = Type.Union([
  Type.Object({ present: Type.Boolean() }, closed),
  Type.Object({ is: Type.Unknown() }, closed),
  Type.Object({ not: Type.Unknown() }, closed),
  Type.Object({ members: Type.Array(Type.Unknown()) }, closed),
  Type.Object({ has: Type.Unknown() }, closed),
  Type.Object({ lacks: Type.Unknown() }, closed),
  Type.Object({ matches: text }, closed),
  Type.Object({ from: Type.Number(), to: Type.Number() }, closed),
]);

/**
 * `at` is by JSON pointer (RFC 6901), with two steps more: `[a=1&b=x]` is the first member of a list that has these values
 * of these names, and `*` leads into every member, to the list of what is there.
 */
const BodyPartShape = Type.Union([
  Type.Object({ is: text }, closed),
  Type.Object({ json: Type.Unknown() }, closed),
  Type.Object({ at: Type.Record(anyText, ValueShape) }, closed),
  Type.Object({ has: text }, closed),
  Type.Object({ lacks: text }, closed),
  Type.Object({ matches: text }, closed),
]);

/**
 * In a list, all must be true. A body in gzip is checked as it was before the coding. `has`, `lacks` and `matches` check JSON as
 * `JSON.stringify` writes it.
 */
const BodyShape = Type.Union([BodyPartShape, Type.Array(BodyPartShape, { minItems: 2 })]);

const ExpectShape = Type.Object(
  {
    /** The status, or its class: `4xx`. */
    status: Type.Optional(
      Type.Union([Type.Integer({ minimum: 100, maximum: 599 }), Type.String({ pattern: "^[1-5]xx$" })]),
    ),
    headers: Type.Optional(Type.Record(byName, HeaderShape)),
    body: Type.Optional(BodyShape),
    /** The response comes whole within so many seconds. */
    within: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    /** The connection is closed before the response is whole. */
    cut: Type.Optional(Type.Literal(true)),
  },
  { ...closed, minProperties: 1 },
);

/** What a later step names: a header, what stands at a pointer, or the body; of a text the first group of `part`. */
const SavedShape = Type.Union([
  Type.Object({ header: byName, part: Type.Optional(text) }, closed),
  Type.Object({ at: text }, closed),
  Type.Object({ body: text }, closed),
]);

const StepShape = Type.Object(
  {
    request: RequestShape,
    /** It is sent again until this is true. */
    until: Type.Optional(ExpectShape),
    expect: Type.Optional(ExpectShape),
    save: Type.Optional(Type.Record(Type.String({ pattern: "^[a-z][A-Za-z]*$" }), SavedShape)),
  },
  closed,
);

/** The shape of `data/vectors.json`. */
export const VectorsShape = Type.Object(
  {
    format: Type.Literal(1),
    vectors: Type.Array(
      Type.Object(
        {
          id: Type.String({ pattern: "^[A-Z]+-[0-9]{3}$" }),
          title: text,
          profile: Type.Enum([...profileNames]),
          features: texts,
          steps: Type.Array(StepShape, { minItems: 1 }),
          afterwards: Type.Array(RequestShape),
        },
        closed,
      ),
    ),
  },
  { $id: "ConformanceVectors", ...closed },
);

/** What is sent. */
export type VectorRequest = Static<typeof RequestShape>;

/** What goes with a request. */
export type VectorContent = Omit<VectorRequest, "method" | "target">;

/** What must be true of the response. */
export type Expectation = Static<typeof ExpectShape>;

/** What must be true of one header; null that it is absent. */
export type HeaderExpectation = Static<typeof HeaderShape>;

/** One thing that must be true of a header that is there. */
export type HeaderValueExpectation = Static<typeof HeaderValueShape>;

/** What must be true of the body. */
export type BodyExpectation = Static<typeof BodyShape>;

/** One thing that must be true of the body. */
export type BodyPartExpectation = Static<typeof BodyPartShape>;

/** What must be true of a value in a JSON body. */
export type ValueExpectation = Static<typeof ValueShape>;

/** What a later step names. */
export type Saved = Static<typeof SavedShape>;

/** One request and what must be true of its response; nothing where it only prepares the next. */
export type Step = Static<typeof StepShape>;

/** When a step is over, and what later ones know of it. */
export type StepOptions = Pick<Step, "until" | "save">;

/** One clause shown by requests and responses. */
export interface Vector {
  readonly id: RequirementId;
  readonly title: string;
  readonly profile: Profile;
  readonly steps: readonly Step[];
  /** What a subject must declare for it, beyond what its clause names. */
  readonly features: readonly Feature[];
  /** Sent at the end, whatever happened before. */
  readonly afterwards: readonly VectorRequest[];
}

/** What a vector may have beside its steps. */
export interface VectorOptions {
  readonly profile?: Profile;
  readonly features?: readonly Feature[];
  readonly afterwards?: readonly VectorRequest[];
}

/** A vector of the clause `id`; the title is a fact in the present tense. */
export function shows(
  id: RequirementId,
  title: string,
  steps: readonly Step[],
  { profile = "default", features = [], afterwards = [] }: VectorOptions = {},
): Vector {
  return { id, title, profile, features, steps, afterwards };
}

/** A step: what is sent, and what must be true of the response. */
export function step(
  method: string,
  target: string,
  expect?: Expectation,
  content: VectorContent = {},
  options: StepOptions = {},
): Step {
  return { request: { method, target, ...content }, ...options, ...(expect && { expect }) };
}

/** A pattern of the text, in whatever case. */
export function caseless(words: string): string {
  return words.replaceAll(/[a-z]|[^\w\s]/gi, (letter) =>
    /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : `\\${letter}`,
  );
}

/** A JSON object whose members of these names have these values. */
export function holds(members: Readonly<Record<string, unknown>>): BodyPartExpectation {
  return { at: Object.fromEntries(Object.entries(members).map(([name, is]) => [`/${name}`, { is }])) };
}

/** What a JSON body of a request is sent with. */
export function jsonBody(
  value: unknown,
  headers: VectorRequest["headers"] = {},
): { readonly headers: NonNullable<VectorRequest["headers"]>; readonly body: string } {
  return { headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}
