/** Every vector, and the cases and the document that are made of them. */
import { requirements, type Requirement } from "../../spec/requirements.ts";
import type { Case } from "../kit/case.ts";
import { auth } from "./auth.ts";
import { cache } from "./cache.ts";
import { compression } from "./compression.ts";
import { conditional } from "./conditional.ts";
import { context } from "./context.ts";
import { contracts } from "./contracts.ts";
import { cookies } from "./cookies.ts";
import { devtools } from "./devtools.ts";
import { graph } from "./graph.ts";
import { guard } from "./guard.ts";
import { history } from "./history.ts";
import { idempotency } from "./idempotency.ts";
import { leaves } from "./leaves.ts";
import { middleware } from "./middleware.ts";
import { multipart } from "./multipart.ts";
import { plugins } from "./plugins.ts";
import { rateLimit } from "./rate-limit.ts";
import { replay } from "./replay.ts";
import { requestId } from "./request-id.ts";
import { searching } from "./search.ts";
import { securityHeaders } from "./security-headers.ts";
import { session } from "./session.ts";
import { staticFiles } from "./static.ts";
import { tools } from "./tools.ts";
import { trace } from "./trace.ts";
import { websocket } from "./websocket.ts";
import { cors } from "./cors.ts";
import { crossOrigin } from "./cross-origin.ts";
import { errors } from "./errors.ts";
import { health } from "./health.ts";
import { query } from "./query.ts";
import { routing } from "./routing.ts";
import { caseOf } from "./run.ts";
import type { Vector } from "./vector.ts";
import { versions } from "./versions.ts";

/** Every vector, in the order of the chapters. */
export const vectors: readonly Vector[] = [
  ...routing,
  ...versions,
  ...query,
  ...context,
  ...compression,
  ...conditional,
  ...contracts,
  ...cookies,
  ...middleware,
  ...errors,
  ...cors,
  ...crossOrigin,
  ...rateLimit,
  ...idempotency,
  ...tools,
  ...cache,
  ...requestId,
  ...staticFiles,
  ...securityHeaders,
  ...health,
  ...graph,
  ...guard,
  ...devtools,
  ...trace,
  ...leaves,
  ...plugins,
  ...history,
  ...searching,
  ...replay,
  ...websocket,
  ...multipart,
  ...session,
  ...auth,
];

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
