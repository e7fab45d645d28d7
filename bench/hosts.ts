/**
 * `make bench HOSTS=bun,deno,node-fetch`: `app.fetch` on other hosts, compared with the frameworks at home there.
 *
 *   bun, deno     servers of fetch handlers, by the method of every list: bare, its twin, ours, Hono, h3, Elysia (Bun)
 *   node-fetch    no server: a whole request in one process, its response read and not read
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { markdown, placeOf, savedTable } from "./report.ts";
import { measureList } from "./method/list.ts";
import { measureMicro } from "./method/micro.ts";
import { pinLoad, type Contender } from "./method/process.ts";
import { cellOf, quotient, type Values } from "./method/stats.ts";
import { fromEnvironment, root } from "../test/environment.ts";
import { hostsOf, settingsOf, shapesOf, type Host } from "./settings.ts";
import { jobs, type Work } from "./work.ts";

/** The servers of a host. A peer without a middleware for each part of the stack is not measured with the stack. */
function contendersOf({ name, command }: Host, job: Work): Contender[] {
  const peers = ["hono", "h3", ...(name === "bun" ? ["elysia"] : [])].slice(0, job.use.length > 0 ? 1 : undefined);
  const server = (called: string, path: string, server: string, done = job): Contender => ({
    name: called,
    module: pathToFileURL(join(root, path)).href,
    command,
    work: { ...done, server },
  });
  const [web, plain] = [".build/bench/servers/web.js", { ...job, use: [] }];
  const bare = ["bare", "bare-twin"].map((called) => server(called, web, "bare", plain));
  return [...bare, server("ours", web, "ours"), ...peers.map((peer) => server(peer, "bench/peers/web.mjs", peer))];
}

const figure = (base: Values | undefined, values: Values | undefined): string => {
  if (base === undefined || values === undefined) return "–";
  const { median, low, high } = quotient(base, values);
  return `${median.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;
};

const settings = fromEnvironment((env) => ({ ...settingsOf(env), hosts: hostsOf(env) }));
const shapes = shapesOf(settings);
const names = ["ours", "hono", "h3", "elysia", "bare-twin"];
const table = [["host", "row", "bare, µs", ...names]];
const say = (...cells: readonly string[]): void => {
  table.push([...cells, ...names.slice(cells.length - 3).map(() => "–")]);
  process.stdout.write(`${cells.join("  ")}\n`);
};
pinLoad();
for (const host of settings.hosts) {
  if (host.name === "node-fetch") {
    for (const [id, values] of measureMicro("fetch", settings.node, shapes.micro))
      say("node", id, (cellOf(values).median / 1_000).toFixed(2));
    continue;
  }
  for (const [title, job] of Object.entries(jobs)) {
    const { cpuUs } = await measureList(contendersOf(host, job), settings.node, shapes.list);
    const bare = cpuUs.get("bare");
    const cells = names.map((name) => figure(bare, cpuUs.get(name)));
    say(host.name, title, bare === undefined ? "–" : cellOf(bare).median.toFixed(1), ...cells);
  }
}
if (!settings.fast) savedTable(markdown(table), placeOf("hosts"));
