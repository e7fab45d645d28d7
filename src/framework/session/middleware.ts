/**
 * Sessions: found before the handler runs, saved before the response's head goes out.
 *
 *   Cookie ──▶ found │ none ──▶ handler: sessionOf(ctx) ──▶ response hook ──▶ nothing changed: nothing is sent
 *                                                                         └─▶ written, then Set-Cookie
 *
 * A request without the cookie costs nothing. A cookie's session is either ours or none, since an id made up by a client is
 * never accepted. A cookie without a session is not deleted, because a slow request would then end a session that a login has
 * begun in between. An unsafe request of a page of another origin is 403, before its session is found.
 *
 * Spec: spec/session.md, spec/cross-origin.md
 */
import { ServiceUnavailableError } from "../internal/errors.ts";
import { HookMiddleware } from "../middleware/hooks.ts";
import type { CompletionListener, Context } from "../http/context.ts";
import { cookieLine, type CookieOptions, MAX_COOKIE_BYTES } from "../http/cookies.ts";
import { CLIENT_CLOSED_REQUEST } from "../internal/http-rules.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import { Faults } from "../metrics/faults.ts";
import type { Lifecycle } from "../middleware/types.ts";
import type { Found, Kept } from "./found.ts";
import type { Written } from "./keeper.ts";
import { type SessionOptions, type Settings, settingsOf } from "./options.ts";
import { type Change, putSession, type SessionOwner, SessionState } from "./session.ts";

/**
 * Gives requests a session.
 *
 * @example
 * ```ts
 * app.use(new SessionMiddleware({ secrets: [process.env["SESSION_SECRET"] ?? ""] }));
 * app.get("/visits", (ctx) => {
 *   const session = sessionOf(ctx);
 *   const visits = Number(session.get("visits") ?? 0) + 1;
 *   session.set("visits", visits);
 *   return { visits };
 * });
 * ```
 */
