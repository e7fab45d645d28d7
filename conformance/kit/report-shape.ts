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
    /** What was expected beside what was seen, and where these are tables, row by row. */
    comparison: Type.Optional(
      Type.Object(
        { what: Type.String(), expected: Type.String(), seen: Type.String(), rows: Type.Array(RowResult) },
        closed,
      ),
    ),
    /** The exchanges on which it failed. */
    failed: Type.Array(Type.String()),
    /** A command for each of these that sends its request again, empty where there is none; not in a report that is committed. */
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
    /** It is listed as known to fail. */
    known: Type.Optional(Type.Literal(true)),
    cases: Type.Array(CaseResult),
  },
  closed,
);

const Count = Type.Object({ kept: count, of: count }, closed);

/** How many of the clauses that were run are kept: of all, and of each level that was among them. */
const Score = Type.Object(
  { kept: count, of: count, MUST: Type.Optional(Count), SHOULD: Type.Optional(Count), MAY: Type.Optional(Count) },
  closed,
);

const Suite = Type.Object(
  {
    /** That of its package. */
    version: Type.String(),
    /** Its commit, `-dirty` behind it where files were changed since; null where that is not known. */
    commit: Type.Union([Type.String(), Type.Null()]),
    /** When the report was made: ISO 8601 in UTC. */
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
    /** Which suite it is of; not in a report that is committed, whose commit says so. */
    suite: Type.Optional(Suite),
    subjects: Type.Array(Subject, { minItems: 1 }),
    conformant: Type.Boolean(),
    /** Why it is not whole: the deadline came before the last case. */
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

/** What became of one requirement. */
export type RequirementResult = Static<typeof RequirementResult>;
