/**
 * Fingerprint: which requests an observer saw, without keeping them. A request carries its nonce in its path and as its
 * request id; two observers that saw the same nonces, each as often, have the same fingerprint.
 */

/** Sums over what was seen. */
export class Fingerprint {
  /** Requests of any path. */
  count = 0;
  /** Nonces, added and added after a hash: one that is lost is not made up for by two that came twice. */
  nonces = 0;
  hashes = 0;
  /** Requests whose id is not their own path's. */
  misattributed = 0;

  add(path: string, requestId?: string): void {
    this.count += 1;
    const digits = /^\/r\/[a-z]+\/(\d{1,9})$/.exec(path)?.[1];
    if (digits === undefined) return;
    this.nonces += Number(digits);
    this.hashes += Math.imul(Number(digits) ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
    if (requestId !== undefined && requestId !== `n${digits}`) this.misattributed += 1;
  }

  /** What two observers must have in common. */
  static of({ count, nonces, hashes }: Fingerprint): string {
    return [count, nonces, hashes].join();
  }
}

/** What middleware and routes have seen since the start. */
export const nothingSeen = () => ({
  entered: new Fingerprint(),
  lines: new Fingerprint(),
  spans: new Fingerprint(),
  /** Requests that the parser rejected; they leave a line and a metric, no span and no trace. */
  rejected: 0,
  /** How often the check that hangs was started. */
  hangingStarts: 0,
  /** Log lines that are not one line of printable ASCII, or have not their form's fields. */
  forged: 0,
  /** Statuses of 500 and more that no client may cause, with method and path. */
  unexpected: [] as string[],
  /** Guarded paths that a handler was given to read. */
  reached: [] as string[],
});
/** That. */
export type Seen = ReturnType<typeof nothingSeen>;
