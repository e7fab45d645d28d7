/**
 * The accounts with pg alone: SQL as it is.
 */
import { type Account, AccountRepository, type Store } from "./accounts.ts";
import { mapPgErrors } from "./errors.ts";
import { Postgres } from "./postgres.ts";
import { Transactions } from "./transactions.ts";

/** The repository. Its statements run in the transaction of the code that called it. */
class PgAccounts implements AccountRepository {
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async add({ owner, cents }: Account): Promise<void> {
    await this.#postgres.query("insert into accounts (owner, cents) values ($1, $2)", [owner, cents]);
  }

  async find(owner: string): Promise<Account | undefined> {
    const [account] = await this.#postgres.query<Account>("select owner, cents from accounts where owner = $1", [
      owner,
    ]);
    return account;
  }

  async change(owner: string, cents: number): Promise<boolean> {
    const update = "update accounts set cents = cents + $2 where owner = $1 returning owner";
    return (await this.#postgres.query(update, [owner, cents])).length > 0;
  }
}

/** Accounts in pg alone. */
export const pgStore: Store = {
  bind: (builder) =>
    builder
      .bind(Transactions, (b) => {
        const postgres = b.get(Postgres);
        return { run: (work) => postgres.transaction(work) };
      })
      .bind(AccountRepository, (b) => new PgAccounts(b.get(Postgres))),
  mapErrors: mapPgErrors,
};
