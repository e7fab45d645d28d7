/**
 * PostgreSQL inside the process (PGlite), so nothing must be installed: in memory, or in a given folder that survives a
 * restart. A new one begins as a copy of an empty database, since creating that takes seconds.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { dataDir as emptyDatabase } from "@electric-sql/pglite-prepopulatedfs";

/** Opens it, or an empty one without a folder or if the folder has none yet. */
export async function openPostgres(folder?: string): Promise<PGlite> {
  if (folder === undefined) return PGlite.create({ loadDataDir: await emptyDatabase() });
  await mkdir(folder, { recursive: true });
  if (existsSync(join(folder, "PG_VERSION"))) return PGlite.create({ dataDir: folder });
  return PGlite.create({ dataDir: folder, loadDataDir: await emptyDatabase() });
}
