/**
 * The suite's clauses with their origin in one document, for other programs.
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
          /** Whom it binds: any implementation (`source`), or this framework by its own decision (`house`). */
          origin: Type.Enum(["source", "house"]),
          surface: Type.Enum(["wire", "evidence", "page"]),
          /** The features that a subject must declare for the clause to apply. */
          features: Type.Array(text),
          /** The shape that it mentions: a file of `data/schemas/`. */
          schema: Type.Union([text, Type.Null()]),
          sentence: text,
          sources: Type.Array(text),
          /** The reason, if the source leaves it open. */
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
