/**
 * `make mutation ROOMS="routing middleware/cors devtools/record"`: Stryker mutates a room's compiled files one place at a time,
 * and the tests of that room must notice. `make mutation BASE=main`: only the files that changed since.
 *
 *   src/framework/dist/<room>/*.js mutated, its *.test.js run ──▶ the survivors, a score, .build/mutation/<room>.html
 *
 * It mutates compiled files, since the tests run on them and no mutant needs compiling. They differ from the source only in
 * types. A mutant that only a test of another room notices survives here. A second run repeats the survivors and the changed
 * code. Mutants without an observable effect are listed in equivalents.md.
 */
import { fileURLToPath } from "node:url";
import { compiled } from "../../scripts/test.mjs";

const folderOf = (room) => (room.startsWith("devtools/") ? room.replace("/", "/dist/") : `framework/dist/${room}`);
/** `http` of src/framework/http/body.ts, `middleware/cors`, `devtools/record`: the room with the tests of a file. */
const roomOf = (source) => /^src\/(?:framework\/)?((?:(?:middleware|devtools)\/)?[^/]+)\//.exec(source)?.[1];

// A property that misses a mutant in this many runs does not test that line.
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
