/**
 * Warnings about handlers: one line for each route, however often it happens.
 *
 * Spec: spec/context.md, spec/contracts.md
 */
import type { Context } from "../http/context.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import type { Logger } from "../internal/logger.ts";
import { lostIn, lostSentence } from "../internal/lost-in-json.ts";

/** How many responses of a route are searched when their JSON has a `{}`. Most of them hold empty objects. */
const maxLooks = 20;
/** How many issues a sentence lists. */
const maxListed = 3;

/** A request, and the middleware that ended its chain without a response. */
type SilentContext = Context & { readonly silentMiddleware?: object | undefined };

const nameOf = (middleware: object): string => {
  const { name } = typeof middleware === "function" ? middleware : middleware.constructor;
  return name === "" ? "a middleware without a name" : `the middleware ${name}`;
};

/** The warnings of an app so far. */
export class RouteWarnings {
  readonly #logger: Logger;
  readonly #silent: Set<unknown> = new Set();
  readonly #broken: Set<string> = new Set();
  /** How often each route was searched. */
  readonly #looks: Map<string, number> = new Map();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** A request without a response. Names the handler, or the middleware that did not continue, outside production. */
  silent(ctx: SilentContext): void {
    const where = `${ctx.method} ${ctx.route ?? ctx.url}`;
    const { silentMiddleware } = ctx;
    const key = silentMiddleware ?? (ctx.route === undefined ? undefined : where);
    if (key === undefined || this.#silent.has(key) || globalThis.process?.env["NODE_ENV"] === "production") return;
    this.#silent.add(key);
    this.#logger.warn(
      silentMiddleware === undefined
        ? `${where} sent nothing and returned nothing: 204. Return a value or its promise, or say ctx.status(204).`
        : `${where}: ${nameOf(silentMiddleware)} neither responded nor went on: 204. Call next(), or respond.`,
    );
  }

  /** A response with a `{}` in its JSON. Checks whether that replaces a value that JSON cannot write. */
  lost(ctx: Context, value: unknown): void {
    const key = `${ctx.method} ${ctx.route ?? ""}`;
    const looks = this.#looks.get(key) ?? 0;
    if (ctx.route === undefined || looks >= maxLooks) return;
    const lost = lostIn(value);
    this.#looks.set(key, lost === undefined ? looks + 1 : maxLooks);
    if (lost !== undefined) this.#logger.warn(`the response of ${key} has ${lostSentence(lost)}`);
  }

  /** A response that breaks its contract. Reported once for each route and status. @throws Error when it must not be sent. */
  broken(ctx: Context, issues: readonly ProblemIssue[], isFatal: boolean): void {
    ctx.attribute("contractIssues", issues);
    const where = `${ctx.method} ${ctx.route ?? ctx.url}`;
    const sentence = `${where}: the response ${ctx.statusCode} breaks its contract${listOf(issues)}`;
    if (isFatal) throw new Error(sentence);
    const key = `${where} ${ctx.statusCode}`;
    if (this.#broken.has(key)) return;
    this.#broken.add(key);
    this.#logger.warn(sentence);
  }
}

/** The issues as the end of a sentence: the first ones, and how many more there are. */
function listOf(issues: readonly ProblemIssue[]): string {
  const said = issues
    .slice(0, maxListed)
    .map(({ pointer = "", message }) => `${pointer === "" ? "" : ` at ${pointer}`}: ${message}`);
  const more = issues.length - said.length;
  return said.join(", and") + (more === 0 ? "" : `, and ${more} more`);
}
