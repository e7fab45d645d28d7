/**
 * The stress runs: `node .build/test/stress/main.js fuzz|soak|faults|slow|work [words of a row's name]`.
 *
 * Everything listens on loopback, ends on its own, and leaves no process.
 */
import { fromEnvironment } from "../environment.ts";
import { faultRows } from "./faults/rows.ts";
import { attacks } from "./fuzz/attacks.ts";
import { properties } from "./fuzz/properties.ts";
import { regexes } from "./fuzz/regexes.ts";
import { measureAll, onWires, type Group } from "./rows.ts";
import { settingsOf, type Settings } from "./settings.ts";
import { slowAttacks } from "./slow/attacks.ts";
import { cycles, secondSignal, stopUnderLoad } from "./slow/stop.ts";
import { healthStorm, payloadBomb } from "./slow/storms.ts";
import { events, reconnects } from "./slow/streams.ts";
import { soakRows } from "./soak/rows.ts";
import { SubjectProcess } from "./subject/child.ts";
import { workRows } from "./work/rows.ts";

const verbs: Readonly<Record<string, (settings: Settings) => readonly Group[]>> = {
  fuzz: (settings) => [...attacks(settings), ...properties(settings), { "regular expressions": regexes }],
  soak: soakRows,
  faults: faultRows,
  slow: (settings) =>
    onWires(settings, {
      "slow attacks": slowAttacks,
      "stop under load": stopUnderLoad,
      "second SIGTERM": secondSignal,
      "start and stop": cycles,
      "event streams": events,
      reconnects,
      "health storm": healthStorm,
      "payload bomb": payloadBomb,
    }),
  work: workRows,
};

const verb = process.argv[2] ?? "";
const groups = verbs[verb];
if (groups === undefined) {
  process.stderr.write(
    `usage: node .build/test/stress/main.js ${Object.keys(verbs).join("|")} [words of a row's name]\n`,
  );
  process.exit(2);
}
const settings = fromEnvironment(settingsOf);
await measureAll(verb, groups(settings), settings).finally(() => SubjectProcess.stopAll());
