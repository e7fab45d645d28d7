/** Every mutant, chapter by chapter. */
import type { Mutant } from "../kit/mutant.ts";
import { context } from "./context.ts";
import { cors } from "./cors.ts";
import { errors } from "./errors.ts";
import { health } from "./health.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { query } from "./query.ts";
import { requestId } from "./request-id.ts";
import { routing } from "./routing.ts";
import { tracing } from "./tracing.ts";

/** Every mutant, in the order of the chapters. */
export const mutants: readonly Mutant[] = [
  ...routing,
  ...query,
  ...context,
  ...errors,
  ...cors,
  ...requestId,
  ...health,
  ...log,
  ...metrics,
  ...tracing,
];
