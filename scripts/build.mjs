/**
 * Builds the workspace in dependency order; every step is incremental.
 *
 *   packages + dashboard sources ──▶ framework bundle, one HTML page ──▶ everything else (.build/) ──▶ JSON Schemas
 *         tsc -b                            esbuild                        tsc -b                   src/framework/spec/
 *
 * The page is built before the last step because the tests and the demo load it.
 */
import { run } from "./process.mjs";

await run("tsc", ["-b", "src/framework", "src/devtools", "src/devtools/dashboard", "src/create-framework"]);
await run("node", ["scripts/bundle-framework.mjs"]);
await run("node", ["scripts/build-dashboard.mjs"]);
await run("tsc", ["-b"]);
await run("node", ["scripts/emit-schemas.mjs"]);
