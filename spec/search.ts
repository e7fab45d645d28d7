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

/** A part of a run besides its calls and leaves. */
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

/** A run that was found, and where in it. */
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
  calls: Type.Array(Count, { uniqueItems: true }),
  leaves: Type.Array(Count, { uniqueItems: true }),
  parts: Type.Array(SearchPart, { uniqueItems: true }),
});

/** The response of `…/api/search`. */
export const SearchPage = Type.Object(
  {
    hits: Type.Array(SearchHit, { maxItems: 100 }),
    next: Type.Union([Key, Type.Null()]),
    searched: Count,
    tookUs: Count,
  },
  { $id: "SearchPage" },
);

/** Why a query cannot be understood, and where in it. */
export const SearchIssue = Type.Object({
  at: Count,
  length: Count,
  message: Type.String({ minLength: 1 }),
  suggestion: Type.Optional(Type.String({ minLength: 1 })),
});

/** The response to a query that cannot be understood. */
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
