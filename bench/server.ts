/**
 * One server process of the bench.
 *
 *   node server.js <module> <work as JSON> ──▶ serve(work) ──▶ { port }
 *   parent asks "usage" ──▶ { cpuUs, rss, heap }      the process's own accounting
 *               "collected" ──▶ the same, garbage collected first
 *
 * Ends with its parent.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Work } from "./work.ts";

const [module = "", job = "{}"] = process.argv.slice(2);
process.on("disconnect", () => process.exit());
process.on("message", (asked) => {
  if (asked === "collected") {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let pass = 0; pass < 3; pass += 1) collect();
  }
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ cpuUs: user + system, rss, heap: heapUsed + external });
});

const { serve } = (await import(module)) as { serve(work: Work): Promise<number> };
process.send?.({ port: await serve(JSON.parse(job) as Work) });
