/**
 * Checks the Dockerfile and the Kubernetes objects of a scaffolded project against each other and the project. Ports, paths,
 * users and volumes are written in several files and must agree.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { isPostgresMissing, startPostgres } from "../test/database-servers.ts";
import { isRedisMissing, startRedis } from "../test/redis-server.ts";

const sources = fileURLToPath(new URL("../../src", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "deployment-"));
const read = (path: string, project = "demo"): string => readFileSync(join(folder, project, path), "utf8");

/** An instruction of a Dockerfile and its arguments. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly startupProbe: Probe;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Policy {
  readonly kind: string;
  readonly spec: unknown;
}

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

interface Service {
  readonly kind: string;
  readonly spec: {
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

let stages: readonly (readonly Instruction[])[];
let deployment: Deployment;
let service: Service;

before(() => {
  const main = join(sources, "create-framework", "dist", "main.js");
  execFileSync(process.execPath, [main, "new", "demo", "--from", sources], { cwd: folder });
  stages = read("Dockerfile")
    .replaceAll("\\\n", " ")
    .split(/^(?=FROM )/m)
    .slice(1)
    .map((stage) =>
      stage
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => ({ name: line.slice(0, line.indexOf(" ")), rest: line.slice(line.indexOf(" ") + 1) })),
    );
  const objects = objectsIn(read("k8s/deployment.yaml"));
  deployment = objects[0] as Deployment;
  service = objects[1] as Service;
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The objects of a file. @throws AssertionError if it is not YAML */
function objectsIn(text: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true });
  assert.deepEqual(
    documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]),
    [],
  );
  return documents.map((document) => document.toJS() as unknown);
}

const all = (name: string): string[] => stages.flat().flatMap((one) => (one.name === name ? [one.rest] : []));
const last = (name: string): string[] => (stages.at(-1) ?? []).flatMap((one) => (one.name === name ? [one.rest] : []));
const environment = (): URLSearchParams => new URLSearchParams(last("ENV").join(" ").replaceAll(" ", "&"));

function container(): Container {
  const [one, ...others] = deployment.spec.template.spec.containers;
  assert.ok(one !== undefined && others.length === 0);
  return one;
}

describe("the Dockerfile", () => {
  it("copies only files from the build context that the project has or npm install creates", () => {
    // npm writes the lock file. Tarballs are copied into vendor/ if the packages are tarballs.
    const brought = ["package-lock.json", "vendor"];
    const copied = all("COPY").filter((rest) => !rest.startsWith("--from="));
    const names = copied.flatMap((rest) => rest.split(" ").slice(0, -1)).filter((name) => !brought.includes(name));
    assert.ok(names.length > 0);
    assert.deepEqual(
      names.filter((name) => !existsSync(join(folder, "demo", name))),
      [],
    );
    const ignored = read(".dockerignore").split("\n");
    assert.deepEqual(
      [...names, ...brought].filter((name) => ignored.includes(name)),
      [],
    );
  });

  it("copies only from stages that exist, and only what they make", () => {
    const named = stages.map(([from]) => / AS (\w+)$/.exec(from?.rest ?? "")?.[1]);
    const taken = all("COPY").flatMap((rest) => /^--from=(\w+) (\S+)/.exec(rest)?.slice(1, 3) ?? []);
    assert.deepEqual(taken, ["dependencies", "/app/node_modules", "build", "/app/dist"]);
    assert.deepEqual(named, ["build", "dependencies", undefined]);
  });

  it("installs only production dependencies, and runs without root", () => {
    const runs = stages.map((stage) => stage.filter(({ name }) => name === "RUN").map(({ rest }) => rest));
    assert.deepEqual(runs.slice(0, 2), [["npm ci", "npm run build"], ["npm ci --omit=dev"]]);
    assert.deepEqual(last("USER"), ["node"]);
    assert.equal(environment().get("NODE_ENV"), "production");
  });

  it("runs on a Node version that the project's engines allow", () => {
    const majors = all("FROM").map((rest) => Number(/^node:(\d+)-slim\b/.exec(rest)?.[1]));
    assert.ok(
      majors.every((major) => major === majors[0] && major > 22),
      majors.join(", "),
    );
    assert.match(read("package.json"), /"node": ">=20\.19\.3 <21 \|\| >=22\.3"/);
  });

  it("starts the program that `npm start` starts, and probes a path that the app serves", () => {
    const [command = "[]"] = last("CMD");
    const { scripts } = JSON.parse(read("package.json")) as { scripts: { start: string } };
    assert.equal((JSON.parse(command) as string[]).join(" "), scripts.start);
    const [health = ""] = last("HEALTHCHECK");
    const [, , script = ""] = JSON.parse(/CMD (\[.*\])$/.exec(health)?.[1] ?? "[]") as string[];
    assert.match(script, /^fetch\('http:\/\/127\.0\.0\.1:' \+ process\.env\.PORT \+ '\/health\/live'\)/);
    assert.match(read("src/app.ts"), /\bliveness: "\/health\/live"/);
  });
});

