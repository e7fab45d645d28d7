/**
 * One group of cases in this process: `node micro-group.js <group> <samples> <batchMs>`. Its samples are the output.
 *
 * A group has a process of its own because its figures depend on what else the compiler has seen there.
 */
import { writeSync } from "node:fs";
import { takeSamples } from "./method/ns-per-op.ts";
import { groups } from "./micro-groups.ts";

const [group = "", samples, batchMs] = process.argv.slice(2);
const cases = await groups[group]?.();
if (cases === undefined) throw new Error(`there is no group ${group}: ${Object.keys(groups).join(", ")}`);
writeSync(1, JSON.stringify(await takeSamples(cases, { samples: Number(samples), batchMs: Number(batchMs) })));
process.exit();
