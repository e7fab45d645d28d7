/**
 * IdempotencyStore: what is known of a key, and who works on it.
 *
 *   none ──begin──▶ running: an owner, for as long as its lease ──finish──▶ done: the outcome, until it is forgotten
 *     ▲                │ renew: a longer lease        └─ the lease is over: the next begin is the first
 *     └────release─────┘
 *
 * Each step checks and writes at once, so of many processes one is the first. A step of an owner has no effect once another
 * owner has begun.
 *
 * Spec: spec/idempotency.md
 */

/** One attempt at a request. */
export interface Attempt {
  /** The hash of the key and its caller, 43 characters. */
  readonly key: string;
  /** The hash of what is requested, 43 characters. */
  readonly fingerprint: string;
  /** A UUID of this attempt. */
  readonly owner: string;
}

/** What `begin` has found. */
export type Begun =
  | { readonly state: "first" }
  | { readonly state: "running"; readonly fingerprint: string }
  | { readonly state: "done"; readonly fingerprint: string; readonly outcome: string };

/** Keeps keys. Several processes may share it. */
export interface IdempotencyStore {
  /** Begins, if no attempt is running and none has finished. */
  begin(attempt: Attempt, leaseMs: number): Promise<Begun>;
  /** Extends the lease, also one that is over and was not taken. False when another owner has the key. */
  renew(attempt: Attempt, leaseMs: number): Promise<boolean>;
  /** Keeps the outcome. False when another owner has the key. */
  finish(attempt: Attempt, outcome: string, ttlMs: number): Promise<boolean>;
  /** Forgets the key, if this owner has it and has not finished. */
  release(attempt: Attempt): Promise<void>;
  /** `finish` as a statement of the caller's transaction. False when another owner has the key. */
  commit?(tx: object, attempt: Attempt, outcome: string, ttlMs: number): Promise<boolean>;
}
