/**
 * `make mutation ROOMS="routing middleware/cors devtools/server"`: Stryker changes a room's compiled files in one place after the
 * other, and the tests beside them have to notice.
 *
 *   src/framework/dist/<room>/*.js mutated, its *.test.js run ──▶ the survivors, a score, .build/mutation/<room>.html
 *
 * Compiled files are mutated, since they are what the tests run and nothing has to be compiled for a mutant; they differ from
 * the source by its types alone. What only a test of another room notices survives here. A second run tries again what
 * survived and what has changed. Those that change nothing anybody can see are listed in equivalents.md.
 */
import { fileURLToPath } from "node:url";

const room = process.env.ROOM ?? "routing";
const folder = room.startsWith("devtools/") ? room.replace("/", "/dist/") : `framework/dist/${room}`;
const output = fileURLToPath(new URL(`../../.build/mutation/${room.replaceAll("/", "-")}`, import.meta.url));

// eslint-disable-next-line import/no-default-export -- Stryker reads the default export
export default {
  testRunner: "tap",
  plugins: [fileURLToPath(import.meta.resolve("@stryker-mutator/tap-runner"))],
  tap: {
    testFiles: [`src/${folder}/**/*.test.js`],
    nodeArgs: ["--conditions=modules", "--test-reporter=tap", "-r", "{{hookFile}}", "{{testFile}}"],
  },
  mutate: [`src/${folder}/**/*.js`, `!src/${folder}/**/*.test.js`, `!src/${folder}/**/*.testkit.js`],
  ignorePatterns: ["**", "!src/framework/**", "!src/devtools/**", "!package.json"],
  symlinkNodeModules: false,
  concurrency: 1,
  incremental: true,
  incrementalFile: `${output}.json`,
  tempDirName: `${output}.sandbox`,
  reporters: ["clear-text", "html"],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  htmlReporter: { fileName: `${output}.html` },
  timeoutMS: 4_000,
  timeoutFactor: 2,
  thresholds: { high: 95, low: 90, break: 90 },
};
