/**
 * The manifest against the program: its ports, paths and times are those of a process that runs with its variables.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const manifest = read("examples/kubernetes/deployment.yaml");

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly resources: { readonly limits: { readonly memory: string } };
}
/** The parts of the objects that are compared; each object has some of them. */
interface Thing {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly minAvailable: number;
    readonly selector: unknown;
    readonly ports: readonly { readonly targetPort: string }[];
    readonly podMetricsEndpoints: readonly { readonly port: string; readonly path: string }[];
    readonly template: {
      readonly metadata: { readonly labels: unknown };
      readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly [Container] };
    };
  };
}

const documents = parseAllDocuments(manifest, { strict: true, uniqueKeys: true });
const things = documents.map((document) => document.toJS() as Thing);
function specOf(kind: string): Thing["spec"] {
  const found = things.find((thing) => thing.kind === kind);
  assert.ok(found !== undefined, `the manifest has no ${kind}`);
  return found.spec;
}
const deployment = specOf("Deployment");
const pod = deployment.template.spec;
const [container] = pod.containers;
const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
const seconds = (name: string): number => Number(env[name]) / 1_000;

/** The program with the manifest's variables on free ports; where its ports, by their names, are. */
async function start(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const main = fileURLToPath(new URL("main.js", import.meta.url));
  const own = { NODE_OPTIONS: "", FRAMEWORK_PORT: "0", METRICS_PORT: "0", ...more };
  const child = spawn(process.execPath, [main], { env: { ...process.env, ...env, ...own }, stdio: "pipe" });
  t.after(() => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const urls = (): string[] => printed.match(/http:\/\/localhost:\d+/g) ?? [];
  while (urls().length < 2) await once(child.stdout, "data");
  const [http = "", metrics = ""] = urls();
  return { child, url: { http, metrics } as Readonly<Record<string, string>> };
}

describe("the manifest", () => {
  test("is YAML without errors, and its objects select the pods of its Deployment", () => {
    assert.deepEqual(
      documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]),
      [],
    );
    const { labels } = deployment.template.metadata;
    for (const kind of ["Deployment", "PodDisruptionBudget", "PodMonitor"])
      assert.deepEqual(specOf(kind).selector, { matchLabels: labels });
    assert.deepEqual(specOf("Service").selector, labels);
    assert.ok(specOf("PodDisruptionBudget").minAvailable < deployment.replicas);
  });

  test("names the ports that the variables set", () => {
    assert.deepEqual(container.ports, [
      { name: "http", containerPort: Number(env["FRAMEWORK_PORT"]) },
      { name: "metrics", containerPort: Number(env["METRICS_PORT"]) },
    ]);
    assert.deepEqual(
      specOf("Service").ports.map(({ targetPort }) => targetPort),
      ["http"],
    );
  });

  test("gives the pod more time than the program takes, and the probe notices before the port closes", () => {
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    assert.ok(pod.terminationGracePeriodSeconds > seconds("ANNOUNCE_MS") + seconds("FRAMEWORK_SHUTDOWN_GRACE_MS"));
    assert.ok(seconds("ANNOUNCE_MS") > periodSeconds * failureThreshold);
  });

  test("gives the heap three quarters of the memory", () => {
    const heap = Number(/--max-old-space-size=(\d+)/.exec(env["NODE_OPTIONS"] ?? "")?.[1]);
    assert.equal(heap, Number.parseInt(container.resources.limits.memory) * 0.75);
  });

  test("is the one that the guide shows", () => {
    const shown = /^```yaml[^\n]*\n([^]*?)^```/m.exec(read("docs/kubernetes.md"))?.[1];
    assert.equal(shown, manifest);
  });
});

describe("the program with the manifest's variables", () => {
  test("serves the probes and the metrics at their paths, on their ports", async (t) => {
    const { url } = await start(t);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      const response = await fetch(`${url[httpGet.port]}${httpGet.path}`);
      assert.deepEqual([httpGet.path, response.status], [httpGet.path, 200]);
    }
    const [endpoint] = specOf("PodMonitor").podMetricsEndpoints;
    const metrics = await fetch(`${url[endpoint?.port ?? ""]}${endpoint?.path}`);
    assert.match(await metrics.text(), /^http_server_request_duration_seconds_count\{.*\/health\/ready.*\} 1$/m);
  });

  test("is not ready after SIGTERM, serves on, and ends with exit code 0", async (t) => {
    const { child, url } = await start(t, { ANNOUNCE_MS: "2000" });
    const status = async (path: string): Promise<number> => (await fetch(`${url["http"]}${path}`)).status;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    while ((await status(container.readinessProbe.httpGet.path)) !== 503);
    assert.deepEqual([await status("/"), await status(container.livenessProbe.httpGet.path)], [200, 200]);
    assert.deepEqual(await ended, [0, null]);
  });
});
