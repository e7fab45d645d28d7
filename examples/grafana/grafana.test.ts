/**
 * The dashboard, the alerts and the queries of the guide against the metrics of the application: by their names, and asked of a
 * Prometheus that scrapes it.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { parse } from "yaml";
import { createApp } from "./app.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}
interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}
const dashboard = JSON.parse(read("examples/grafana/dashboard.json")) as Dashboard;
const alerts = parse(read("examples/grafana/alerts.yaml")) as Alerts;
const guide = read("docs/grafana.md");

/** Every query with a name, as Prometheus takes it: what Grafana fills in is filled in. */
const queries: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    dashboard.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }, at) => [
        `panel "${title}" ${at + 1}`,
        expr.replaceAll("$__rate_interval", "5m").replaceAll("$job", "shop"),
      ]),
    ),
  ),
  ...Object.fromEntries(alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [`alert ${alert}`, expr]))),
  ...Object.fromEntries(
    [...guide.matchAll(/^```promql[^\n]*\n([^]*?)^```/gm)]
      .flatMap(([, text = ""]) => text.split("\n"))
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [`guide: ${line}`, line]),
  ),
};

/** Requests of every kind that the queries tell apart. */
async function askAll(url: string): Promise<void> {
  for (const path of ["/orders/7", "/nothing", "/broken"]) await (await fetch(url + path)).arrayBuffer();
  await (await fetch(`${url}/orders`, { method: "POST" })).arrayBuffer();
}

/** The names in a query: metrics, and the labels in `{…}`, in `by (…)` and in legends. */
function namesIn(query: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const labels = [
    ...[...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = ""]) => inside.match(/\w+(?=\s*(?:=|!))/g) ?? []),
    ...[...query.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, inside = ""]) => inside.match(/\w+/g) ?? []),
  ];
  return { metrics: query.match(/\b(?:http_server|process|nodejs|shop)_\w+/g) ?? [], labels };
}

describe("the dashboard, the alerts and the guide", () => {
  test("name only metrics and labels that the application has", async (t) => {
    const app = await createApp().start(0);
    t.after(() => app.stop());
    await askAll(app.url);
    const text = await (await fetch(`${app.url}/metrics`)).text();
    const samples = new Set(text.match(/^\w+/gm));
    const labels = new Set([...(text.match(/\w+(?==")/g) ?? []), "job", "instance"]); // Prometheus adds these two
    for (const [name, query] of Object.entries(queries)) {
      const used = namesIn(query);
      assert.ok(used.metrics.length > 0 || query.startsWith("up{"), `${name} has no metric`);
      assert.deepEqual([name, used.metrics.filter((one) => !samples.has(one))], [name, []]);
      assert.deepEqual([name, used.labels.filter((one) => !labels.has(one))], [name, []]);
    }
    const legends = dashboard.panels.flatMap(({ targets }) => targets.map(({ legendFormat }) => legendFormat)).join();
    const shown = [...legends.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, label = ""]) => label);
    assert.deepEqual(
      shown.filter((label) => !labels.has(label)),
      [],
    );
  });

  test("have panels with ids and titles of their own", () => {
    for (const key of ["id", "title"] as const)
      assert.equal(new Set(dashboard.panels.map((panel) => panel[key])).size, dashboard.panels.length);
  });

  test("is the alerts' file that the guide shows", () => {
    assert.ok(guide.includes(`\n${read("examples/grafana/alerts.yaml")}\`\`\``));
  });
});

const isMissing = (program: string): false | string =>
  spawnSync(program, ["--version"]).error === undefined ? false : `skipped: ${program} is not installed`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A Prometheus that scrapes the application until the test is over; asks it a query. */
async function prometheus(t: TestContext, target: string): Promise<(query: string) => Promise<readonly unknown[]>> {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  const config = join(folder, "prometheus.yaml");
  const scrape = { job_name: "shop", scrape_interval: "100ms", static_configs: [{ targets: [target] }] };
  writeFileSync(config, JSON.stringify({ scrape_configs: [{ ...scrape, scrape_timeout: "100ms" }] }));
  const url = `127.0.0.1:${await freePort()}`;
  const flags = { "config.file": config, "storage.tsdb.path": join(folder, "data"), "web.listen-address": url };
  const args = Object.entries({ ...flags, "log.level": "error" }).map(([name, value]) => `--${name}=${value}`);
  const child = spawn("prometheus", args, { stdio: ["ignore", "ignore", "inherit"], cwd: folder });
  t.after(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  return async (query) => {
    const asked = `http://${url}/api/v1/query?${new URLSearchParams({ query })}`;
    const response = await fetch(asked).catch(() => undefined);
    if (response === undefined || response.status === 503) return [];
    const answer = (await response.json()) as { status: string; error?: string; data?: { result: unknown[] } };
    assert.equal(answer.status, "success", `${query}: ${answer.error}`);
    return answer.data?.result ?? [];
  };
}

describe("a Prometheus that scrapes the application", { skip: isMissing("prometheus") }, () => {
  test("has a value for every query of the dashboard and of the guide", { timeout: 120_000 }, async (t) => {
    const app = await createApp().start(0);
    t.after(() => app.stop());
    const ask = await prometheus(t, new URL(app.url).host.replace("localhost", "127.0.0.1"));
    for (const [name, query] of Object.entries(queries)) {
      const isAlert = name.startsWith("alert ");
      const text = isAlert ? query.replace(/ (?:>|==) [\d.]+$/, "") : query; // Its value, above the limit or not.
      while ((await ask(text)).length === 0) await askAll(app.url);
      if (isAlert) await ask(query);
    }
  });
});

describe("promtool", { skip: isMissing("promtool") }, () => {
  test("finds no mistake in the alerts", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "promtool-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "alerts.yaml");
    writeFileSync(file, read("examples/grafana/alerts.yaml"));
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
  });
});
