/**
 * Serves an app's document, as JSON or as YAML: `app.use(new OpenApiMiddleware({ path: "/openapi.json", info }))`.
 *
 *   GET <path> ──▶ Accept ──▶ JSON or YAML, with a strong ETag ──▶ 200 · 304
 *   anything else ──▶ next()
 *
 * The document is made once, when the app starts, so a schema without JSON Schema fails the start. Its texts and their ETags
 * are made on the first request.
 */
import type { Context } from "../http/context.ts";
import { digestOf } from "../internal/digest.ts";
import { evaluatePreconditions } from "../internal/preconditions.ts";
import { usageError } from "../internal/usage-errors.ts";
import type { Lifecycle, Middleware, Next } from "../middleware/types.ts";
import { openApi, type OpenApiDocument, type OpenApiOptions } from "./document.ts";
import { yamlOf } from "./yaml.ts";

/** The options of the middleware. */
export interface OpenApiMiddlewareOptions extends OpenApiOptions {
  /** Its path, inside the context path. Default `/openapi.json`. */
  readonly path?: string | undefined;
}

interface Representation {
  readonly type: string;
  readonly text: string;
  readonly etag: string;
}

/** The middleware. Use one for each app. */
export class OpenApiMiddleware implements Middleware {
  readonly #options: OpenApiMiddlewareOptions;
  readonly #path: string;
  #app: Lifecycle | undefined;
  #document: OpenApiDocument | undefined;
  #json: Representation | undefined;
  #yaml: Representation | undefined;

  /** @throws TypeError when the path is invalid. */
  constructor(options: OpenApiMiddlewareOptions) {
    const { path = "/openapi.json" } = options;
    if (!/^(?:\/[^/{}*?#]+)+$/.test(path))
      throw usageError(
        "MIDDLEWARE_INVALID",
        `the path of OpenApiMiddleware is ${JSON.stringify(path)}: a literal path is allowed`,
      );
    this.#path = path;
    this.#options = options;
  }

  installed(app: Lifecycle): void {
    this.#app = app;
    if (this.#options.jsonSchemaOf !== undefined) app.convertSchemas(this.#options.jsonSchemaOf);
    app.onRoutes((routes) => {
      this.#document = openApi(routes, this.#options);
    });
  }

  handle(ctx: Context, next: Next): unknown {
    const path = this.#app?.comparedPath(ctx.path) ?? ctx.path;
    if (path !== this.#path || (ctx.method !== "GET" && ctx.method !== "HEAD")) return next();
    const document = this.#document;
    if (document === undefined) return next();
    const found = wantsYaml(ctx.header("accept"))
      ? (this.#yaml ??= represented("application/openapi+yaml", yamlOf(document)))
      : (this.#json ??= represented("application/openapi+json", JSON.stringify(document)));
    ctx.setRoute(this.#path);
    ctx.vary("Accept").setHeader("ETag", found.etag).setHeader("Cache-Control", "no-cache");
    if (evaluatePreconditions(ctx, { etag: found.etag }) === "notModified") return ctx.status(304);
    ctx.text(found.text).setHeader("Content-Type", found.type);
    return undefined;
  }
}

const represented = (type: string, text: string): Representation => ({
  type,
  text,
  etag: `"${digestOf(type + text)}"`,
});

/** Does the client prefer YAML to JSON? */
function wantsYaml(accept = ""): boolean {
  const types = accept.split(",").map((one) => one.split(";")[0]?.trim().toLowerCase() ?? "");
  const yaml = types.findIndex((type) =>
    /^(?:application|text)\/(?:openapi\+|vnd\.oai\.openapi\+|x-)?yaml$/.test(type),
  );
  const json = types.findIndex((type) => type.endsWith("json"));
  return yaml >= 0 && (json < 0 || yaml < json);
}
