/**
 * One server process of the bench.
 *
 *   node server.js <module> <work as JSON> ──▶ serve(work) ──▶ { port }
 *   parent asks "usage" ──▶ { cpuUs, rss }      the process's own accounting
 *
 * Ends with its parent.
 */
import type { Work } from "./work.ts";

const [module = "", job = "{}"] = process.argv.slice(2);
process.on("disconnect", () => process.exit());
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, rss: process.memoryUsage.rss() });
});
const { serve } = (await import(module)) as { serve(work: Work): Promise<number> };
process.send?.({ port: await serve(JSON.parse(job) as Work) });
