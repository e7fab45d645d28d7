/**
 * Removes folders that earlier compilations filled: `node scripts/clean.mjs dist`. Without it a test or a module whose
 * source is gone would still be there, and run.
 */
import { rmSync } from "node:fs";

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
