/**
 * Search: what a search of the kept runs responds with, and what a query gets that cannot be understood.
 *
 * Spec: spec/search.md
 */
import { Type } from "typebox";
import { instance, path, runKey } from "./forms.ts";
import { RunKind } from "./stream.ts";

const Count = Type.Integer({ minimum: 0 });
const Key = Type.String({ pattern: runKey });

/** A part of a run, besides its calls and leaves, in which a search has found something. */
export const SearchPart = Type.Union([
  Type.Literal("run"),
  Type.Literal("path"),
  Type.Literal("param"),
  Type.Literal("query"),
  Type.Literal("header"),
  Type.Literal("body"),
  Type.Literal("response"),
  Type.Literal("error"),
  Type.Literal("contract"),
]);

/** A run that a search has found, and where. */
export const SearchHit = Type.Object({
  instance: Type.String({ pattern: instance }),
  sequence: Type.Integer({ minimum: 1 }),
  kind: RunKind,
  method: Type.String({ minLength: 1 }),
  path: Type.String(),
  route: Type.Union([Type.String({ pattern: path }), Type.Null()]),
  status: Type.Integer({ minimum: 101, maximum: 599 }),
  startedAt: Count,
  durationUs: Count,
  /** Ids of the calls in which it was found. */
  calls: Type.Array(Count, { uniqueItems: true }),
  /** Ids of the leaves in which it was found. */
  leaves: Type.Array(Count, { uniqueItems: true }),
  parts: Type.Array(SearchPart, { uniqueItems: true }),
});

/** What a search has found, the newest first. */
export const SearchPage = Type.Object(
  {
    hits: Type.Array(SearchHit, { maxItems: 100 }),
    /** What `cursor` has to be for the hits before these; null where there are none. */
    next: Type.Union([Key, Type.Null()]),
    /** How many runs were looked at. */
    searched: Count,
    /** How long that took. */
    tookUs: Count,
  },
  { $id: "SearchPage" },
);

/** Why a query cannot be understood, and where in it. */
export const SearchIssue = Type.Object({
  /** The index of the first character that it is about. */
  at: Count,
  length: Count,
  message: Type.String({ minLength: 1 }),
  /** The whole query as it was probably meant. */
  suggestion: Type.Optional(Type.String({ minLength: 1 })),
});

/** The response to a query that cannot be understood: a problem (RFC 9457). */
export const SearchProblem = Type.Object(
  {
    type: Type.Literal("about:blank"),
    title: Type.String({ minLength: 1 }),
    status: Type.Integer({ minimum: 400, maximum: 499 }),
    detail: Type.String({ minLength: 1 }),
    issues: Type.Array(SearchIssue, { minItems: 1 }),
  },
  { $id: "SearchProblem" },
);
