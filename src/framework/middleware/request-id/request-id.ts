/**
 * Request id middleware: one id for each request, from the client or generated, and sent back.
 *
 *   X-Request-Id: abc-1 (exactly one, valid) ──▶ kept
 *   none, several, or malformed              ──▶ generate()
 *                       └──▶ attribute "requestId" + the response header
 *
 * The id is always 1 to 128 characters of `A-Z a-z 0-9 . _ -`, so it is safe in a log line, a header or a file name.
 *
 * Spec: spec/request-id.md
 */
import type { Context } from "../../http/context.ts";
import { Faults } from "../../metrics/faults.ts";
import { HookMiddleware } from "../hooks.ts";
import type { Lifecycle } from "../types.ts";
import { isToken } from "../../internal/http-rules.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { uuid } from "./uuid.ts";

/** Options of {@link RequestIdMiddleware}. */
export interface RequestIdOptions {
  /** The header that is read and echoed. Default `X-Request-Id`. */
  readonly header?: string | undefined;
  /** Makes an id. Default: a random UUID. An invalid result is replaced by a UUID. */
  readonly generate?: (() => string) | undefined;
}

const VALID_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Is `value` acceptable as a request id? */
export function isRequestId(value: unknown): value is string {
  return typeof value === "string" && VALID_ID.test(value);
}

/**
 * Gives every request an id: `ctx.attribute("requestId")`.
 *
 * @example
 * ```ts
 * app.use(new RequestIdMiddleware());
 * app.get("/", ctx => ctx.text(ctx.attribute("requestId") ?? ""));
 * ```
 */
export class RequestIdMiddleware extends HookMiddleware {
  readonly #header: string;
  readonly #lookup: string;
  readonly #generate: (() => string) | undefined;
  readonly #faults = new Faults("RequestIdMiddleware: generate");

  /** @throws TypeError when `header` is not a header name, and for an unknown option. */
  constructor(options: RequestIdOptions = {}) {
    super();
    checkOptionNames("RequestIdMiddleware", options, ["header", "generate"]);
    const { header = "X-Request-Id", generate } = options;
    if (typeof header !== "string" || !isToken(header)) {
      throw new TypeError(`RequestIdMiddleware: header is ${JSON.stringify(header)}; a header name is allowed`);
    }
    this.#header = header;
    this.#lookup = header.toLowerCase();
    this.#generate = generate;
  }

  /** How often `generate` threw or returned an invalid id. */
  get faults(): number {
    return this.#faults.count;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
  }

  before(ctx: Context): void {
    const id = this.#received(ctx) ?? this.#made();
    ctx.attribute("requestId", id);
    ctx.setHeader(this.#header, id);
  }

  #received(ctx: Context): string | undefined {
    const value = ctx.header(this.#lookup);
    if (!isRequestId(value)) return undefined;
    return ctx.headerValues(this.#lookup).length === 1 ? value : undefined;
  }

  #made(): string {
    if (this.#generate === undefined) return uuid();
    try {
      const id: unknown = this.#generate();
      if (isRequestId(id)) return id;
      this.#faults.watch(id);
      this.#faults.note(new TypeError(`it returned ${typeof id}, not 1 to 128 characters of A-Z a-z 0-9 . _ -`));
    } catch (error) {
      this.#faults.note(error);
    }
    return uuid();
  }
}