describe("the Kubernetes objects", () => {
  it("have a deployment and its service", () => {
    assert.deepEqual([deployment.kind, service.kind], ["Deployment", "Service"]);
    const { labels } = deployment.spec.template.metadata;
    assert.deepEqual([deployment.spec.selector.matchLabels, service.spec.selector], [labels, labels]);
    assert.deepEqual(
      service.spec.ports.map(({ targetPort }) => targetPort),
      container()
        .ports.map(({ name }) => name)
        .filter((name) => name !== "metrics"),
    );
  });

  it("use the image's port, and probe paths that the app serves", () => {
    const { ports, livenessProbe, readinessProbe, startupProbe } = container();
    assert.deepEqual(ports, [
      { name: "http", containerPort: Number(last("EXPOSE")[0]) },
      { name: "metrics", containerPort: 9_464 },
    ]);
    assert.equal(environment().get("PORT"), last("EXPOSE")[0]);
    const probes = [livenessProbe, readinessProbe, startupProbe].map(({ httpGet }) => httpGet);
    assert.deepEqual(probes, [
      { path: "/health/live", port: "http" },
      { path: "/health/ready", port: "http" },
      { path: "/health/live", port: "http" },
    ]);
    assert.match(read("src/app.ts"), /\breadiness: "\/health\/ready"/);
  });

  it("give the heap three quarters of the memory", () => {
    const { env, resources } = container();
    const heap = Number(/--max-old-space-size=(\d+)/.exec(env[0]?.value ?? "")?.[1]);
    assert.deepEqual([env[0]?.name, heap], ["NODE_OPTIONS", Number.parseInt(resources.limits.memory) * 0.75]);
  });

  it("let everyone send requests, and only the namespace of monitoring read the metrics", () => {
    const [, , policy, ...more] = objectsIn(read("k8s/deployment.yaml")) as Policy[];
    const namespace = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } };
    assert.deepEqual(
      [policy?.kind, policy?.spec, more],
      [
        "NetworkPolicy",
        {
          podSelector: deployment.spec.selector,
          policyTypes: ["Ingress"],
          ingress: [{ ports: [{ port: "http" }] }, { from: [namespace], ports: [{ port: "metrics" }] }],
        },
        [],
      ],
    );
  });

  it("run without privileges, and write only to the data folder", () => {
    const { securityContext, terminationGracePeriodSeconds, volumes } = deployment.spec.template.spec;
    assert.equal(securityContext["runAsNonRoot"], true);
    assert.deepEqual(container().securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const mounts = container().volumeMounts;
    assert.deepEqual(
      mounts.map(({ mountPath }) => `${mountPath}/tasks.json`),
      [environment().get("DATA_FILE")],
    );
    assert.deepEqual(
      volumes.map(({ name }) => name),
      mounts.map(({ name }) => name),
    );
    // 10 s for requests in flight after 5 s: Kubernetes must not kill the process in between.
    assert.ok(terminationGracePeriodSeconds > 15);
  });
});

/** Other members of a project's objects that this test reads. */
interface Shared {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly scaleTargetRef?: unknown;
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
    readonly metrics?: readonly { readonly pods: { readonly metric: { readonly name: string } } }[];
    readonly strategy: { readonly rollingUpdate: { readonly maxUnavailable: number } };
    readonly minAvailable: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } & Readonly<Record<string, unknown>>;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly {
          readonly env?: readonly { readonly name: string; readonly value: string }[];
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
          readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
          readonly readinessProbe: Probe;
          readonly securityContext: Readonly<Record<string, unknown>>;
          readonly volumeMounts?: unknown;
        }[];
      };
    };
  };
}

