/**
 * Session: the remembered data of one client, as handlers see it.
 *
 *   sessionOf(ctx) ──▶ get · set · delete · clear            changes are found by comparing JSON, also within a value
 *                      regenerate: a new session with the same data, for a login
 *                      destroy: none, for a logout
 *
 * Nothing is saved before the response is ready (see middleware.ts).
 *
 * Spec: spec/session.md
 */
import type { Context } from "../http/context.ts";
import { lostIn, lostSentence } from "../internal/lost-in-json.ts";
import { isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { Found } from "./found.ts";

/**
 * Names and types of session values. Extend it:
 * `declare module "framework/session" { interface SessionData { userId: string } }`.
 */
// eslint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type
export interface SessionData {}

/** The type of the value named `K`, or `unknown` when it is not declared. */
export type SessionValue<K extends string> = K extends keyof SessionData ? SessionData[K] : unknown;

/** The remembered data of one client. */
export interface Session {
  /** Does it not exist yet? It is created with the first value. */
  readonly isNew: boolean;
  get<K extends string>(key: K): SessionValue<K> | undefined;
  /**
   * Stores a value that has a JSON form. @throws TypeError when it has none: undefined, a function, a promise, a Map, a cycle.
   */
  set<K extends string>(key: K, value: SessionValue<K>): this;
  delete(key: string): this;
  /** Removes every value, and keeps the session. */
  clear(): this;
  /**
   * Starts a new session with the same values, and ends the old one. Call it on every change of identity, above all a login, so
   * that a session id known to an attacker becomes worthless.
   */
  regenerate(): this;
  /** Ends the session and removes all values. */
  destroy(): this;
  /**
   * Saves now, instead of when the response is ready. Use it before `ctx.sse()` without arguments, which sends the head
   * immediately.
   *
   * @throws (rejects) the errors of saving with the response: 503 when the store fails, Error when the session is too large.
   */
  save(): Promise<void>;
}

/** The attribute of the innermost session of a request. */
const slot: unique symbol = Symbol("framework/session");

/**
 * The session of a request.
 *
 * @example
 * ```ts
 * app.post("/cart/{sku}", (ctx) => sessionOf(ctx).set("last", ctx.pathParam("sku")) && "noted");
 * ```
 * @throws Error (`SESSION_MISSING`) when no SessionMiddleware has run.
 */
export function sessionOf(ctx: Context): Session {
  const session = ctx.attribute(slot);
  if (!(session instanceof SessionState))
    throw stateError("SESSION_MISSING", "this request has no session: app.use(new SessionMiddleware({ … })) before it");
  return session.read();
}

/** Makes `session` the session of the request. */
export const putSession = (ctx: Context, session: SessionState): unknown => ctx.attribute(slot, session);

/** The pending action on a session. */
export type Change = "none" | "update" | "create" | "end";

/** The outcome of a session, as annotations report it. */
export type Outcome = "none" | "created" | "updated" | "regenerated" | "destroyed";

/** The middleware, as its sessions need it. */
export interface SessionOwner {
  /** Saves one now. */
  save(ctx: Context, state: SessionState): Promise<void>;
  /** From now on it may differ from its stored form. */
  touched(ctx: Context): void;
}

/** A session with the state that its middleware needs. */
export class SessionState implements Session {
  /** Has its store failed? Then it is not read or saved, see `onStoreError`. */
  readonly isLost: boolean;
  /** Was it found by the request's cookie? */
  readonly wasFound: boolean;
  /** Has a save been attempted? */
  wasSaved = false;
  /** Has the response hook processed it? */
  isFinished = false;
  /** Is its cookie in the response? */
  isSent = false;
  /** Its outcome so far. */
  outcome: Outcome = "none";
  readonly #owner: SessionOwner;
  readonly #ctx: Context;
  #isRead = false;
  /** Was a value set, or a mutable one handed out? Before that its JSON need not be compared. */
  #isTouched = false;
  /** The pending or last save. */
  #saving: Promise<unknown> | undefined;
  #found: Found | undefined;
  /** The number of identity changes, and how many of them have been saved. */
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

  /** Has it been read? Then the response depends on its cookie. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** It has been read. */
  read(): this {
    this.#isRead = true;
    return this;
  }

  /** Does it have a new identity, by `regenerate` or `destroy`? */
  get isReplaced(): boolean {
    return this.#replacements > this.#savedReplacements;
  }

  /** The number of identity changes, for `settle`. */
  get replacements(): number {
    return this.#replacements;
  }

  get isNew(): boolean {
    return this.#found === undefined || this.isReplaced;
  }

  /** The session found by the cookie. */
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

  /** Runs one save after the other. */
  save(): Promise<void> {
    const saved = (this.#saving ?? Promise.resolve()).then(() => this.#owner.save(this.#ctx, this));
    this.#saving = saved.catch(() => undefined); // The caller gets the rejection.
    return saved;
  }

  /** Its values, separate for this request even if others have the same cookie. Most requests with a session read none. */
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

  /** The pending action, given its JSON now. */
  change(text: string = this.text()): Change {
    if (text === "{}" && this.isNew) return this.isReplaced ? "end" : "none";
    if (this.isNew) return "create";
    return text === this.#text ? "none" : "update";
  }

  /** The outcome of that action. */
  outcomeOf(change: Change): Outcome {
    if (change === "create") return this.#found === undefined ? "created" : "regenerated";
    if (change === "end") return this.#found === undefined ? this.outcome : "destroyed";
    return change === "update" && this.outcome === "none" ? "updated" : this.outcome;
  }

  /** Its contents, for observers. */
  get values(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#held());
  }

  /**
   * It has been saved, or ended, and this is its new state. `replacements` is the number at the beginning of the save. A
   * `regenerate` since then is still pending.
   */
  settle(found: Found | undefined, replacements: number): void {
    this.#found = found;
    this.#savedReplacements = replacements;
    this.#text = found?.text ?? "{}";
  }
}

/** Its JSON, or undefined when it is left out. @throws TypeError when it has none, or part of it would be lost. */
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
