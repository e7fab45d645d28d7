/**
 * Fingerprint: which requests an observer saw, without keeping them. A request has its nonce in its path and as its request
 * id. Two observers that saw the same nonces equally often have the same fingerprint.
 */

/** Sums over the observed requests. */
export class Fingerprint {
  /** Requests of any path. */
  count = 0;
  /** Nonces, added plainly and after a hash, so that two duplicates cannot compensate for a lost one. */
  nonces = 0;
  hashes = 0;
  /** Requests with an id that does not match their path. */
  misattributed = 0;

  add(path: string, requestId?: string): void {
    this.count += 1;
    const digits = /^\/r\/[a-z]+\/(\d{1,9})$/.exec(path)?.[1];
    if (digits === undefined) return;
    this.nonces += Number(digits);
    this.hashes += Math.imul(Number(digits) ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
    if (requestId !== undefined && requestId !== `n${digits}`) this.misattributed += 1;
  }

  /** The part that two observers must have in common. */
  static of({ count, nonces, hashes }: Fingerprint): string {
    return [count, nonces, hashes].join();
  }
}

/** The records of middleware and routes since the start. */
export const nothingSeen = () => ({
  entered: new Fingerprint(),
  lines: new Fingerprint(),
  spans: new Fingerprint(),
  /** Requests that the parser rejected. They leave a line and a metric, but no span and no trace. */
  rejected: 0,
  /** How often the hanging check was started. */
  hangingStarts: 0,
  /** Log lines that are not one line of printable ASCII, or lack fields of their form. */
  forged: 0,
  /** Statuses of 500 and more that no client may cause, with method and path. */
  unexpected: [] as string[],
  /** Guarded paths that a handler received. */
  reached: [] as string[],
});
/** These records. */
export type Seen = ReturnType<typeof nothingSeen>;
