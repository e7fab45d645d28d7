/**
 * The manifest against the program: its ports, paths and times are those of a process that runs with its variables.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { PodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { Service } from "kubernetes-models/v1";
import { parse, parseAllDocuments } from "yaml";

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
    readonly minReplicas: number;
    readonly scaleTargetRef: unknown;
    readonly metrics: readonly { readonly pods: { readonly metric: { readonly name: string } } }[];
    readonly podSelector: unknown;
    readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[];
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
const models: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  Deployment,
  HorizontalPodAutoscaler,
  NetworkPolicy,
  PodDisruptionBudget,
  PodMonitor,
  Service,
};
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
    assert.deepEqual(specOf("NetworkPolicy").podSelector, { matchLabels: labels });
    const { minReplicas, scaleTargetRef } = specOf("HorizontalPodAutoscaler");
    assert.deepEqual(scaleTargetRef, { apiVersion: "apps/v1", kind: "Deployment", name: "shop" });
    assert.ok(specOf("PodDisruptionBudget").minAvailable < minReplicas);
  });

  const worker = parse(read("examples/kubernetes/worker.yaml")) as Thing;
  const [shown = ""] = /^lifecycle:[^]*?(?=^```)/m.exec(read("docs/kubernetes.md")) ?? [];
  const stopped = { ...container, ...(parse(shown) as object) };
  const inGuide = {
    kind: "Deployment",
    apiVersion: "apps/v1",
    spec: { ...deployment, template: { spec: { containers: [stopped] } } },
  };

  test("is valid by the schemas of Kubernetes and of the Prometheus Operator, and so are the worker's and preStop", () => {
    for (const thing of [...things, worker, inGuide]) {
      const Model = Object.hasOwn(models, thing.kind) ? models[thing.kind] : undefined;
      assert.ok(Model !== undefined, thing.kind);
      assert.doesNotThrow(() => new Model(thing as never).validate(), thing.kind);
    }
  });

  test("has no key that their types do not have", () => {
    const folder = new URL("../../../.build/kubernetes/", import.meta.url);
    const typed = [...things, worker, inGuide].map((thing, at) => {
      return `export const thing${at}: Literal<typeof ${thing.kind}> = ${JSON.stringify(thing)};`;
    });
    const imports = /^import \{ \w+ \} from "[@/\w-]*kubernetes-models.*$/gm;
    const own = read("examples/kubernetes/kubernetes.test.ts").match(imports) ?? [];
    const literal = [
      "type Named = { readonly apiVersion: string; readonly kind: string };",
      "type Literal<C extends new (...data: never[]) => Named> = Pick<InstanceType<C>, keyof Named> &",
      "  (C extends new (data?: infer D) => unknown ? NonNullable<D> : never);",
    ];
    mkdirSync(folder, { recursive: true });
    writeFileSync(new URL("manifest.ts", folder), [...own, ...literal, ...typed].join("\n"));
    const compiler = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
    const flags = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--types",
      "node",
    ];
    const file = fileURLToPath(new URL("manifest.ts", folder));
    const { stdout, status } = spawnSync(process.execPath, [compiler, ...flags, file], { encoding: "utf8" });
    assert.equal(stdout, "");
    assert.equal(status, 0);
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
    const opened = specOf("NetworkPolicy").ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
    assert.deepEqual(opened, ["http", "metrics"]);
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
    const text = await metrics.text();
    assert.match(text, /^http_server_request_duration_seconds_count\{.*\/health\/ready.*\} 1$/m);
    const [scaled] = specOf("HorizontalPodAutoscaler").metrics;
    assert.match(text, new RegExp(`^${scaled?.pods.metric.name} \\d+$`, "m"));
  });

  test("keeps its metrics and its document on the port that no Service forwards", async (t) => {
    const { url } = await start(t);
    const statuses = ["http", "metrics"].map(async (port) => {
      const responses = ["/metrics", "/openapi.json"].map((path) => fetch(`${url[port]}${path}`));
      return (await Promise.all(responses)).map(({ status }) => status);
    });
    assert.deepEqual(await Promise.all(statuses), [
      [404, 404],
      [200, 200],
    ]);
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
