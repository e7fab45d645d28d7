/**
 * `make mutation ROOMS="routing middleware/cors devtools/record"`: Stryker changes a room's compiled files in one place after the
 * other, and the tests beside them have to notice. `make mutation BASE=main`: only the files that changed since.
 *
 *   src/framework/dist/<room>/*.js mutated, its *.test.js run ──▶ the survivors, a score, .build/mutation/<room>.html
 *
 * Compiled files are mutated, since they are what the tests run and nothing has to be compiled for a mutant; they differ from
 * the source by its types alone. What only a test of another room notices survives here. A second run tries again what
 * survived and what has changed. Those that change nothing anybody can see are listed in equivalents.md.
 */
import { fileURLToPath } from "node:url";
import { compiled } from "../../scripts/test.mjs";

const folderOf = (room) => (room.startsWith("devtools/") ? room.replace("/", "/dist/") : `framework/dist/${room}`);
/** `http` of src/framework/http/body.ts, `middleware/cors`, `devtools/record`: where the tests of a file are. */
const roomOf = (source) => /^src\/(?:framework\/)?((?:(?:middleware|devtools)\/)?[^/]+)\//.exec(source)?.[1];

// A property that does not notice a mutant in so many runs is no test of that line.
process.env.FC_RUNS ??= "200";

const changed = process.env.FILES?.split(/\s+/);
const rooms = changed === undefined ? [process.env.ROOM ?? "routing"] : [...new Set(changed.map(roomOf))];
const files = changed?.map(compiled) ?? [`src/${folderOf(rooms[0])}/**/*.js`];
const name = changed === undefined ? rooms[0].replaceAll("/", "-") : "changed";
const output = fileURLToPath(new URL(`../../.build/mutation/${name}`, import.meta.url));

// eslint-disable-next-line import/no-default-export -- Stryker reads the default export
export default {
  testRunner: "tap",
  plugins: [fileURLToPath(import.meta.resolve("@stryker-mutator/tap-runner"))],
  tap: {
    testFiles: rooms.map((room) => `src/${folderOf(room)}/**/*.test.js`),
    nodeArgs: ["--conditions=modules", "--test-reporter=tap", "-r", "{{hookFile}}", "{{testFile}}"],
  },
  mutate: [...files, "!**/*.test.js", "!**/*.testkit.js"],
  ignorePatterns: ["**", "!src/framework/**", "!src/devtools/**", "!package.json"],
  symlinkNodeModules: false,
  concurrency: 1,
  incremental: changed === undefined,
  incrementalFile: `${output}.json`,
  tempDirName: `${output}.sandbox`,
  reporters: ["clear-text", "html"],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  htmlReporter: { fileName: `${output}.html` },
  timeoutMS: 4_000,
  timeoutFactor: 2,
  thresholds: { high: 95, low: 90, break: 90 },
};
