/**
 * Static files: serves a folder's files, at paths without a route.
 *
 *   GET, HEAD below the prefix, no route matched ──▶ the file inside the root ──▶ 200 · 206 · 304 │ thrown: 412 · 416
 *        a folder without its slash ──▶ 301              a folder ──▶ its index file
 *        no file, a page is requested, `fallback` ──▶ that file
 *   anything else ──▶ goes on, mostly to 404
 *
 * Routes come first, so the files cost an API nothing. Names with a leading dot, paths out of the root in any spelling, and
 * links out of it are 404, like missing files.
 *
 * Spec: spec/static.md
 */
import { realpathSync } from "node:fs";
import { posix } from "node:path";
import type { Context } from "../http/context.ts";
import { originForm, pathOf } from "../http/target.ts";
import type { Middleware, Next } from "../middleware/types.ts";
import { respondWithFile, statsOf } from "./file.ts";
import { settingsOf, type StaticOptions, type StaticSettings } from "./options.ts";
import { isPagePath, realPathIn, segmentsOf } from "./path.ts";

/**
 * Serves the files of a folder. Needs the optional peer `@fastify/send`, and a platform with files.
 *
 * @example
 * ```ts
 * app.use(new StaticMiddleware({ root: "public", prefix: "/assets", immutable: /-[\w-]{8}\.\w+$/, precompressed: true }));
 * ```
 */
export class StaticMiddleware implements Middleware {
  readonly #settings: StaticSettings;
  /** The real path of the root, since a deployment may use a link. */
  readonly #root: string;
  readonly #pattern: string;
  /** Part of Middleware. In a group it serves unhandled requests. */
  readonly unmatched: boolean = true;

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: StaticOptions) {
    this.#settings = settingsOf(options);
    this.#root = realpathSync(this.#settings.root);
    this.#pattern = `${this.#settings.prefix}/*file`;
  }

  handle(ctx: Context, next: Next): unknown {
    if (ctx.route !== undefined || (ctx.method !== "GET" && ctx.method !== "HEAD")) return next();
    const { path } = ctx;
    const { prefix, fallback } = this.#settings;
    const segments = segmentsOf(path, prefix);
    if (segments === undefined && (fallback === undefined || !isPagePath(path, prefix))) return next();
    return this.#serveOr(ctx, segments, next);
  }

  async #serveOr(ctx: Context, segments: readonly string[] | undefined, next: Next): Promise<void> {
    if (!(await this.#serve(ctx, segments))) await next();
  }

  /** @param segments undefined when the path cannot be a file's */
  async #serve(ctx: Context, segments: readonly string[] | undefined): Promise<boolean> {
    const isServed = segments !== undefined && (await this.#file(ctx, segments, ctx.path.endsWith("/")));
    const { fallback } = this.#settings;
    if (isServed || fallback === undefined) return isServed;
    ctx.vary("Accept").vary("Sec-Fetch-Mode"); // Also on a 404, so that a cache does not reuse another client's response.
    return isNavigation(ctx) && this.#file(ctx, [fallback], false, "no-cache");
  }

  async #file(ctx: Context, segments: readonly string[], isFolder: boolean, cache?: string): Promise<boolean> {
    const { index, followLinks, precompressed } = this.#settings;
    const path = await realPathIn(this.#root, segments, followLinks);
    const stats = path === undefined ? undefined : await statsOf(path);
    if (path === undefined || stats === undefined) return false;
    if (!stats.isDirectory()) {
      if (isFolder || !stats.isFile()) return false; // A device or a pipe would never end.
      ctx.setRoute(this.#pattern);
      const root = followLinks ? undefined : this.#root;
      const cacheControl = cache ?? this.#cacheControl(segments);
      return respondWithFile(ctx, { path, name: segments.at(-1) ?? "", root, precompressed, cacheControl });
    }
    if (index === undefined || segments.at(-1) === index) return false;
    if (!sentPath(ctx).endsWith("/")) return this.#redirect(ctx, [...segments, index]);
    return this.#file(ctx, [...segments, index], false, cache);
  }

  /** Redirects to the folder with its slash, so that relative links in its index file work. */
  async #redirect(ctx: Context, index: readonly string[]): Promise<boolean> {
    const path = await realPathIn(this.#root, index, this.#settings.followLinks);
    if (path === undefined || (await statsOf(path))?.isFile() !== true) return false;
    ctx.setRoute(this.#pattern);
    ctx.redirect(`${sentPath(ctx)}/${ctx.search}`, 301);
    return true;
  }

  #cacheControl(segments: readonly string[]): string {
    const { immutable, maxAge } = this.#settings;
    if (immutable !== undefined && `/${segments.join("/")}`.search(immutable) >= 0)
      return "public, max-age=31536000, immutable";
    return `public, max-age=${maxAge}`;
  }
}

/**
 * The path with the context path and the prefix, and the part that Express or Connect has removed. An absolute-form target may
 * have no path.
 */
function sentPath(ctx: Context): string {
  const [req] = ctx.platform;
  const sent: unknown = typeof req === "object" && req !== null ? Reflect.get(req, "originalUrl") : undefined;
  const path = originForm(pathOf(typeof sent === "string" ? sent : ctx.url));
  return path.replace(/^\/{2,}/, "/") || "/";
}

/** Does a browser open a page, instead of loading a picture or data that is missing? */
function isNavigation(ctx: Context): boolean {
  const mode = ctx.header("sec-fetch-mode");
  if (mode !== undefined && mode !== "navigate") return false;
  if (posix.basename(ctx.path).includes(".") && mode === undefined) return false;
  return /(?:^|,)[ \t]*text\/html[ \t]*(?:;|,|$)/i.test(ctx.header("accept") ?? "");
}
