/**
 * The accounts with Drizzle, on the same pool.
 */
import { DrizzleQueryError, eq, sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { DatabaseError } from "pg";
import { type Account, AccountRepository, type Store } from "./accounts.ts";
import { responseTo } from "./errors.ts";
import { Postgres } from "./postgres.ts";
import { Scope, Transactions } from "./transactions.ts";

const accounts = pgTable("accounts", { owner: text().primaryKey(), cents: integer().notNull() });
type Db = Pick<NodePgDatabase, "select" | "insert" | "update" | "execute" | "transaction">;

/** Drizzle's database, or its transaction inside of `run`. It makes the savepoints itself. */
class DrizzleTransactions implements Transactions {
  readonly #scope = new Scope<Db>();
  readonly #db: Db;

  constructor({ pool }: Postgres) {
    this.#db = drizzle(pool);
  }

  /** What repositories build their queries with. */
  get db(): Db {
    return this.#scope.current ?? this.#db;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.db.transaction(async (tx) => {
      const result = await this.#scope.run(tx, work);
      await tx.execute("select 1"); // fails if a statement did and `work` caught its error; the commit would not
      return result;
    });
  }
}

class DrizzleAccounts implements AccountRepository {
  readonly #transactions: DrizzleTransactions;

  constructor(transactions: DrizzleTransactions) {
    this.#transactions = transactions;
  }

  async add(account: Account): Promise<void> {
    await this.#transactions.db.insert(accounts).values(account);
  }

  async find(owner: string): Promise<Account | undefined> {
    const [account] = await this.#transactions.db.select().from(accounts).where(eq(accounts.owner, owner));
    return account;
  }

  async change(owner: string, cents: number): Promise<boolean> {
    const { rowCount } = await this.#transactions.db
      .update(accounts)
      .set({ cents: sql`${accounts.cents} + ${cents}` })
      .where(eq(accounts.owner, owner));
    return rowCount === 1;
  }
}

/** Accounts in Drizzle. */
export const drizzleStore: Store = {
  bind: (builder) =>
    builder
      .bind(DrizzleTransactions, (b) => new DrizzleTransactions(b.get(Postgres)))
      .bind(Transactions, (b) => {
        const transactions = b.get(DrizzleTransactions);
        return { run: (work) => transactions.run(work) };
      })
      .bind(AccountRepository, (b) => new DrizzleAccounts(b.get(DrizzleTransactions))),
  mapErrors: (app) =>
    app.onError(DrizzleQueryError, ({ cause }) =>
      cause instanceof DatabaseError ? responseTo(cause.code) : undefined,
    ),
};
