/**
 * The libraries by name, for the program and the test.
 */
import type { Store } from "./accounts.ts";
import { drizzleStore } from "./drizzle-accounts.ts";
import { kyselyStore } from "./kysely-accounts.ts";
import { pgStore } from "./pg-accounts.ts";
import { prismaStore } from "./prisma-accounts.ts";

/** Each stores accounts in the same tables. */
export const stores: Readonly<Record<string, Store>> = {
  pg: pgStore,
  drizzle: drizzleStore,
  kysely: kyselyStore,
  prisma: prismaStore,
};
