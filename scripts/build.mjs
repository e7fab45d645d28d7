/**
 * Builds the workspace in dependency order; every step is incremental, and says that it has begun.
 *
 *   packages + dashboard sources ──▶ framework bundle, one HTML page, mcp kit ──▶ everything else (.build/) ──▶ JSON Schemas
 *         tsc -b                            esbuild                        tsc -b                   src/framework/spec/
 *
 * The page is built before the last step because the tests and the demo load it.
 */
import { run } from "./process.mjs";

const packages = ["src/framework", "src/devtools", "src/devtools/dashboard", "src/create-framework"];
/**
 * What is done, in words for the terminal, and the command.
 *
 * @type {readonly (readonly [what: string, command: string, args: readonly string[]])[]}
 */
const phases = [
  ["compiling the packages", "tsc", ["-b", ...packages]],
  ["bundling the framework", "node", ["scripts/bundle-framework.mjs"]],
  ["building the dashboard's page", "node", ["scripts/build-dashboard.mjs"]],
  ["bundling what agents speak", "node", ["scripts/bundle-mcp.mjs"]],
  ["compiling the examples and tests", "tsc", ["-b"]],
  ["writing the JSON Schemas", "node", ["scripts/emit-schemas.mjs"]],
];

for (const [at, [what, command, args]] of phases.entries()) {
  process.stdout.write(`[${at + 1}/${phases.length}] ${what}\n`);
  run(command, args);
}
