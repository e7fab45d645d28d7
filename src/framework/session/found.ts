/**
 * A session as it is kept, in a cookie or in a store, and as it is found again.
 *
 *   Kept ──▶ textOf: [createdAt,usedAt,{…}] ──▶ sealed, or stored ──▶ foundIn ──▶ Found │ none
 *
 * Spec: spec/session.md
 */

/** A session as it is kept. Times are those of `Date.now()`. */
export interface Kept {
  /** The JSON of its data. */
  readonly text: string;
  readonly createdAt: number;
  /** When it was last written. */
  readonly usedAt: number;
}

/** A session that a cookie leads to. */
export interface Found extends Kept {
  /** Where it is in the store; undefined when it is in the cookie. */
  readonly id: string | undefined;
  /** When its cookie was sent; the client says so, where there is a store. */
  readonly sentAt: number;
  /** Should it be written anew, though nothing has changed? */
  readonly isOutdated: boolean;
  /** Its data, where the JSON of it has just been read: for the one request that may change it. */
  readonly data?: object | undefined;
}

/** The text that is kept. */
export const textOf = ({ text, createdAt, usedAt }: Kept): string => `[${createdAt},${usedAt},${text}]`;

/** A session from what was kept; undefined when that is none, as after somebody else wrote into the store. */
export function foundIn(text: string, id?: string, sentAt?: number, isOutdated = false): Found | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 3) return undefined;
  const [createdAt, usedAt, data] = value as readonly unknown[];
  const isSound = Number.isSafeInteger(createdAt) && Number.isSafeInteger(usedAt);
  if (!isSound || typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  const [created, used] = [Number(createdAt), Number(usedAt)];
  // Written out: spread, it would cost more than to decipher it.
  return { text: JSON.stringify(data), createdAt: created, usedAt: used, id, sentAt: sentAt ?? used, isOutdated, data };
}
