/** Every mutant, by chapter. */
import type { Mutant } from "../kit/mutant.ts";
import { auth } from "./auth.ts";
import { cache } from "./cache.ts";
import { context } from "./context.ts";
import { cors } from "./cors.ts";
import { devtoolsContent } from "./devtools-content.ts";
import { devtoolsRoutes } from "./devtools-routes.ts";
import { devtools } from "./devtools.ts";
import { engines } from "./engines.ts";
import { errors } from "./errors.ts";
import { guard } from "./guard.ts";
import { idempotency } from "./idempotency.ts";
import { middleware } from "./middleware.ts";
import { multipart } from "./multipart.ts";
import { plugins } from "./plugins.ts";
import { query } from "./query.ts";
import { rateLimit } from "./rate-limit.ts";
import { replay } from "./replay.ts";
import { session } from "./session.ts";
import { routing } from "./routing.ts";
import { securityHeaders } from "./security-headers.ts";
import { staticFiles } from "./static.ts";
import { tools } from "./tools.ts";
import { versions } from "./versions.ts";
import { webhooks } from "./webhooks.ts";
import { work } from "./work.ts";

/** Every mutant, in the order of the chapters. */
export const mutants: readonly Mutant[] = [
  ...routing,
  ...versions,
  ...query,
  ...context,
  ...middleware,
  ...errors,
  ...cors,
  ...rateLimit,
  ...idempotency,
  ...webhooks,
  ...tools,
  ...work,
  ...cache,
  ...staticFiles,
  ...securityHeaders,
  ...guard,
  ...devtools,
  ...devtoolsRoutes,
  ...devtoolsContent,
  ...plugins,
  ...replay,
  ...engines,
  ...multipart,
  ...session,
  ...auth,
];
