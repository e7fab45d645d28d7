/**
 * The stress runs: `node .build/bench/stress/main.js fuzz|soak|faults|slow [words of a row's name]`.
 *
 * Everything listens on loopback, ends by itself, and leaves no process behind.
 */
import { fromEnvironment } from "../settings.ts";
import { faultRows } from "./faults/rows.ts";
import { fuzzRows } from "./fuzz/rows.ts";
import { measureAll, type Measurement } from "./rows.ts";
import { settingsOf } from "./settings.ts";
import { slowRows } from "./slow/rows.ts";
import { soakRows } from "./soak/rows.ts";

const verbs: Readonly<Record<string, Readonly<Record<string, Measurement>>>> = {
  fuzz: fuzzRows,
  soak: soakRows,
  faults: faultRows,
  slow: slowRows,
};

const verb = process.argv[2] ?? "";
const measurements = verbs[verb];
if (measurements === undefined) {
  process.stderr.write(`usage: node .build/bench/stress/main.js ${Object.keys(verbs).join("|")} [row]\n`);
  process.exit(2);
}
await measureAll(verb, measurements, fromEnvironment(settingsOf));
