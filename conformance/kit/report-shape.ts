/** The shape of `report.json`. */
import { Type, type Static } from "typebox";

const CaseResult = Type.Object(
  {
    title: Type.String(),
    profile: Type.String(),
    outcome: Type.Enum(["held", "violated", "crashed"]),
    reason: Type.Optional(Type.String()),
    exchanges: Type.Array(Type.String()),
  },
  { additionalProperties: false },
);

const RequirementResult = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Z]+-[0-9]{3}$" }),
    level: Type.Enum(["MUST", "SHOULD", "MAY"]),
    surface: Type.Enum(["wire", "evidence", "page", "api"]),
    sentence: Type.String(),
    verdict: Type.Enum(["pass", "fail", "warn", "note", "error", "n/a", "unrun"]),
    reason: Type.Optional(Type.String()),
    tests: Type.Integer({ minimum: 0 }),
    cases: Type.Array(CaseResult),
  },
  { additionalProperties: false },
);

const Subject = Type.Object(
  {
    url: Type.String(),
    implementation: Type.String(),
    version: Type.String(),
    engine: Type.String(),
    profile: Type.String(),
    features: Type.Array(Type.String()),
  },
  { additionalProperties: false },
);

/** A report, format 1. */
export const ReportShape = Type.Object(
  {
    report: Type.Literal(1),
    subjects: Type.Array(Subject, { minItems: 1 }),
    conformant: Type.Boolean(),
    counts: Type.Record(Type.String({ pattern: "^[a-z/]+$" }), Type.Integer({ minimum: 0 })),
    results: Type.Array(RequirementResult),
  },
  { $id: "ConformanceReport", additionalProperties: false },
);

/** A report of one run. */
export type Report = Static<typeof ReportShape>;

/** What became of one requirement. */
export type RequirementResult = Static<typeof RequirementResult>;
