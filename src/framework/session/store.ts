/**
 * SessionStore: keeps sessions outside their cookies. Three methods, and a fourth that saves writes.
 *
 *   key ──▶ read ──▶ text          the key is a hash of the cookie's id: a reader of the store can use no session
 *   key, text ──▶ write create ──▶ only where there is none
 *                 write update ──▶ only where there is one: a slower request cannot restore a destroyed one
 *
 * Spec: spec/session.md
 */

/** Options of a write. */
export interface SessionWrite {
  /** How long to keep it, from now. */
  readonly ttlMs: number;
  /** `create` writes only when the key does not exist, `update` only when it exists. */
  readonly mode: "create" | "update";
}

/** Keeps sessions: in memory, in Redis, or in the app's own database. Several processes may share it. */
export interface SessionStore {
  /** The text under that key. Undefined when there is none, or it has expired. */
  read(key: string): Promise<string | undefined>;
  /** Stores a text. False when `mode` did not allow it. Check and write are one step. */
  write(key: string, text: string, options: SessionWrite): Promise<boolean>;
  /** Extends the life of an existing key. False when there is none. Without this method the text is written again. */
  touch?(key: string, ttlMs: number): Promise<boolean>;
  /** Deletes it. Does nothing when there is none. */
  destroy(key: string): Promise<void>;
}
