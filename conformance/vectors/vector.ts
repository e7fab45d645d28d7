/**
 * A vector is a case as data: requests, and what must be true of each response. Nothing in it is a program, so it is
 * exported as JSON and runs wherever somebody has written the fifty lines that `run.ts` is.
 *
 *   vectors/*.ts ──▶ Vector ──▶ data/vectors.json   for readers in any language
 *                         └──▶ Case                 for this suite (`--profile vectors`)
 *
 * `{{token}}`, anywhere in a step, stands for a word that nothing else carries. A target is sent as it stands.
 */
import { Type, type Static } from "typebox";
import type { RequirementId } from "../../spec/requirements.ts";
import { profileNames } from "../../spec/subject.ts";
import type { Profile } from "../kit/case.ts";

const closed = { additionalProperties: false } as const;
const text = Type.String();
const texts = Type.Array(text);
const byName = Type.String({ pattern: "^[a-z-]+$" });

const RequestShape = Type.Object(
  {
    method: Type.String({ pattern: "^[A-Z]+$" }),
    target: text,
    headers: Type.Optional(Type.Record(byName, text)),
    body: Type.Optional(text),
  },
  closed,
);

/** What must be true of a header; `null` that it is absent. Lists are compared without their order. */
const HeaderShape = Type.Union([
  Type.Null(),
  Type.Object({ present: Type.Literal(true) }, closed),
  Type.Object({ is: text }, closed),
  Type.Object({ sameAs: Type.Integer({ minimum: 1 }) }, closed),
  Type.Object({ members: texts }, closed),
  Type.Object({ namesAre: texts }, closed),
  Type.Object({ names: text }, closed),
  Type.Object({ mediaType: text }, closed),
  Type.Object({ structuredList: texts }, closed),
]);

const BodyShape = Type.Union([
  Type.Object({ is: text }, closed),
  Type.Object({ json: Type.Unknown() }, closed),
  Type.Object({ holds: Type.Record(Type.String({ pattern: "^[\\s\\S]*$" }), Type.Unknown()) }, closed),
  Type.Object({ keys: texts }, closed),
  Type.Object({ lacks: text }, closed),
]);

const ExpectShape = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    headers: Type.Optional(Type.Record(byName, HeaderShape)),
    body: Type.Optional(BodyShape),
  },
  { ...closed, minProperties: 1 },
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
          steps: Type.Array(Type.Object({ request: RequestShape, expect: Type.Optional(ExpectShape) }, closed), {
            minItems: 1,
          }),
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

/** What must be true of the response. */
export type Expectation = Static<typeof ExpectShape>;

/** What must be true of one header; null that it is absent. */
export type HeaderExpectation = Static<typeof HeaderShape>;

/** What must be true of the body. */
export type BodyExpectation = Static<typeof BodyShape>;

/** One request and what must be true of its response; nothing where it only prepares the next. */
export interface Step {
  readonly request: VectorRequest;
  readonly expect?: Expectation;
}

/** One clause shown by requests and responses. */
export interface Vector {
  readonly id: RequirementId;
  readonly title: string;
  readonly profile: Profile;
  readonly steps: readonly Step[];
  /** Sent at the end, whatever happened before. */
  readonly afterwards: readonly VectorRequest[];
}

/** What a vector may have beside its steps. */
export interface VectorOptions {
  readonly profile?: Profile;
  readonly afterwards?: readonly VectorRequest[];
}

/** A vector of the clause `id`; the title is a fact in the present tense. */
export function shows(
  id: RequirementId,
  title: string,
  steps: readonly Step[],
  { profile = "default", afterwards = [] }: VectorOptions = {},
): Vector {
  return { id, title, profile, steps, afterwards };
}

/** A step: what is sent, and what must be true of the response. */
export function step(
  method: string,
  target: string,
  expect: Expectation | undefined,
  { headers, body }: Pick<VectorRequest, "headers" | "body"> = {},
): Step {
  const request = {
    method,
    target,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
  return expect === undefined ? { request } : { request, expect };
}

/** What a JSON body of a request is sent with. */
export function jsonBody(value: unknown): { readonly headers: Record<string, string>; readonly body: string } {
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
