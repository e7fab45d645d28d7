/**
 * Session: what is remembered of one client, as handlers see it.
 *
 *   sessionOf(ctx) ──▶ get · set · delete · clear            changes are found by comparing JSON, also those within a value
 *                      regenerate: a new session with the same data, for a login
 *                      destroy: none, for a logout
 *
 * Nothing is written before the response is ready: see middleware.ts.
 *
 * Spec: spec/session.md
 */
import type { Context } from "../http/context.ts";
import { lostIn, lostSentence } from "../internal/lost-in-json.ts";
import { isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { Found } from "./found.ts";

/**
 * Names and types of what sessions hold. Open: `declare module "framework/session" { interface SessionData { userId: string } }`.
 */
// eslint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type
export interface SessionData {}

/** The type of the value named `K`; `unknown` when it is not declared. */
export type SessionValue<K extends string> = K extends keyof SessionData ? SessionData[K] : unknown;

/** What is remembered of one client. */
export interface Session {
  /** Is there none yet? It is one once something is set. */
  readonly isNew: boolean;
  get<K extends string>(key: K): SessionValue<K> | undefined;
  /** Remembers a value that has a JSON form. @throws TypeError when it has none: nothing, a function, a promise, a Map, a cycle. */
  set<K extends string>(key: K, value: SessionValue<K>): this;
  delete(key: string): this;
  /** Forgets every value, and keeps the session. */
  clear(): this;
  /**
   * Starts a new session with the same values, and ends the old one. For every change of who somebody is, a login above
   * all: a session that somebody else may know is worth nothing from then on.
   */
  regenerate(): this;
  /** Ends the session and forgets everything. */
  destroy(): this;
  /**
   * Saves now, instead of when the response is ready: before `ctx.sse()` without arguments, which sends the head at once.
   *
   * @throws (rejects) as the response would: 503 when the store fails, Error when the session is too large.
   */
  save(): Promise<void>;
}

/** The attribute under which the innermost session of a request is. */
const slot: unique symbol = Symbol("framework/session");

/**
 * The session of a request.
 *
 * @example
 * ```ts
 * app.post("/cart/{sku}", (ctx) => sessionOf(ctx).set("last", ctx.pathParam("sku")) && "noted");
 * ```
 * @throws Error (`SESSION_MISSING`) where no SessionMiddleware has run.
 */
export function sessionOf(ctx: Context): Session {
  const session = ctx.attribute(slot);
  if (!(session instanceof SessionState))
    throw stateError("SESSION_MISSING", "this request has no session: app.use(new SessionMiddleware({ … })) before it");
  return session.read();
}

/** Makes `session` the one of the request. */
export const putSession = (ctx: Context, session: SessionState): unknown => ctx.attribute(slot, session);

/** What is to be done about a session. */
export type Change = "none" | "update" | "create" | "end";

/** What has become of a session, as annotations say it. */
export type Outcome = "none" | "created" | "updated" | "regenerated" | "destroyed";

/** What the sessions of one middleware ask of it. */
export interface SessionOwner {
  /** Writes one now. */
  save(ctx: Context, state: SessionState): Promise<void>;
  /** From now on one may differ from what is kept of it. */
  touched(ctx: Context): void;
}

/** A session with what its middleware needs to know. */
export class SessionState implements Session {
  /** Has its store failed? Then it is neither read nor written, see `onStoreError`. */
  readonly isLost: boolean;
  /** Has the request's cookie led to it? */
  readonly wasFound: boolean;
  /** Has it come to be saved, with whatever success? */
  wasSaved = false;
  /** Has the response hook had it? */
  isFinished = false;
  /** Is its cookie in the response? */
  isSent = false;
  /** What has become of it so far. */
  outcome: Outcome = "none";
  readonly #owner: SessionOwner;
  readonly #ctx: Context;
  #isRead = false;
  /** Has anything been set, or handed out that can be changed? Its JSON need not be compared before. */
  #isTouched = false;
  /** The save that is under way, or was last. */
  #saving: Promise<unknown> | undefined;
  #found: Found | undefined;
  /** How often it was given a new identity, and how many of these have been saved. */
  #replacements = 0;
  #savedReplacements = 0;
  #text: string;
  #values: Map<string, unknown> | undefined;

  constructor(ctx: Context, owner: SessionOwner, found: Found | undefined, isLost: boolean) {
    this.#ctx = ctx;
    this.#owner = owner;
    this.#found = found;
    this.isLost = isLost;
    this.wasFound = found !== undefined;
    this.#text = found?.text ?? "{}";
  }

  /** Has anybody asked for it? Then the response depends on its cookie. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Somebody has asked for it. */
  read(): this {
    this.#isRead = true;
    return this;
  }

  /** Does it have a new identity: by `regenerate` or `destroy`? */
  get isReplaced(): boolean {
    return this.#replacements > this.#savedReplacements;
  }

  /** How often it was given a new identity: for `settle`. */
  get replacements(): number {
    return this.#replacements;
  }

  get isNew(): boolean {
    return this.#found === undefined || this.isReplaced;
  }

  /** What the cookie led to. */
  get found(): Found | undefined {
    return this.#found;
  }

  get<K extends string>(key: K): SessionValue<K> | undefined {
    const value = this.#held().get(key);
    if (typeof value === "object" && value !== null) this.#touch();
    return value as SessionValue<K> | undefined;
  }

  set<K extends string>(key: K, value: SessionValue<K>): this {
    if (isThenable(value) || jsonOf(value, key) === undefined)
      throw unwritable(`${JSON.stringify(key)} is ${isThenable(value) ? "a promise" : typeof value}`);
    this.#touch().set(key, value);
    return this;
  }

  delete(key: string): this {
    this.#touch().delete(key);
    return this;
  }

  clear(): this {
    this.#touch().clear();
    return this;
  }

  regenerate(): this {
    this.#touch();
    this.#replacements += 1;
    return this;
  }

  destroy(): this {
    return this.clear().regenerate();
  }

  /** One save after the other. */
  save(): Promise<void> {
    const saved = (this.#saving ?? Promise.resolve()).then(() => this.#owner.save(this.#ctx, this));
    this.#saving = saved.catch(() => undefined); // Whoever asked for it hears of it.
    return saved;
  }

  /** Its values: this request's own, whoever else has the same cookie. Most requests that have a session ask for none. */
  #held(): Map<string, unknown> {
    return (this.#values ??= new Map(Object.entries(this.#found?.data ?? (JSON.parse(this.#text) as object))));
  }

  #touch(): Map<string, unknown> {
    if (!this.#isTouched) this.#owner.touched(this.#ctx);
    this.#isTouched = true;
    return this.#held();
  }

  /** The JSON of its values. @throws TypeError when they have none. */
  text(): string {
    return (this.#isTouched ? jsonOf(Object.fromEntries(this.#held())) : undefined) ?? this.#text;
  }

  /** What is to be done about it, given its JSON now. */
  change(text: string = this.text()): Change {
    if (text === "{}" && this.isNew) return this.isReplaced ? "end" : "none";
    if (this.isNew) return "create";
    return text === this.#text ? "none" : "update";
  }

  /** What that change makes of it. */
  outcomeOf(change: Change): Outcome {
    if (change === "create") return this.#found === undefined ? "created" : "regenerated";
    if (change === "end") return this.#found === undefined ? this.outcome : "destroyed";
    return change === "update" && this.outcome === "none" ? "updated" : this.outcome;
  }

  /** What it holds, for those who watch. */
  get values(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#held());
  }

  /**
   * It has been written, or ended, and this is what it is from now on. `replacements` are those of when that began: a
   * `regenerate` since then is still to be done.
   */
  settle(found: Found | undefined, replacements: number): void {
    this.#found = found;
    this.#savedReplacements = replacements;
    this.#text = found?.text ?? "{}";
  }
}

/** Its JSON; undefined where it is left out. @throws TypeError when it cannot be written, or something in it is lost. */
function jsonOf(value: unknown, path?: string): string | undefined {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw unwritable(error instanceof Error ? error.message : String(error));
  }
  const lost = text?.includes("{}") === true ? lostIn(value, path) : undefined;
  if (lost !== undefined) throw unwritable(lostSentence(lost));
  return text;
}

const unwritable = (what: string): TypeError =>
  usageError("SESSION_VALUE", `a session holds what has a JSON form, and this has none: ${what}`);
