/**
 * A small bank: its beans, its routes and, in development, devtools. Importing it only patches pg.
 *
 *   POST /transfers ──▶ TransferService ──▶ Transactions ──▶ AccountRepository ──▶ pg, Drizzle, Kysely or Prisma
 */
import { createDevtools } from "./telemetry.ts"; // before everything that loads pg
import type { Devtools } from "@framework/devtools";
import { Beans, Framework, HealthMiddleware, type Logger, NotFoundError } from "framework";
import type { PoolConfig } from "pg";
import { z } from "zod";
import { AccountRepository, AtomicTransfers, type Store, TransferService } from "./accounts.ts";
import { migrated } from "./migrations.ts";
import { pgStore } from "./pg-accounts.ts";
import { Postgres } from "./postgres.ts";
import { Transactions } from "./transactions.ts";

/** What differs between two places where it runs. */
export interface Settings {
  /** Where PostgreSQL is, and how many connections the pool has. */
  readonly database: PoolConfig;
  /** The library that stores accounts; pg alone by default. */
  readonly store?: Store;
  /** Where the app writes what it has to say; the console by default. */
  readonly logger?: Logger | undefined;
}

const account = z.object({ owner: z.string().min(1).max(100), cents: z.int().min(0) });
const transfer = z.object({ from: z.string(), to: z.string(), cents: z.int().min(1) });

/** The service, ready to start. It closes its beans, and so the pool, when it stops. */
export async function createApp({ database, store = pgStore, logger }: Settings): Promise<Framework> {
  const devtools = createDevtools();
  const beans = await startBeans({ database, store, logger }, devtools);
  const postgres = beans.get(Postgres);
  const app = Framework.create({ logger })
    .beans(beans)
    .onStop(() => beans.close());
  app.use(new HealthMiddleware({ checks: { database: async () => void (await postgres.query("select 1")) } }));
  store.mapErrors(app);
  app.post("/accounts", { body: account }, async (ctx) => {
    await ctx.get(AccountRepository).add(ctx.input.body);
    return ctx.status(201).json(ctx.input.body);
  });
  app.get("/accounts/{owner}", async (ctx) => {
    const found = await ctx.get(AccountRepository).find(ctx.params.owner);
    return found ?? new NotFoundError(`${ctx.params.owner} has no account`);
  });
  app.post("/transfers", { body: transfer }, async (ctx) => {
    const { from, to, cents } = ctx.input.body;
    await ctx.get(TransferService).transfer(from, to, cents); // committed: the response leaves after this
    ctx.status(204);
  });
  devtools.install(app, beans);
  return app;
}

function startBeans(
  { database, store, logger }: Settings & { readonly store: Store },
  devtools: Devtools,
): Promise<Beans> {
  const open = (): Promise<Postgres> => migrated(new Postgres(database, logger && ((line) => logger.warn(line))));
  return store
    .bind(Beans.builder().bindAsync(Postgres, open))
    .bind(TransferService, (b) => new AtomicTransfers(b.get(Transactions), b.get(AccountRepository)))
    .instrument(devtools.recorder())
    .startAsync();
}
