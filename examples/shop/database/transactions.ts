/**
 * Transactions: the services' view of the database. Services say what belongs together and know no SQL.
 */
import { Interface } from "framework";
import type { Database } from "./database.ts";

export interface Transactions {
  /** Everything `work` writes is kept, or nothing of it if it throws. A job that is sent with `tx` is a part of it. */
  run<T>(work: (tx: object) => Promise<T>): Promise<T>;
}
export const Transactions: Interface<Transactions> = Interface("Transactions", { stereotype: "component" });

export class DatabaseTransactions implements Transactions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  run<T>(work: (tx: object) => Promise<T>): Promise<T> {
    return this.#database.transaction(work);
  }
}
