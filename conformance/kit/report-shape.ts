/** The shape of `report.json`. */
import { Type, type Static } from "typebox";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });

/** A row of a table that a case compares. */
const RowResult = Type.Object(
  { name: Type.String(), held: Type.Boolean(), expected: Type.String(), seen: Type.String() },
  closed,
);

const CaseResult = Type.Object(
  {
    title: Type.String(),
    profile: Type.String(),
    outcome: Type.Enum(["held", "violated", "crashed"]),
    reason: Type.Optional(Type.String()),
    /** Expected and actual values, and for tables the rows. */
    comparison: Type.Optional(
      Type.Object(
        { what: Type.String(), expected: Type.String(), seen: Type.String(), rows: Type.Array(RowResult) },
        closed,
      ),
    ),
    /** The exchanges that failed. */
    failed: Type.Array(Type.String()),
    /** For each of these, a command that repeats its request, or an empty text. Not in a committed report. */
    commands: Type.Optional(Type.Array(Type.String())),
    /** The last exchanges, in order. */
    exchanges: Type.Array(Type.String()),
  },
  closed,
);

const RequirementResult = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Z]+-[0-9]{3}$" }),
    level: Type.Enum(["MUST", "SHOULD", "MAY"]),
    origin: Type.Enum(["source", "house"]),
    surface: Type.Enum(["wire", "evidence", "page"]),
    sentence: Type.String(),
    verdict: Type.Enum(["pass", "fail", "warn", "note", "error", "n/a", "unrun"]),
    reason: Type.Optional(Type.String()),
    /** It is listed as a known failure. */
    known: Type.Optional(Type.Literal(true)),
    cases: Type.Array(CaseResult),
  },
  closed,
);

const Count = Type.Object({ kept: count, of: count }, closed);

/** How many of the clauses that ran are kept: in total, and for each level that ran. */
const Score = Type.Object(
  { kept: count, of: count, MUST: Type.Optional(Count), SHOULD: Type.Optional(Count), MAY: Type.Optional(Count) },
  closed,
);

const Suite = Type.Object(
  {
    /** The version of its package. */
    version: Type.String(),
    /** Its commit, with `-dirty` after it if files have changed since, or null if it is not known. */
    commit: Type.Union([Type.String(), Type.Null()]),
    /** The time of the report: ISO 8601 in UTC. */
    date: Type.String(),
    /** The version of Node that ran it. */
    node: Type.String(),
  },
  closed,
);

/** One cause that several clauses fail on. */
const Cause = Type.Object({ cause: Type.String(), ids: Type.Array(Type.String(), { minItems: 2 }) }, closed);

const Subject = Type.Object(
  {
    url: Type.String(),
    implementation: Type.String(),
    version: Type.String(),
    engine: Type.String(),
    profile: Type.String(),
    features: Type.Array(Type.String()),
  },
  closed,
);

/** A report, format 1. */
export const ReportShape = Type.Object(
  {
    report: Type.Literal(1),
    /** The suite that made it. Not in a committed report, since its commit says so. */
    suite: Type.Optional(Suite),
    subjects: Type.Array(Subject, { minItems: 1 }),
    conformant: Type.Boolean(),
    /** Why it is incomplete: the deadline came before the last case. */
    ended: Type.Optional(Type.String()),
    scores: Type.Object({ source: Score, house: Score }, closed),
    counts: Type.Record(Type.String({ pattern: "^[a-z/]+$" }), count),
    shared: Type.Array(Cause),
    results: Type.Array(RequirementResult),
  },
  { $id: "ConformanceReport", ...closed },
);

/** A report of one run. */
export type Report = Static<typeof ReportShape>;

/** The result of one requirement. */
export type RequirementResult = Static<typeof RequirementResult>;
