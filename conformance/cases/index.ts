/** Every case, chapter by chapter. */
import type { Case } from "../kit/case.ts";
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

/** Every case, in the order of the chapters. */
export const cases: readonly Case[] = [
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
