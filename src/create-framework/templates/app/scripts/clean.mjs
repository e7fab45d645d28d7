/**
 * Removes the output of earlier compilations: `node scripts/clean.mjs dist`. Otherwise a test or a module with a deleted
 * source would still exist, and run.
 */
import { rmSync } from "node:fs";

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
