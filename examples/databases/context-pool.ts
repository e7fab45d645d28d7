/**
 * A pool that keeps the caller's async context.
 *
 * With pg's own, a `pool.query` that waits for a connection runs in the context of the request that released one, and
 * devtools show its statement there, or nowhere.
 */
import { AsyncResource } from "node:async_hooks";
import { Pool, type PoolClient } from "pg";

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void;

/** The pool of pg, except for that. */
export class ContextPool extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): unknown {
    return connected === undefined ? super.connect() : super.connect(AsyncResource.bind(connected));
  }
}
