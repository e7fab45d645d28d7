/**
 * Settings of a stress run, from the environment: how much, how long, from which seed, on which Node.
 *
 *   N=5000000 SECONDS=1800 SEED=7 make fuzz          FAST=1 make fuzz: the short form for CI
 */

/** What a run may use. */
export interface Settings {
  /** The short form? */
  readonly fast: boolean;
  /** Where the pseudo-random numbers begin. */
  readonly seed: number;
  /** The Node.js that runs the servers under test. */
  readonly node: string;
  /** `N` when given, else the first number, in the short form the second. */
  amount(usual: number, short: number): number;
  /** `SECONDS` when given, else the first number, in the short form the second. */
  seconds(usual: number, short: number): number;
}

/** Reads the settings. @throws TypeError naming the variable and what is allowed. */
export function settingsOf(env: Readonly<Record<string, string | undefined>> = process.env): Settings {
  const whole = (name: string): number | undefined => {
    const text = env[name];
    if (text === undefined || text === "") return undefined;
    const value = Number(text);
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw new TypeError(`${name} is ${JSON.stringify(text)}; a whole number from 1 is allowed`);
  };
  const fast = env["FAST"] === "1";
  return {
    fast,
    seed: whole("SEED") ?? (Date.now() % 1_000_000) + 1,
    node: env["NODE_BINARY"] ?? process.execPath,
    amount: (usual, short) => whole("N") ?? (fast ? short : usual),
    seconds: (usual, short) => whole("SECONDS") ?? (fast ? short : usual),
  };
}
