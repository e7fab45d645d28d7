/**
 * Transactions, as services see them, and the connection of the one that the running code is in.
 *
 *   service ──▶ transactions.run(work) ──▶ scope.run(connection, work) ──▶ repository ──▶ scope.current
 *
 * `AsyncLocalStorage` separates concurrent requests: each finds its own connection, however deep the call is.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { Interface } from "framework";

/** What services know of the database. */
export interface Transactions {
  /** Everything that `work` writes is kept, or nothing when it throws. A run inside a run is a savepoint. */
  run<T>(work: () => Promise<T>): Promise<T>;
}
/** The bean's key. */
export const Transactions: Interface<Transactions> = Interface("Transactions", { stereotype: "component" });

/** Remembers the connection of a transaction for the code that runs inside it. */
export class Scope<Connection> {
  readonly #storage = new AsyncLocalStorage<{ readonly connection: Connection; isOver: boolean }>();

  /** The connection of the transaction that this code runs in. @throws Error when that transaction is over. */
  get current(): Connection | undefined {
    const inside = this.#storage.getStore();
    if (inside?.isOver === true) throw new Error("the transaction is over: await all work inside transactions.run");
    return inside?.connection;
  }

  /** Runs `work` so that `current` is this connection for it and for all that it calls. */
  async run<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
    const inside = { connection, isOver: false };
    try {
      return await this.#storage.run(inside, work);
    } finally {
      inside.isOver = true;
    }
  }
}

/** Runs `work` between two savepoints of the transaction that `execute` sends statements to. */
export async function savepoint<T>(execute: (sql: string) => PromiseLike<unknown>, work: () => Promise<T>): Promise<T> {
  await execute("savepoint inner_run");
  try {
    return await work();
  } catch (error) {
    await execute("rollback to savepoint inner_run");
    throw error;
  } finally {
    await execute("release savepoint inner_run"); // the outer one of that name is the newest again
  }
}