describe("a project with --redis", () => {
  const project = join(folder, "shared");
  before(() => {
    const main = join(sources, "create-framework", "dist", "main.js");
    const words = ["new", "shared", "--redis", "--no-devtools", "--schema", "none", "--from", sources];
    execFileSync(process.execPath, [main, ...words], { cwd: folder });
    symlinkSync(join(sources, "..", "node_modules"), join(project, "node_modules"));
  });

  it("has Kubernetes objects for replicas that are replaced one at a time, and a Redis that they can reach", () => {
    const [app, front, budget, scaler, policy, ...more] = objectsIn(read("k8s/deployment.yaml", "shared")) as Shared[];
    const [redis, redisFront, ...others] = objectsIn(read("k8s/redis.yaml", "shared")) as Shared[];
    assert.deepEqual(
      [app, front, budget, scaler, policy, redis, redisFront].map((object) => [object?.kind, object?.metadata.name]),
      [
        ["Deployment", "shared"],
        ["Service", "shared"],
        ["PodDisruptionBudget", "shared"],
        ["HorizontalPodAutoscaler", "shared"],
        ["NetworkPolicy", "shared"],
        ["Deployment", "shared-redis"],
        ["Service", "shared-redis"],
      ],
    );
    assert.deepEqual([more, others], [[], []]);
    assert.ok(app !== undefined && redis !== undefined && budget !== undefined);
    for (const [workload, service] of [
      [app, front],
      [redis, redisFront],
    ] as const) {
      const { labels } = workload.spec.template.metadata;
      assert.deepEqual([workload.spec.selector.matchLabels, service?.spec.selector], [labels, labels]);
    }
    assert.deepEqual(budget.spec.selector.matchLabels, app.spec.selector.matchLabels);
    const { replicas, strategy } = app.spec;
    const { scaleTargetRef, minReplicas = 0, maxReplicas = 0, metrics } = scaler?.spec ?? {};
    assert.deepEqual(
      [replicas, scaleTargetRef, metrics?.map(({ pods }) => pods.metric.name)],
      [undefined, { apiVersion: "apps/v1", kind: app.kind, name: app.metadata.name }, ["http_server_active_requests"]],
    );
    assert.ok(budget.spec.minAvailable < minReplicas && minReplicas > 1 && minReplicas < maxReplicas);
    assert.equal(strategy.rollingUpdate.maxUnavailable, 0);
    const [container] = app.spec.template.spec.containers;
    assert.deepEqual(container?.env, [
      { name: "NODE_OPTIONS", value: "--max-old-space-size=192" },
      { name: "REDIS_URL", value: "redis://shared-redis:6379" },
      { name: "PROXIES", value: "0" },
    ]);
    assert.deepEqual(
      [redisFront?.spec.ports[0]?.port, redis.spec.template.spec.containers[0]?.ports[0]?.containerPort],
      [6379, 6379],
    );
    // Read-only without a writable volume, since all state is in Redis.
    assert.deepEqual(
      [container?.securityContext["readOnlyRootFilesystem"], container?.volumeMounts],
      [true, undefined],
    );
    assert.equal(container?.readinessProbe.httpGet.path, "/health/ready");
    // 10 s for requests in flight, after the pause in which traffic ends: Kubernetes must not kill the process in between.
    const [, pause] = container?.lifecycle.preStop.exec.command ?? [];
    assert.ok(app.spec.template.spec.terminationGracePeriodSeconds > Number(pause) + 10);
  });

  it(
    "passes its tests with a Redis too, which lets one application find what another wrote",
    { skip: isRedisMissing() },
    async (t) => {
      const { path } = await startRedis(t);
      await passes(project, { REDIS_URL: `unix://${path}` }, 31);
    },
  );
});

/** Runs the tests of a project, none of which may be skipped. */
async function passes(project: string, more: Readonly<Record<string, string>>, tests: number): Promise<void> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: "", ...more };
  const printed = await new Promise<string>((resolve) => {
    execFile("npm", ["--silent", "test"], { cwd: project, env }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  const counts = ["pass", "fail", "skipped"].map((word) =>
    Number(new RegExp(`^(?:#|ℹ) ${word} (\\d+)$`, "m").exec(printed)?.[1]),
  );
  assert.deepEqual(counts, [tests, 0, 0], printed);
}

describe("a project with --work pg", () => {
  const project = join(folder, "jobs");
  before(() => {
    const main = join(sources, "create-framework", "dist", "main.js");
    execFileSync(process.execPath, [main, "new", "jobs", "--work", "pg", "--from", sources], { cwd: folder });
    symlinkSync(join(sources, "..", "node_modules"), join(project, "node_modules"));
  });

  it("has a worker of its own without a Service, on the database that the application uses", () => {
    const [app] = objectsIn(read("k8s/deployment.yaml", "jobs")) as Shared[];
    const [worker, ...others] = objectsIn(read("k8s/worker.yaml", "jobs")) as Shared[];
    assert.ok(app !== undefined && worker !== undefined);
    assert.deepEqual([worker.kind, worker.metadata.name, others], ["Deployment", "jobs-worker", []]);
    assert.deepEqual(worker.spec.selector.matchLabels, worker.spec.template.metadata.labels);
    assert.notDeepEqual(worker.spec.selector.matchLabels, app.spec.selector.matchLabels);
    const env = ({ spec }: Shared): Map<string, unknown> =>
      new Map(spec.template.spec.containers[0]?.env?.map(({ name, ...rest }) => [name, rest]));
    assert.deepEqual([env(app).get("ROLE"), env(worker).get("ROLE")], [{ value: "web" }, { value: "worker" }]);
    assert.ok(env(app).has("DATABASE_URL"));
    assert.deepEqual(env(app).get("DATABASE_URL"), env(worker).get("DATABASE_URL"));
    const { value } = env(worker).get("FRAMEWORK_SHUTDOWN_GRACE_MS") as { readonly value: string };
    assert.ok(worker.spec.template.spec.terminationGracePeriodSeconds * 1_000 > Number(value) + 2_000);
    assert.equal(worker.spec.template.spec.containers[0]?.readinessProbe.httpGet.path, "/health/ready");
  });

  it("passes its tests with a PostgreSQL too", { skip: isPostgresMissing() }, async (t) => {
    const { folder: host, user } = await startPostgres(t);
    const url = `postgres://${user}@localhost/postgres?host=${encodeURIComponent(host)}`;
    await passes(project, { DATABASE_URL: url }, 35);
  });
});
