/**
 * ResetBudget: how many requests the clients at one address may cancel, over all their connections.
 *
 *   taken back ──▶ − 1        served whole, on a session that takes back ──▶ + 1        a second ──▶ + perSecond
 *   below zero ──▶ spent, until time has refilled it: one second at most
 *
 * A request that is cancelled immediately costs its client nothing and the server nearly all of a request (CVE-2023-44487).
 * Node bounds that for each session, and a new connection starts again, so it is counted by address here. Only addresses that
 * cancel requests are kept, and of those the newest few thousand.
 *
 * Spec: spec/engines.md
 */

/** The remaining budget of an address, and the time of its last update. */
interface Account {
  left: number;
  at: number;
}

/** The request counts of a connection. */
export interface Tally {
  readonly address: string;
  /** Requests that its client took back. */
  resets: number;
  /** Requests that were served whole. */
  whole: number;
  /** How many of those were credited to the address. */
  credited: number;
}

/** The initial budget of an address, in seconds' worth of resets. */
const reserveSeconds = 10;
/** How long an address is rejected after the last reset over its budget. */
const rejectedSeconds = 1;
/** The maximum number of stored addresses. */
const most = 4_096;
/** Resets beyond the whole responses that a connection may have while its address has spent its budget. */
const slack = 100;

/** The accounts of all addresses. Times in milliseconds. */
export class ResetBudget {
  readonly #perSecond: number;
  readonly #accounts: Map<string, Account> = new Map();

  /** @param perSecond Infinity removes the bound. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** The number of stored addresses. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Has that address spent its budget? */
  isSpent(address: string, now: number): boolean {
    const account = this.#accounts.get(address);
    return account !== undefined && this.#reckon(account, now) < 0;
  }

  /** A client has cancelled a request. True when its connection has to end, because it is one of those that spend the budget. */
  charge(tally: Tally, now: number): boolean {
    tally.resets += 1;
    if (this.#perSecond === Infinity) return false;
    const account = this.#accounts.get(tally.address) ?? this.#opened(tally.address, now);
    const earned = this.#reckon(account, now) + tally.whole - tally.credited;
    tally.credited = tally.whole;
    account.left = Math.max(-rejectedSeconds * this.#perSecond, Math.min(this.#full, earned) - 1);
    return account.left < 0 && tally.resets - tally.whole > slack;
  }

  /** Forgets addresses with a full budget. */
  sweep(now: number): void {
    for (const [address, account] of this.#accounts)
      if (this.#reckon(account, now) >= this.#full) this.#accounts.delete(address);
  }

  get #full(): number {
    return reserveSeconds * this.#perSecond;
  }

  #reckon(account: Account, now: number): number {
    account.left = Math.min(this.#full, account.left + ((now - account.at) / 1_000) * this.#perSecond);
    account.at = now;
    return account.left;
  }

  /**
   * Over the bound the oldest is forgotten. A client that changes addresses to be forgotten starts again with each of them
   * anyway.
   */
  #opened(address: string, now: number): Account {
    for (const oldest of this.#accounts.keys()) {
      if (this.#accounts.size < most) break;
      this.#accounts.delete(oldest);
    }
    const account = { left: this.#full, at: now };
    this.#accounts.set(address, account);
    return account;
  }
}

/** The key of an address: itself, and for IPv6 the 64-bit network that one customer has. */
export function accountOf(address: string | undefined): string {
  if (address === undefined) return "";
  const bare = address.startsWith("::ffff:") ? address.slice(7) : address;
  if (!bare.includes(":")) return bare;
  const [head = "", tail] = bare.split("::");
  const groups = (part: string): readonly string[] => (part === "" ? [] : part.split(":"));
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => "0"), ...groups(tail ?? "")];
  return `${all.slice(0, 4).join(":")}::`;
}
