/**
 * Timed context: a request that reports the time of reading its body, serializing, its response hooks, and sending.
 *
 *   app.observe({ phase }) ──▶ the dispatcher makes this class instead of RequestContext, which then has no code for it
 *
 * Spec: spec/context.md
 */
import type { HttpError } from "../internal/errors.ts";
import { RequestBody } from "./body.ts";
import type { RecordedResponse, ResponseHook } from "./context.ts";
import { fieldOf } from "./headers.ts";
import { type Step, stepName, tellPhase } from "./phases.ts";
import { type Failure, RequestContext } from "./request-context.ts";

const serialization: Step = { kind: "serialization", name: "response", of: undefined };
const sending: Step = { kind: "sending", name: "response", of: undefined };
const errorResponse: Step = { kind: "handler", name: "error response", of: undefined };
const reading: Step = { kind: "parsing", name: "read body", of: undefined };
const parsing: Step = { kind: "parsing", name: "JSON body", of: undefined };

/** A request whose steps are timed. */
export class TimedContext extends RequestContext {
  /** The innermost middleware so far. */
  reached: string | undefined = undefined;
  #failedAt: number | undefined;
  #sendingSince: number | undefined;

  protected override makeBody(limit: number): RequestBody {
    return new TimedBody(this.exchange, this.services, limit, (step, startedAt) => this.tell(step, startedAt));
  }

  override recordValue(value: unknown): void {
    if (value === undefined || value === this) return super.recordValue(value);
    const startedAt = performance.now();
    try {
      super.recordValue(value);
    } finally {
      this.tell(serialization, startedAt);
    }
  }

  override json(value: unknown): this {
    const startedAt = performance.now();
    try {
      return super.json(value);
    } finally {
      this.tell(serialization, startedAt);
    }
  }

  override onResponse(hook: ResponseHook): this {
    if (this.reached !== undefined && !isNamed(hook)) hookNames.set(hook, this.reached);
    return super.onResponse(hook);
  }

  override takeHooks(): readonly ResponseHook[] | undefined {
    this.#endFailure();
    return super.takeHooks()?.map(timedHook);
  }

  override fail(error: unknown, isOwn: boolean): Failure {
    this.#failedAt ??= performance.now();
    return super.fail(error, isOwn);
  }

  override broken(error: HttpError, reason?: unknown): void {
    this.#failedAt ??= performance.now();
    super.broken(error, reason);
  }

  override commit(): void {
    this.#endFailure();
    if (this.isReady) this.#sendingSince = performance.now();
    super.commit();
  }

  override complete(aborted: boolean): void {
    const since = this.#sendingSince;
    if (since !== undefined && !this.isOver) this.tell(sending, since);
    super.complete(aborted);
  }

  /** Reports a step that ends now. */
  tell(step: Step, startedAt: number): void {
    tellPhase(this.services.onPhase, this, step, startedAt);
  }

  /** Reports the time from an error to its response. */
  #endFailure(): void {
    const at = this.#failedAt;
    this.#failedAt = undefined;
    if (at !== undefined) this.tell(errorResponse, at);
  }
}

/** The timed form of each hook. Most are registered once and run for every request. */
const timedHooks = new WeakMap<ResponseHook, ResponseHook>();
/** The middleware of hooks that have no name of their own. */
const hookNames = new WeakMap<ResponseHook, string>();

function timedHook(hook: ResponseHook): ResponseHook {
  const known = timedHooks.get(hook);
  if (known !== undefined) return known;
  const name = hookNames.get(hook) ?? stepName(hook);
  const made: ResponseHook = (ctx, response) => {
    const startedAt = performance.now();
    const end = (replaced: unknown): void =>
      (ctx as TimedContext).tell(hookStep(hook, name, response, replaced), startedAt);
    let replaced: ReturnType<ResponseHook>;
    try {
      replaced = hook(ctx, response);
    } catch (error) {
      end(undefined);
      throw error;
    }
    if (replaced instanceof Promise) replaced.then(end, () => end(undefined));
    else end(replaced);
    return replaced;
  };
  timedHooks.set(hook, made);
  return made;
}

/** A private function of a middleware says less than the middleware that registered it. */
const isNamed = (hook: ResponseHook): boolean => hook.name !== "" && !hook.name.startsWith("#");

/** A hook that has added a content coding has compressed the response. */
function hookStep(of: ResponseHook, name: string, response: RecordedResponse, replaced: unknown): Step {
  const headers: unknown = typeof replaced === "object" && replaced !== null && Reflect.get(replaced, "headers");
  const coding = Array.isArray(headers) ? fieldOf(headers, "Content-Encoding") : undefined;
  const isCoded = coding !== undefined && fieldOf(response.headers, "Content-Encoding") === undefined;
  return isCoded ? { kind: "compression", name: coding, of } : { kind: "middleware", name, of };
}

type Tell = (step: Step, startedAt: number) => void;

/** A body that reports the time of reading and parsing it. */
class TimedBody extends RequestBody {
  readonly #tell: Tell;

  constructor(...[exchange, settings, limit, tell]: [...ConstructorParameters<typeof RequestBody>, Tell]) {
    super(exchange, settings, limit);
    this.#tell = tell;
  }

  protected override whole(): Promise<Uint8Array> {
    const startedAt = performance.now();
    const end = (): void => this.#tell(reading, startedAt);
    const whole = super.whole();
    whole.then(end, end);
    return whole;
  }

  protected override parsed(bytes: Uint8Array): unknown {
    const startedAt = performance.now();
    try {
      return super.parsed(bytes);
    } finally {
      this.#tell(parsing, startedAt);
    }
  }
}
