/**
 * Session: what is remembered of one client, as handlers see it.
 *
 *   sessionOf(ctx) ──▶ get · set · delete · clear            changes are found by comparing JSON, also those within a value
 *                      regenerate: a new session with the same data, for a login
 *                      destroy: none, for a logout
 *
 * Nothing is written before the response is ready: see middleware.ts.
 *
 * Spec: spec/session.md (SESSION)
 */
import type { Context } from "../http/context.ts";
import { isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { Found } from "./keeper.ts";

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
  /** Remembers a value that has a JSON form. @throws TypeError when it has none: nothing, a function, a promise. */
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

/** What a session asks of its middleware. */
export interface SessionOwner {
  /** Writes it now. */
  save(): Promise<void>;
  /** Somebody has asked for it, for the first time. */
  read(): void;
}

/** A session with what its middleware needs to know. */
export class SessionState implements Session {
  /** Has its store failed? Then it is neither read nor written, see `onStoreError`. */
  readonly isLost: boolean;
  /** Has the request's cookie led to it? */
  readonly wasFound: boolean;
  /** Has it come to be saved, with whatever success? */
  wasSaved = false;
  /** Is its cookie in the response? */
  isSent = false;
  /** What has become of it so far. */
  outcome: Outcome = "none";
  readonly #owner: SessionOwner;
  #isRead = false;
  #found: Found | undefined;
  /** How often it was given a new identity, and how many of these have been saved. */
  #replacements = 0;
  #savedReplacements = 0;
  #text: string;
  readonly #values: Map<string, unknown>;

  constructor(found: Found | undefined, isLost: boolean, owner: SessionOwner) {
    this.#found = found;
    this.isLost = isLost;
    this.wasFound = found !== undefined;
    this.#owner = owner;
    this.#text = found?.text ?? "{}";
    this.#values = new Map(Object.entries(found?.data ?? (JSON.parse(this.#text) as object)));
  }

  /** Has anybody asked for it? Then the response depends on its cookie. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Somebody has asked for it. */
  read(): this {
    if (!this.#isRead) this.#owner.read();
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
    return this.#values.get(key) as SessionValue<K> | undefined;
  }

  set<K extends string>(key: K, value: SessionValue<K>): this {
    if (value === undefined || typeof value === "function" || typeof value === "symbol" || isThenable(value))
      throw unwritable(`${JSON.stringify(key)} is ${isThenable(value) ? "a promise" : typeof value}`);
    this.#values.set(key, value);
    return this;
  }

  delete(key: string): this {
    this.#values.delete(key);
    return this;
  }

  clear(): this {
    this.#values.clear();
    return this;
  }

  regenerate(): this {
    this.#replacements += 1;
    return this;
  }

  destroy(): this {
    return this.clear().regenerate();
  }

  save(): Promise<void> {
    return this.#owner.save();
  }

  /** The JSON of its values. @throws TypeError when they have none. */
  text(): string {
    try {
      return JSON.stringify(Object.fromEntries(this.#values));
    } catch (error) {
      throw unwritable(error instanceof Error ? error.message : String(error));
    }
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
    return Object.fromEntries(this.#values);
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

const unwritable = (what: string): TypeError =>
  usageError("SESSION_VALUE", `a session holds what has a JSON form, and this has none: ${what}`);
