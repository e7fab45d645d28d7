/**
 * Warnings about what handlers do: one line for each route, however often it happens.
 *
 * Spec: spec/context.md (CTX), spec/contracts.md (CONTRACT)
 */
import type { ResponseChecks } from "../contract/response-checks.ts";
import type { Context } from "../http/context.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import type { Logger } from "../internal/logger.ts";

/** What an app has warned of so far. */
export class RouteWarnings {
  readonly #logger: Logger;
  readonly #silent: Set<string> = new Set();
  readonly #broken: Set<string> = new Set();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** A handler that sent nothing and returned nothing. In production it is not named. */
  silent(ctx: Context): void {
    const key = `${ctx.method} ${ctx.route ?? ctx.url}`;
    if (ctx.route === undefined || this.#silent.has(key) || globalThis.process?.env["NODE_ENV"] === "production")
      return;
    this.#silent.add(key);
    this.#logger.warn(
      `${key} sent nothing and returned nothing: 204. Return a value or its promise, or say ctx.status(204).`,
    );
  }

  /** A response that breaks its contract: named once for each route and status. @throws Error where it must not be sent. */
  broken(ctx: Context, issues: readonly ProblemIssue[], checks: ResponseChecks): void {
    ctx.attribute("contractIssues", issues);
    const [{ pointer = "", message } = { message: "" }] = issues;
    const where = `${ctx.method} ${ctx.route ?? ctx.url}`;
    const sentence = `${where}: the response ${ctx.statusCode} breaks its contract${pointer === "" ? "" : ` at ${pointer}`}: ${message}`;
    if (checks === "enforce") throw new Error(sentence);
    const key = `${where} ${ctx.statusCode}`;
    if (this.#broken.has(key)) return;
    this.#broken.add(key);
    this.#logger.warn(sentence);
  }
}
