/**
 * `make bench HOSTS=bun,deno,node-fetch`: `app.fetch` where others serve, beside those who live there.
 *
 *   bun, deno     servers of fetch handlers, by the method of every list: bare, its twin, ours, Hono, h3, Elysia (Bun)
 *   node-fetch    no server: a whole request in one process, its response read and not read
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { placeOf, savedTable } from "./report.ts";
import { measureList } from "./method/list.ts";
import { measureMicro } from "./method/micro.ts";
import { pinLoad, type Contender } from "./method/process.ts";
import { cellOf, quotient, type Values } from "./method/stats.ts";
import { fromEnvironment, root } from "../test/environment.ts";
import { hostsOf, settingsOf, shapesOf, type Host } from "./settings.ts";
import { stack, work, type Work } from "./work.ts";

/** What everybody does, by the row's title. */
const jobs: Readonly<Record<string, Work>> = {
  "GET /hello, JSON": work(),
  "GET with 2 parameters among 200 routes": work({ kind: "params", resources: 200 }),
  "POST, 1 KB of JSON echoed": work({ kind: "echo" }),
  "QUERY, JSON": work({ kind: "query" }),
  "404 among 200 routes": work({ kind: "missing", resources: 200 }),
  "request id + CORS + JSON log + metrics": work({ use: stack }),
};

/** Hosts of servers. Without a middleware for each part of the stack a peer is not measured with it. */
function contendersOf({ name, command }: Host, job: Work): Contender[] {
  const peers = ["hono", "h3", ...(name === "bun" ? ["elysia"] : [])].slice(0, job.use.length > 0 ? 1 : undefined);
  const server = (called: string, path: string, server: string): Contender => ({
    ...{ name: called, module: pathToFileURL(join(root, path)).href, command, work: { ...job, server } },
  });
  const own = (called: string, module = "bare"): Contender => server(called, ".build/bench/servers/web.js", module);
  const plain = (contender: Contender): Contender => ({ ...contender, work: { ...contender.work, use: [] } });
  return [
    ...[plain(own("bare")), plain(own("bare-twin")), own("ours", "ours")],
    ...peers.map((peer) => server(peer, "bench/peers/web.mjs", peer)),
  ];
}

const figure = (base: Values | undefined, values: Values | undefined): string => {
  if (base === undefined || values === undefined) return "–";
  const { median, low, high } = quotient(base, values);
  return `${median.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]`;
};

const settings = fromEnvironment((env) => ({ ...settingsOf(env), hosts: hostsOf(env) }));
const shapes = shapesOf(settings);
const names = ["ours", "hono", "h3", "elysia", "bare-twin"];
const lines = [`| host | row | bare, µs | ${names.join(" | ")} |`, `|${" --- |".repeat(names.length + 3)}`];
const say = (line: string): void => void (lines.push(line), process.stdout.write(`${line}\n`));
pinLoad();
for (const host of settings.hosts) {
  if (host.name === "node-fetch") {
    for (const [id, values] of measureMicro("fetch", settings.node, shapes.micro))
      say(`| node | ${id} | ${(cellOf(values).median / 1_000).toFixed(2)} |${" – |".repeat(names.length)}`);
    continue;
  }
  for (const [title, job] of Object.entries(jobs)) {
    const { cpuUs } = await measureList(contendersOf(host, job), settings.node, shapes.list);
    const bare = cpuUs.get("bare");
    const cells = names.map((name) => figure(bare, cpuUs.get(name)));
    say(
      `| ${host.name} | ${title} | ${bare === undefined ? "–" : cellOf(bare).median.toFixed(1)} | ${cells.join(" | ")} |`,
    );
  }
}
if (!settings.fast) savedTable(lines.join("\n"), placeOf("hosts"));
