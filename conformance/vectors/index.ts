/** Every vector, and the cases and the document that are made of them. */
import { requirements, type Requirement } from "../../spec/requirements.ts";
import type { Case } from "../kit/case.ts";
import { cors } from "./cors.ts";
import { errors } from "./errors.ts";
import { health } from "./health.ts";
import { query } from "./query.ts";
import { routing } from "./routing.ts";
import { caseOf } from "./run.ts";
import type { Vector } from "./vector.ts";

/** Every vector, in the order of the chapters. */
export const vectors: readonly Vector[] = [...routing, ...query, ...errors, ...cors, ...health];

/** The vectors as cases, for `--profile vectors`. */
export const vectorCases: readonly Case[] = vectors.map(caseOf);

/** What `data/vectors.json` holds; its shape is `VectorsShape`. */
export function vectorsDocument(): object {
  return {
    format: 1,
    vectors: vectors.map((vector) => {
      const { features }: Requirement = requirements[vector.id];
      return { ...vector, features: [...features, ...vector.features] };
    }),
  };
}
