/**
 * Access log middleware: exactly one line for every request, when it is over.
 *
 *   request ──▶ … ──▶ completion ──▶ AccessLogLine ──▶ text | JSON ──▶ write(line)
 *                    rejected by the parser ──▶ the same, with `_OTHER` and an empty path
 *
 * The status is the sent one: 404, 405, 413 and 500 are logged as such, a client that left as 499. It never contains headers
 * other than User-Agent, bodies or query strings.
 *
 * Spec: spec/log.md
 */
import type { Completion, Context } from "../../http/context.ts";
import type { RejectedRequest } from "../../http/exchange.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { shown, usageError } from "../../internal/usage-errors.ts";
import { Faults } from "../../metrics/faults.ts";
import { methodLabel, OTHER_METHOD } from "../../metrics/labels.ts";
import { HookMiddleware } from "../hooks.ts";
import type { Lifecycle } from "../types.ts";
import { type AccessLogLine, isoTime, jsonLine, textLine } from "./log-line.ts";
import { type Format, type LineSink, stdoutSink } from "./log-sink.ts";

/** Options of {@link RequestLoggingMiddleware}. */
export interface RequestLoggingOptions {
  /** Gets each line, without a line feed, synchronously. By default lines go to standard output in batches. */
  readonly write?: ((line: string) => void) | undefined;
  /** True for requests without a log line. */
  readonly skip?: ((ctx: Context) => boolean) | undefined;
  /** `text` by default. `RequestLoggingMiddleware.json()` is the same as `json`. */
  readonly format?: "text" | "json" | undefined;
}

const MAX_PATH = 2048;
const MAX_FIELD = 512;

/**
 * Writes an access log.
 *
 * @example
 * ```ts
 * app.use(new RequestLoggingMiddleware());     // GET /users/42 200 431us
 * app.use(RequestLoggingMiddleware.json());    // {"time":"…","method":"GET","path":"/users/42",…}
 * ```
 */
export class RequestLoggingMiddleware extends HookMiddleware {
  readonly #format: Format<AccessLogLine>;
  readonly #skip: ((ctx: Context) => boolean) | undefined;
  readonly #write: ((line: string) => unknown) | undefined;
  readonly #faults = new Faults("RequestLoggingMiddleware: write or skip");
  readonly #completed: (completion: Completion, ctx: Context) => void;
  #sink: LineSink<AccessLogLine> | undefined;

  /** @throws TypeError on an unknown format or option. */
  constructor(options: RequestLoggingOptions = {}) {
    super();
    checkOptionNames("RequestLoggingMiddleware", options, ["write", "skip", "format"]);
    const { write, skip, format = "text" } = options;
    if (format !== "text" && format !== "json")
      throw usageError(
        "CONFIG_INVALID",
        `RequestLoggingMiddleware: format is ${shown(format)}; "text" or "json" is allowed`,
      );
    this.#format = format === "json" ? jsonLine : textLine;
    this.#skip = skip;
    this.#write = write;
    this.#completed = (completion, ctx) => this.#emit(record(completion, ctx));
  }

  /** An access log of JSON lines. */
  static json(options: RequestLoggingOptions = {}): RequestLoggingMiddleware {
    return new RequestLoggingMiddleware({ ...options, format: "json" });
  }

  /** How often `write` or `skip` threw or rejected. */
  get faults(): number {
    return this.#faults.count;
  }

  /** The number of lines that standard output lost, because its reader is gone or too slow. */
  get dropped(): number {
    return this.#sink?.dropped ?? 0;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
    app.onRejected((rejected) => this.#emit(rejectedRecord(rejected)));
    app.onStop(() => {
      this.#sink?.flush();
      if (this.dropped > 0) app.warn(`access log: ${this.dropped} lines dropped, standard output did not take them`);
    });
  }

  before(ctx: Context): void {
    if (this.#skip !== undefined && this.#faults.isTrue(this.#skip, ctx)) return;
    // Node gives a closed socket's address only if it was read while the socket was open.
    void ctx.peerAddress;
    ctx.onComplete(this.#completed);
  }

  #emit(line: AccessLogLine): void {
    try {
      if (this.#write === undefined) return this.#toStdout(line);
      const result = this.#write(this.#format(line));
      if (result !== undefined) this.#faults.watch(result);
    } catch (error) {
      this.#faults.note(error);
    }
  }

  #toStdout(line: AccessLogLine): void {
    this.#sink ??= stdoutSink(this.#format);
    if (this.#sink === undefined) console.log(this.#format(line));
    else this.#sink.write(line, usual + line.path.length);
  }
}

/** Characters of a line without its path. */
const usual = 240;

function record({ status, durationMs, bytes, aborted }: Completion, ctx: Context): AccessLogLine {
  return {
    time: isoTime(Date.now()),
    method: methodLabel(ctx.method),
    path: ctx.url.slice(0, MAX_PATH),
    route: ctx.route ?? null,
    status,
    durationUs: microseconds(durationMs),
    bytes,
    remoteAddress: field(ctx.remoteAddress) ?? null,
    requestId: field(ctx.attribute("requestId")),
    traceId: idOf(ctx.attribute("traceId"), TRACE_ID),
    spanId: idOf(ctx.attribute("spanId"), SPAN_ID),
    userAgent: field(ctx.header("user-agent")),
    aborted: aborted ? true : undefined,
  };
}

function rejectedRecord({ status, durationMs, bytes, remoteAddress }: RejectedRequest): AccessLogLine {
  return {
    time: isoTime(Date.now()),
    method: OTHER_METHOD,
    path: "",
    route: null,
    status,
    durationUs: microseconds(durationMs),
    bytes,
    remoteAddress: field(remoteAddress) ?? null,
  };
}

function microseconds(ms: number): number {
  return ms > 0 ? Math.round(ms * 1000) : 0;
}

/** The form in W3C Trace Context, where all zeros are invalid. */
const TRACE_ID = /^(?!0{32}$)[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16}$)[0-9a-f]{16}$/;

/** A valid id. Other values, which an app may have put into the attribute, are left out. */
function idOf(value: unknown, form: RegExp): string | undefined {
  return typeof value === "string" && form.test(value) ? value : undefined;
}

/** A bounded string. Other values, which an app may have put into the attribute, are left out. */
function field(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_FIELD) : undefined;
}
