/**
 * A consumer's path: from an empty folder and the tarballs of `make pack` to a green project with the dashboard open.
 *
 *   npx framework new ──▶ npm install, build, test ──▶ npm run dev ──▶ browser: Send, the path lights up
 *        ──▶ framework generate, while it runs: restarted, in the graph, the stream is back
 *        ──▶ npm ci --omit=dev, laid out as the Dockerfile says ──▶ no devtools on the disk, healthy, ends well
 *
 * Each test needs the earlier ones, so after a failure the rest is skipped. `make pack-test`; KEEP=1 leaves the folder.
 */
import { expect, test, type Page } from "@playwright/test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../test/free-port.ts";
import { Sandbox, type Program } from "./sandbox.ts";

test.describe.configure({ mode: "serial" });
test.setTimeout(200_000);

let sandbox: Sandbox;
let demo: string;
let page: Page;
let dev: Program;
let url: string;
const tarballs = join(import.meta.dirname, "..", ".build", "pack");

test.beforeAll(async ({ browser }) => {
  sandbox = new Sandbox();
  demo = join(sandbox.folder, "demo");
  page = await browser.newPage({ reducedMotion: "reduce" });
});
test.afterAll(async () => {
  await page.close();
  await sandbox.dispose();
});

test("npx framework new demo, with devtools", async () => {
  const tarball = readdirSync(tarballs).find((name) => /^create-framework-\d/.test(name)) ?? "";
  cpSync(join(tarballs, tarball), join(sandbox.folder, "create-framework.tgz"));
  expect(await framework(sandbox.folder, "new", "demo")).toMatch(/^Created demo\. Next:\n/);
  expect(readdirSync(join(demo, "vendor")).length).toBe(3);
});

test("npm install takes our packages from the project, build and test pass", async () => {
  await sandbox.run(demo, ["npm", "install"]);
  const { packages } = JSON.parse(readFileSync(join(demo, "package-lock.json"), "utf8")) as {
    packages: Record<string, { resolved: string }>;
  };
  const ours = Object.entries(packages).filter(([path]) =>
    /node_modules\/(@framework\/|(create-)?framework$)/.test(path),
  );
  expect(ours.map(([, { resolved }]) => resolved.replace(/[^/]+$/, ""))).toEqual([
    "file:vendor/",
    "file:vendor/",
    "file:vendor/",
  ]);
  await builtAndTested(demo);
});

test("npm run dev prints the dashboard's address", async () => {
  const port = String(await freePort());
  url = `http://127.0.0.1:${port}`;
  dev = sandbox.start(demo, ["npm", "run", "dev"], { PORT: port, METRICS_PORT: "0" });
  expect((await dev.prints(/^Dashboard: (\S+)$/m))[1]).toBe(`${url}/framework/dev`);
});

test("the dashboard opens, and after Send the path lights up", async () => {
  await page.goto(`${url}/framework/dev`);
  await page.locator('[data-route="GET /tasks"]').click();
  await expect(page.locator("[data-run]")).toHaveCount(0);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  for (const bean of ["TaskController", "TaskService", "TaskRepository"])
    await page.locator(`[data-bean="${bean}"][data-state="path"]`).waitFor();
  await expect(page.locator("[data-run]")).toHaveCount(3);
});

test("framework generate resource Order, from the project itself, while it runs: restarted, in the graph", async () => {
  const before = dev.output().length;
  // Forbids npx to ask the registry for a package of that name.
  const generated = await sandbox.run(demo, ["npx", "--no", "framework", "generate", "resource", "Order"]);
  expect(generated).toMatch(/^Generated the resource Order:\n[^]*\nNext: npm test\n$/);
  await dev.prints(/^Dashboard: /m, before);
  await expect(async () => {
    const { edges } = (await json("/framework/dev/api/graph")) as { edges: { from: string; to: string }[] };
    const drawn = edges.map(({ from, to }) => `${from} -> ${to}`);
    expect(drawn).toEqual(
      expect.arrayContaining(["OrderController -> OrderService", "OrderService -> OrderRepository"]),
    );
    expect(await json("/orders")).toEqual([]);
  }).toPass({ timeout: 60_000 });
});

test("the event stream of the restarted program reports a request", async () => {
  const signal = AbortSignal.timeout(30_000);
  const response = await fetch(`${url}/framework/dev/api/stream`, { signal });
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  await json("/orders?stream-probe");
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (/^event: ?trace$/m.test(text) && text.includes("OrderRepository") && text.endsWith("\n\n")) break;
  }
  expect(text).toContain("stream-probe");
});

test("the open dashboard follows: live traffic, then the new bean", async () => {
  await page.getByRole("tab", { name: "History" }).click();
  await expect(async () => {
    await (await fetch(`${url}/tasks/live-probe`)).arrayBuffer();
    expect(await page.locator("[data-trace]").filter({ hasText: "/tasks/live-probe" }).count()).toBeGreaterThan(0);
  }).toPass({ timeout: 60_000 });
  await page.reload();
  await page.locator('[data-bean="OrderController"]').waitFor();
});

test("Ctrl-C ends npm run dev and its child processes; npm test passes with the slice", async () => {
  await dev.stop();
  const answered = (): Promise<boolean> => fetch(url).then(Boolean, () => false);
  await expect.poll(answered, { timeout: 60_000 }).toBe(false);
  await builtAndTested(demo);
});

