/**
 * The accounts with Kysely, on the same pool.
 */
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import { type Account, AccountRepository, type Store } from "./accounts.ts";
import { mapPgErrors } from "./errors.ts";
import { Postgres } from "./postgres.ts";
import { savepoint, Scope, Transactions } from "./transactions.ts";

interface Tables {
  readonly accounts: Account;
}

/** Kysely's database, or its transaction inside of `run`. */
class KyselyTransactions implements Transactions {
  readonly #scope = new Scope<Kysely<Tables>>();
  readonly #db: Kysely<Tables>;

  constructor({ pool }: Postgres) {
    this.#db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  }

  /** What repositories build their queries with. */
  get db(): Kysely<Tables> {
    return this.#scope.current ?? this.#db;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#scope.current;
    if (outer !== undefined) return savepoint((sql) => outer.executeQuery(CompiledQuery.raw(sql)), work);
    return this.#db.transaction().execute((tx) => this.#scope.run(tx, work));
  }
}

class KyselyAccounts implements AccountRepository {
  readonly #transactions: KyselyTransactions;

  constructor(transactions: KyselyTransactions) {
    this.#transactions = transactions;
  }

  async add(account: Account): Promise<void> {
    await this.#transactions.db.insertInto("accounts").values(account).execute();
  }

  find(owner: string): Promise<Account | undefined> {
    return this.#transactions.db.selectFrom("accounts").selectAll().where("owner", "=", owner).executeTakeFirst();
  }

  async change(owner: string, cents: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#transactions.db
      .updateTable("accounts")
      .set((eb) => ({ cents: eb("cents", "+", cents) }))
      .where("owner", "=", owner)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }
}

/** Accounts in Kysely. */
export const kyselyStore: Store = {
  bind: (builder) =>
    builder
      .bind(KyselyTransactions, (b) => new KyselyTransactions(b.get(Postgres)))
      .bind(Transactions, (b) => {
        const transactions = b.get(KyselyTransactions);
        return { run: (work) => transactions.run(work) };
      })
      .bind(AccountRepository, (b) => new KyselyAccounts(b.get(KyselyTransactions))),
  mapErrors: mapPgErrors,
};
