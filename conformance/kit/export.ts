/**
 * What the suite says, for readers that are no program of ours: every clause with where it comes from, in one document.
 *
 *   chapters ──▶ { format, clauses } ──▶ data/clauses.json
 */
import { Type } from "typebox";
import { readChapters } from "./chapters.ts";

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
          surface: Type.Enum(["wire", "evidence", "page"]),
          /** What a subject must declare, all of it, for the clause to apply. */
          features: Type.Array(text),
          /** The shape that it speaks of: a file of `data/schemas/`. */
          schema: Type.Union([text, Type.Null()]),
          sentence: text,
          sources: Type.Array(text),
          /** Why it is so, where the source leaves it open. */
          why: Type.Union([text, Type.Null()]),
        },
        closed,
      ),
      { minItems: 1 },
    ),
  },
  { $id: "ConformanceClauses", ...closed },
);

/** Every clause, in the order of the chapters. */
export function clausesDocument(): object {
  const clauses = readChapters().flatMap(({ name, clauses: inChapter }) =>
    inChapter.map(({ problem: _, schema = null, why = null, ...clause }) => ({
      ...clause,
      chapter: `${name}.md`,
      schema,
      why,
    })),
  );
  return { format: 1, clauses };
}
