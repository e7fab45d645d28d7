/**
 * SessionStore: what keeps sessions outside of their cookies. Three methods, and a fourth that saves writing.
 *
 *   key ──▶ read ──▶ text          the key is a hash of what the cookie holds: who reads the store can use no session
 *   key, text ──▶ write create ──▶ only where there is none
 *                 write update ──▶ only where there is one: what was destroyed is not brought back by a slower request
 *
 * Spec: spec/session.md
 */

/** How a session is written. */
export interface SessionWrite {
  /** How long it is to be kept, from now. */
  readonly ttlMs: number;
  /** `create` writes only where there is nothing under the key, `update` only where there is something. */
  readonly mode: "create" | "update";
}

/** Keeps sessions: in memory, in Redis, or in a database of the app's own. It may be shared by several processes. */
export interface SessionStore {
  /** The text under that key; undefined where there is none, or its time is over. */
  read(key: string): Promise<string | undefined>;
  /** Keeps a text. False where `mode` did not allow it. Checking and writing are one step. */
  write(key: string, text: string, options: SessionWrite): Promise<boolean>;
  /** Keeps what is there for that much longer; false where there is nothing. Without it the text is written again. */
  touch?(key: string, ttlMs: number): Promise<boolean>;
  /** Forgets it; does nothing where there is none. */
  destroy(key: string): Promise<void>;
}
