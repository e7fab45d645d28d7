/**
 * Starts the bank: `DATABASE_URL=postgres://localhost/bank node .build/examples/databases/main.js`.
 *
 *   PORT     where it listens (8080)
 *   STORE    pg (default), drizzle, kysely or prisma
 */
import { createApp } from "./app.ts"; // first: it patches pg
import { stores } from "./stores.ts";

const { DATABASE_URL, PORT = "8080", STORE = "pg" } = process.env;
const store = stores[STORE];
if (store === undefined)
  throw new Error(`STORE is ${JSON.stringify(STORE)}, it takes ${Object.keys(stores).join(", ")}`);

const app = await createApp({ database: { connectionString: DATABASE_URL }, store });
await app.start(Number(PORT));
console.log(`dashboard: ${app.url}/framework/dev`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void app.stop());
