/**
 * autocannon with what the bench uses of it, typed, and taught QUERY: its list of methods is older than RFC 10008.
 */
import { createRequire } from "node:module";
import type { EventEmitter } from "node:events";

/** A running load: emits `response` with (client, status, bytes, milliseconds), and `reqError`. */
export interface Load extends EventEmitter {
  stop(): void;
}

/** Options of a load. */
export interface LoadOptions {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly connections: number;
  /** Seconds. */
  readonly duration: number;
  /** How often, in milliseconds, it looks whether it was stopped. */
  readonly sampleInt: number;
}

const require = createRequire(import.meta.url);
const methods = require("autocannon/lib/httpMethods") as string[];
if (!methods.includes("QUERY")) methods.push("QUERY");
const autocannon = require("autocannon") as (options: LoadOptions, done: (error: Error | null) => void) => Load;

/** Starts a load; `over` settles when it has ended and its connections are closed. @throws (rejects) what it reports. */
export function startLoad(options: LoadOptions): { readonly load: Load; readonly over: Promise<void> } {
  let settle: (error: Error | null) => void = () => undefined;
  const over = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === null ? resolve() : reject(error));
  });
  return { load: autocannon(options, (error) => settle(error)), over };
}
