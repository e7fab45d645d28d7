/**
 * The accounts with Prisma 7, on the same pool by its driver adapter: no engine binary.
 */
import { PrismaPg } from "@prisma/adapter-pg";
import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import type { Framework } from "framework";
import { type Account, AccountRepository, type Store } from "./accounts.ts";
import { responseTo } from "./errors.ts";
import { Postgres } from "./postgres.ts";
import { Prisma, PrismaClient } from "./prisma/generated/client.ts";
import { savepoint, Scope, Transactions } from "./transactions.ts";

/** Prisma's client, or that of its transaction inside of `run`. */
class PrismaTransactions implements Transactions {
  readonly #scope = new Scope<Prisma.TransactionClient>();
  readonly #prisma: PrismaClient;

  constructor({ pool }: Postgres) {
    this.#prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  }

  /** What repositories call. */
  get db(): Prisma.TransactionClient {
    return this.#scope.current ?? this.#prisma;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#scope.current;
    if (outer !== undefined) return savepoint((sql) => outer.$executeRawUnsafe(sql), work);
    return this.#prisma.$transaction(async (tx) => {
      const result = await this.#scope.run(tx, work);
      await tx.$queryRaw`select 1`; // fails if a statement did and `work` caught its error; the commit would not
      return result;
    });
  }

  /** The container calls it, before it closes the pool. */
  close(): Promise<void> {
    return this.#prisma.$disconnect();
  }
}

class PrismaAccounts implements AccountRepository {
  readonly #transactions: PrismaTransactions;

  constructor(transactions: PrismaTransactions) {
    this.#transactions = transactions;
  }

  async add(account: Account): Promise<void> {
    await this.#transactions.db.account.create({ data: account });
  }

  async find(owner: string): Promise<Account | undefined> {
    return (await this.#transactions.db.account.findUnique({ where: { owner } })) ?? undefined;
  }

  async change(owner: string, cents: number): Promise<boolean> {
    const change = { where: { owner }, data: { cents: { increment: cents } } };
    const { count } = await this.#transactions.db.account.updateMany(change);
    return count === 1;
  }
}

/** Prisma's errors keep the driver adapter's, which has PostgreSQL's code. A commit fails with the adapter's own. */
function mapPrismaErrors(app: Framework): void {
  app.onError(DriverAdapterError, ({ cause }) => responseTo(cause.originalCode));
  app.onError(Prisma.PrismaClientKnownRequestError, ({ meta }) => {
    const inner = meta?.["driverAdapterError"];
    return inner instanceof DriverAdapterError ? responseTo(inner.cause.originalCode) : undefined;
  });
}

/** Accounts in Prisma. */
export const prismaStore: Store = {
  bind: (builder) =>
    builder
      .bind(PrismaTransactions, (b) => new PrismaTransactions(b.get(Postgres)))
      .bind(Transactions, (b) => {
        const transactions = b.get(PrismaTransactions);
        return { run: (work) => transactions.run(work) };
      })
      .bind(AccountRepository, (b) => new PrismaAccounts(b.get(PrismaTransactions))),
  mapErrors: mapPrismaErrors,
};
