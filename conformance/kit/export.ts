/**
 * What the suite says, for readers that are no program of ours: every clause with where it comes from, in one document.
 *
 *   chapters + requirements + decisions ──▶ { format, clauses, decisions } ──▶ data/clauses.json
 */
import { Type } from "typebox";
import { readDecisions } from "../../spec/clauses.ts";
import { requirements, type Requirement } from "../../spec/requirements.ts";
import { readChapters, readPage } from "./chapters.ts";

const closed = { additionalProperties: false } as const;
const text = Type.String({ minLength: 1 });

/** The shape of `data/clauses.json`. */
export const ClausesShape = Type.Object(
  {
    format: Type.Literal(1),
    clauses: Type.Array(
      Type.Object(
        {
          id: Type.String({ pattern: "^[A-Z]+-[0-9]{3}$" }),
          chapter: text,
          level: Type.Enum(["MUST", "SHOULD", "MAY"]),
          /** Who owes it: any implementation (`source`), or this framework by its own decision (`house`). */
          origin: Type.Enum(["source", "house"]),
          surface: Type.Enum(["wire", "evidence", "page", "api"]),
          /** What a subject must declare, all of it, for the clause to apply. */
          features: Type.Array(text),
          /** The shape that it speaks of: a file of `data/schemas/`. */
          schema: Type.Union([text, Type.Null()]),
          sentence: text,
          sources: Type.Array(text),
          /** Keys of `decisions`. */
          decisions: Type.Array(text),
        },
        closed,
      ),
      { minItems: 1 },
    ),
    decisions: Type.Record(Type.String({ pattern: "^D-" }), text),
  },
  { $id: "ConformanceClauses", ...closed },
);

/** Every clause, in the order of the chapters, and the decisions that they rest on. */
export function clausesDocument(): object {
  const known = readDecisions(readPage("decisions.md"));
  const clauses = readChapters().flatMap(({ name, clauses: inChapter }) =>
    inChapter.map(({ id, sentence, level, origin, sources, decisions }) => {
      const { surface, feature = [], schema }: Requirement = requirements[id as keyof typeof requirements];
      const features = typeof feature === "string" ? [feature] : feature;
      return {
        id,
        chapter: `${name}.md`,
        level,
        origin,
        surface,
        features,
        schema: schema ?? null,
        sentence,
        sources,
        decisions,
      };
    }),
  );
  const named = new Set(clauses.flatMap(({ decisions }) => decisions));
  return { format: 1, clauses, decisions: Object.fromEntries([...known].filter(([slug]) => named.has(slug))) };
}
