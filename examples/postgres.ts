/**
 * PostgreSQL inside the process (PGlite), so nothing has to be installed: in memory, or in the folder it is given, where
 * its content survives a restart. A new one begins as a copy of an empty database: to make that takes seconds.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { dataDir as emptyDatabase } from "@electric-sql/pglite-prepopulatedfs";

/** Opens it; without a folder, or where the folder holds none yet, an empty one. */
export async function openPostgres(folder?: string): Promise<PGlite> {
  if (folder === undefined) return PGlite.create({ loadDataDir: await emptyDatabase() });
  await mkdir(folder, { recursive: true });
  if (existsSync(join(folder, "PG_VERSION"))) return PGlite.create({ dataDir: folder });
  return PGlite.create({ dataDir: folder, loadDataDir: await emptyDatabase() });
}