test("a production image contains no devtools, tests or compiler", async () => {
  await built(demo);
  await sandbox.run(demo, ["npm", "ci", "--omit=dev"]);
  const image = join(sandbox.folder, "image");
  mkdirSync(image);
  for (const line of lastStage()) {
    const source = /^COPY (?:--from=\w+ )?(\S+) \S+$/.exec(line)?.[1]?.replace(/^\/app\//, "");
    if (source !== undefined) cpSync(join(demo, source), join(image, source), { recursive: true });
  }
  expect(readdirSync(image).toSorted()).toEqual(["dist", "node_modules", "package.json"]);
  const installed = readdirSync(join(image, "node_modules")).filter((name) => !name.startsWith("."));
  expect(installed).toEqual(["framework", "zod"]);
  expect(named(join(image, "dist"), /devtools|\bdev\.|\.test\./)).toEqual([]);
  expect(named(join(image, "node_modules"), /devtools/i)).toEqual([]);
});

test("the image's program starts, is healthy by its own HEALTHCHECK, and stops cleanly", async () => {
  const image = join(sandbox.folder, "image");
  const port = String(await freePort());
  const env = {
    NODE_ENV: "production",
    DATA_FILE: join(sandbox.folder, "data", "tasks.json"),
    PORT: port,
    METRICS_PORT: "0",
  };
  const program = sandbox.start(image, commandIn(/^CMD (\[.*\])$/), env);
  await program.prints(/"message":"listening"/);
  const health = commandIn(/^HEALTHCHECK .*CMD (\[.*\])$/);
  await sandbox.run(image, health, env);
  expect((await fetch(`http://localhost:${port}/framework/dev`)).status).toBe(404);
  expect(await program.stop()).toBe(0);
  await expect(sandbox.run(image, health, env)).rejects.toMatchObject({ code: 1 });
});

test("a project without devtools, with sessions, files and a limit, installs, builds, tests and runs", async () => {
  await framework(sandbox.folder, "new", "plain", "--devtools", "false", "--schema", "none");
  const plain = join(sandbox.folder, "plain");
  expect(named(plain, /devtools/i)).toEqual([]);
  addEssentials(plain);
  await sandbox.run(plain, ["npm", "install", "@fastify/send@4.2.1"]);
  expect(existsSync(join(plain, "node_modules", "@framework"))).toBe(false);
  await builtAndTested(plain);
  const port = String(await freePort());
  const program = sandbox.start(plain, ["npm", "run", "dev"], { PORT: port, METRICS_PORT: "0" });
  await program.prints(/^Listening on /m);
  expect(await (await fetch(`http://localhost:${port}/health`)).json()).toMatchObject({ status: "UP" });
  expect((await fetch(`http://localhost:${port}/framework/dev`)).status).toBe(404);

  const visits = (cookie = "") => fetch(`http://localhost:${port}/visits`, { headers: { cookie } });
  const cookie = (await visits()).headers.getSetCookie()[0]?.split(";")[0];
  expect(await (await visits(cookie)).json()).toEqual({ visits: 2 });
  expect((await visits(cookie)).status).toBe(429);
  const part = await fetch(`http://localhost:${port}/files/hello.txt`, { headers: { range: "bytes=0-4" } });
  expect([part.status, await part.text()]).toEqual([206, "hello"]);
  await program.stop();
});

/** Changes that an owner would make to the new project: a session, a folder of files, a limit. */
function addEssentials(project: string): void {
  mkdirSync(join(project, "public"));
  writeFileSync(join(project, "public", "hello.txt"), "hello, world");
  const file = join(project, "src", "app.ts");
  const imports = `import { RateLimitMiddleware } from "framework/rate-limit";
import { SessionMiddleware, sessionOf } from "framework/session";
import { StaticMiddleware } from "framework/static";
`;
  const uses = `
  app.use(new SessionMiddleware({ secrets: "0123456789abcdef0123456789abcdef" }));
  app.use(new StaticMiddleware({ root: ${JSON.stringify(join(project, "public"))}, prefix: "/files" }));
  app.get("/visits", { use: [new RateLimitMiddleware({ limit: 2, windowMs: 60_000 })] }, (ctx) => {
    const session = sessionOf(ctx);
    const visits = Number(session.get("visits") ?? 0) + 1;
    session.set("visits", visits);
    return { visits };
  });
  addRoutes(app);`;
  const text = readFileSync(file, "utf8");
  const [documents, routes] = ['import { OpenApiMiddleware } from "framework/openapi";\n', "\n  addRoutes(app);"];
  expect(text).toContain(documents);
  expect(text).toContain(routes);
  writeFileSync(file, text.replace(documents, documents + imports).replace(routes, uses));
}

function framework(cwd: string, ...words: readonly string[]): Promise<string> {
  const packed = join(sandbox.folder, "create-framework.tgz");
  return sandbox.run(cwd, ["npx", "--yes", "--package", packed, "framework", ...words]);
}

async function built(project: string): Promise<void> {
  rmSync(join(project, "dist"), { recursive: true, force: true });
  await sandbox.run(project, ["npm", "run", "build"]);
  expect(existsSync(join(project, "dist", "main.js"))).toBe(true);
}

async function builtAndTested(project: string): Promise<void> {
  await built(project);
  expect(await sandbox.run(project, ["npm", "test"])).toMatch(/^(?:#|ℹ) pass [1-9]/m);
}

/** The lines of the Dockerfile's last stage. */
function lastStage(): readonly string[] {
  const lines = readFileSync(join(demo, "Dockerfile"), "utf8").replaceAll("\\\n", " ").split("\n");
  return lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
}

function commandIn(pattern: RegExp): readonly string[] {
  const found = lastStage().flatMap((line) => pattern.exec(line)?.[1] ?? []);
  return JSON.parse(found[0] ?? "[]") as readonly string[];
}

/** Matching paths below `base`. */
function named(base: string, pattern: RegExp): readonly string[] {
  return readdirSync(base, { recursive: true, encoding: "utf8" }).filter((name) => pattern.test(name));
}

async function json(path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}
