/**
 * Search: the result of a search of the kept runs, and the response to an invalid query.
 *
 * Spec: spec/search.md
 */
import { Type } from "typebox";
import { instance, path, runKey } from "./forms.ts";
import { RunKind } from "./stream.ts";
import { AttemptMark } from "./trace.ts";

const Count = Type.Integer({ minimum: 0 });
const Key = Type.String({ pattern: runKey });

/** A part of a run, other than its calls and leaves, in which a search found something. */
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

/** A run that a search found, with the positions. */
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
  /** Of an attempt at a job. */
  job: Type.Optional(AttemptMark),
  /** Ids of the calls in which it was found. */
  calls: Type.Array(Count, { uniqueItems: true }),
  /** Ids of the leaves in which it was found. */
  leaves: Type.Array(Count, { uniqueItems: true }),
  parts: Type.Array(SearchPart, { uniqueItems: true }),
});

/** The result of a search, the newest run first. */
export const SearchPage = Type.Object(
  {
    hits: Type.Array(SearchHit, { maxItems: 100 }),
    /** The `cursor` for the hits before these, or null if there are none. */
    next: Type.Union([Key, Type.Null()]),
    /** How many runs were searched. */
    searched: Count,
    /** How long the search took. */
    tookUs: Count,
  },
  { $id: "SearchPage" },
);

/** Why a query is invalid, with the position. */
export const SearchIssue = Type.Object({
  /** The index of the first character concerned. */
  at: Count,
  length: Count,
  message: Type.String({ minLength: 1 }),
  /** The whole query, probably as intended. */
  suggestion: Type.Optional(Type.String({ minLength: 1 })),
});

/** The response to an invalid query: a problem (RFC 9457). */
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
