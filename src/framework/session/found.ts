/**
 * A session as it is stored, in a cookie or in a store, and as it is found again.
 *
 *   Kept ──▶ textOf: [createdAt,usedAt,{…}] ──▶ sealed, or stored ──▶ foundIn ──▶ Found │ none
 *
 * Spec: spec/session.md
 */

/** A stored session. Times are those of `Date.now()`. */
export interface Kept {
  /** The JSON of its data. */
  readonly text: string;
  readonly createdAt: number;
  /** When it was last written. */
  readonly usedAt: number;
}

/** A session that a cookie refers to. */
export interface Found extends Kept {
  /** Its id in the store. Undefined when it is in the cookie. */
  readonly id: string | undefined;
  /** When its cookie was sent. With a store, the client provides this. */
  readonly sentAt: number;
  /** Should it be rewritten, though nothing has changed? */
  readonly isOutdated: boolean;
  /** Its data, if its JSON has just been parsed, for the one request that may change it. */
  readonly data?: object | undefined;
}

/** The stored text. */
export const textOf = ({ text, createdAt, usedAt }: Kept): string => `[${createdAt},${usedAt},${text}]`;

/** A session from its stored text. Undefined when invalid, e.g. when other code wrote into the store. */
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
  // Written out, because a spread would cost more than deciphering it.
  return { text: JSON.stringify(data), createdAt: created, usedAt: used, id, sentAt: sentAt ?? used, isOutdated, data };
}