export class SessionMiddleware extends HookMiddleware {
  readonly #settings: Settings;
  /** The attribute of this middleware's own session. A group may have another. */
  readonly #own: symbol = Symbol("session");
  readonly #owner: SessionOwner = {
    save: (ctx, state) => this.#save(ctx, state),
    touched: (ctx) => void ctx.onComplete(this.#checkSaved),
  };
  readonly #faults = new Faults("SessionMiddleware: its store");
  #warn: (line: string) => void = () => undefined;
  #isUnsavedTold = false;

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: SessionOptions) {
    super();
    this.#settings = settingsOf(options);
  }

  /** How often the store has failed. */
  get faults(): number {
    return this.#faults.count;
  }

  /** The value for `securitySchemes` of an OpenAPI document. */
  get securityScheme(): { readonly type: "apiKey"; readonly in: "cookie"; readonly name: string } {
    return { type: "apiKey", in: "cookie", name: this.#settings.name };
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
    this.#warn = (line) => app.warn(line);
    app.onResponse((ctx) => this.#finish(ctx));
    app.onRoutes((routes) => this.#settings.crossOrigin?.checkRoutes(routes));
  }

  override before(ctx: Context): void | Promise<void> {
    if (this.#stateOf(ctx) !== undefined) return undefined;
    this.#settings.crossOrigin?.check(ctx);
    const token = ctx.cookie(this.#settings.name);
    if (token !== undefined && token !== "") return this.#find(ctx, token);
    return this.#begin(ctx, undefined);
  }

  #stateOf(ctx: Context): SessionState | undefined {
    const state = ctx.attribute(this.#own);
    return state instanceof SessionState ? state : undefined;
  }

  #find(ctx: Context, token: string): void | Promise<void> {
    let found: Found | undefined | Promise<Found | undefined>;
    try {
      found = this.#settings.keeper.find(token);
    } catch (error) {
      return this.#lose(ctx, error);
    }
    if (!(found instanceof Promise)) return this.#begin(ctx, found);
    return found.then(
      (one) => this.#begin(ctx, one),
      (error: unknown) => this.#lose(ctx, error),
    );
  }

  /** The keeper failed. @throws 503 when that is not tolerated. */
  #lose(ctx: Context, error: unknown): void {
    this.#faults.note(error);
    if (!this.#settings.continues) throw unavailable(error);
    return this.#begin(ctx, undefined, true);
  }

  #begin(ctx: Context, found: Found | undefined, isLost = false): void {
    const alive = found !== undefined && this.#isAlive(found) ? found : undefined;
    const state = new SessionState(ctx, this.#owner, alive, isLost);
    ctx.attribute(this.#own, state);
    putSession(ctx, state);
  }

  #isAlive({ id, createdAt, usedAt }: Found): boolean {
    const { idleMs, absoluteMs } = this.#settings;
    const now = Date.now();
    return now < createdAt + absoluteMs && (id !== undefined || now < usedAt + idleMs); // A store expires idle sessions itself.
  }

  /** The response hook. Most requests have nothing to save, and cause no promise. */
  #finish(ctx: Context): undefined | Promise<undefined> {
    const state = this.#stateOf(ctx);
    if (state === undefined) return undefined;
    if (state.isRead) ctx.vary("Cookie");
    state.isFinished = true;
    const isUntouched = !state.isRead || state.change() === "none";
    if (isUntouched && !this.#isToBeRenewed(state.found)) return finished(ctx, state);
    return state.save().then(() => finished(ctx, state)); // A handler may have saved, and set Cache-Control since.
  }

  #isToBeRenewed(found: Found | undefined): boolean {
    if (found === undefined) return false;
    const { rolling, idleMs } = this.#settings;
    const age = Date.now() - found.sentAt;
    return found.isOutdated || (rolling && !(age >= 0 && age < idleMs / 10));
  }

  /** Saves a changed session, then sets the cookie. @throws (rejects) 503 when the store fails and that is not tolerated. */
  async #save(ctx: Context, state: SessionState): Promise<void> {
    const { replacements } = state;
    const text = state.text();
    const change = state.change(text);
    state.wasSaved = true;
    if (change === "none" && !this.#isToBeRenewed(state.found)) return;
    if (ctx.committed && (change !== "update" || state.found?.id === undefined)) throw tooLate(ctx);
    const now = Date.now();
    const { createdAt, usedAt } = (state.isNew ? undefined : state.found) ?? { createdAt: now, usedAt: now };
    const kept = { text, createdAt, usedAt: this.#settings.rolling ? now : usedAt };
    const isEndOf = state.found !== undefined || ctx.cookie(this.#settings.name) !== undefined;
    const outcome = state.outcomeOf(change);
    const written = await this.#written(state, change, kept);
    if (written !== undefined || change === "end") state.outcome = outcome;
    if (written !== undefined) state.settle(written.found, replacements);
    if (written !== undefined && !ctx.committed) this.#send(ctx, state, written.token, kept);
    if (change !== "end") return;
    state.settle(undefined, replacements);
    if (isEndOf) this.#forget(ctx, state);
  }

  /** Saves. Undefined when the client needs no cookie. */
  async #written(state: SessionState, change: Change, kept: Kept): Promise<Written | undefined> {
    try {
      if (state.isLost) throw new Error("the session could not be read, so it is not written");
      return await this.#write(state.found, change, kept);
    } catch (error) {
      if (!state.isLost) this.#faults.note(error);
      // A login or logout relies on the end of the old session.
      if (state.isReplaced || !this.#settings.continues) throw unavailable(error);
      return undefined;
    }
  }

  async #write(found: Found | undefined, change: Change, kept: Kept): Promise<Written | undefined> {
    const { keeper } = this.#settings;
    const ttlMs = this.#ttlOf(kept);
    if (change === "none") return found && keeper.renew(found, kept, ttlMs);
    if (change === "update") return found && keeper.update(found, kept, ttlMs);
    const written = change === "create" ? await keeper.create(kept, ttlMs) : undefined;
    if (found !== undefined) await keeper.destroy(found);
    return written;
  }

  #ttlOf({ createdAt, usedAt }: Kept): number {
    const { idleMs, absoluteMs } = this.#settings;
    return Math.max(1, Math.ceil(Math.min(usedAt + idleMs, createdAt + absoluteMs) - Date.now()));
  }

  #send(ctx: Context, state: SessionState, token: string, kept: Kept): void {
    const { name, cookie } = this.#settings;
    const options = { ...cookie, maxAge: Math.ceil(this.#ttlOf(kept) / 1_000) };
    if (!fits(name, token, options))
      throw usageError(
        "SESSION_VALUE",
        `the session takes ${token.length} bytes as a cookie, of ${MAX_COOKIE_BYTES} with its attributes: keep less in it, or give SessionMiddleware a store`,
      );
    ctx.setCookie(name, token, options);
    state.isSent = true;
    keepUncached(ctx, state);
  }

  #forget(ctx: Context, state: SessionState): void {
    ctx.deleteCookie(this.#settings.name, this.#settings.cookie);
    state.isSent = true;
    keepUncached(ctx, state);
  }

  /** For a head sent before the session was saved, as with `ctx.sse()`: reports that the changes are lost. */
  readonly #checkSaved: CompletionListener = ({ status, body }, ctx) => {
    const state = this.#stateOf(ctx);
    if (state === undefined || this.#isUnsavedTold || state.wasSaved || status === CLIENT_CLOSED_REQUEST) return;
    // A whole body has followed the response hook immediately, so no code can have changed anything since.
    if ((state.isFinished && body !== undefined) || !isChanged(state)) return;
    this.#isUnsavedTold = true;
    this.#warn(
      `${ctx.method} ${ctx.route ?? ctx.url} changed its session, and the head was sent before that was saved: await session.save() before ctx.sse()`,
    );
  };
}

/** Has it changed since it was found, or saved? A value that lost its JSON form counts as a change. */
function isChanged(state: SessionState): boolean {
  try {
    return state.change() !== "none";
  } catch {
    return true;
  }
}

/** Reports it to observers and caches. */
function finished(ctx: Context, state: SessionState): undefined {
  const { wasFound, isLost, isRead, outcome } = state;
  ctx.annotations?.add("session", { found: wasFound, lost: isLost, read: isRead, outcome, values: state.values });
  return keepUncached(ctx, state);
}

/** A response that sets a session's cookie is for one client alone, even if the app says otherwise. */
function keepUncached(ctx: Context, state: SessionState): undefined {
  if (state.isSent) ctx.setHeader("Cache-Control", "no-store");
}

function fits(name: string, token: string, options: CookieOptions): boolean {
  try {
    return cookieLine(name, token, options) !== "";
  } catch {
    return false; // The options are valid, so it can only be too long.
  }
}

const tooLate = (ctx: Context): Error =>
  stateError(
    "RESPONSE_SENT",
    `${ctx.method} ${ctx.route ?? ctx.url} saved its session when the head was out: await session.save() before ctx.sse()`,
  );

const unavailable = (cause: unknown): ServiceUnavailableError =>
  new ServiceUnavailableError("sessions are not available now", { cause, headers: { "Retry-After": "5" } });
