/**
 * A stranger's path: from an empty folder and the tarballs to a green project with the dashboard open.
 *
 *   pack ──▶ npx framework new ──▶ npm install, build, test, start ──▶ npm run dev ──▶ browser: Send, the path lights up
 *        ──▶ framework generate, while it runs: restarted, in the graph, the stream is back
 *        ──▶ npm ci --omit=dev, laid out as the Dockerfile says ──▶ no devtools on the disk, healthy, ends well
 *
 * Everything happens in a temporary folder outside the repository, with an empty npm cache. One line a step, the last
 * line is "N passed, N failed"; .build/reports/pack-test.json has the same. KEEP=1 leaves the folder there.
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { requireBrowser } from "../.build/e2e/browser.js";
import { root, run } from "./process.mjs";
import { command, environment, Program, Steps, until } from "./stranger.mjs";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pack-test-")));
const env = environment(folder);
const steps = new Steps();
const programs = [];
const demo = join(folder, "demo");
const plain = join(folder, "plain");
const image = join(folder, "image");

try {
  await run("node", ["scripts/pack.mjs"]);
  await scaffolded();
  await developed(demo);
  await produced(demo);
  await withoutDevtools(plain);
} catch (error) {
  // A step that failed has said so; anything else is a fault of this script and must not pass.
  if (steps.results.at(-1)?.ok !== false)
    await steps.step("the test itself", () => Promise.reject(error)).catch(() => 0);
} finally {
  await Promise.allSettled(programs.map((program) => program.stop()));
  if (process.env.KEEP) process.stdout.write(`kept: ${folder}\n`);
  else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  steps.report("pack-test");
}

async function scaffolded() {
  const tarball = join(
    root,
    ".build",
    "pack",
    readdirSync(join(root, ".build", "pack")).find((name) => /^create-framework-\d/.test(name)),
  );
  const packed = join(folder, "create-framework.tgz");
  cpSync(tarball, packed);
  const framework = (...words) => command(folder, env, "npx", "--yes", "--package", packed, "framework", ...words);
  await steps.step("npx framework new demo", async () => {
    assert.match(await framework("new", "demo"), /^Created demo\. Next:\n/);
    assert.ok(existsSync(join(demo, "vendor")), "the tarballs are not in the project");
  });
  await steps.step("npx framework new plain --devtools false", async () => {
    await framework("new", "plain", "--devtools", "false");
    assert.deepEqual(named(plain, /devtools/i), []);
  });
  await steps.step("npm install", async () => {
    await command(demo, env, "npm", "install");
    const ours = Object.entries(JSON.parse(readFileSync(join(demo, "package-lock.json"), "utf8")).packages)
      .filter(([path]) => /node_modules\/(@framework\/|framework$)/.test(path))
      .map(([, { resolved }]) => resolved);
    assert.equal(ours.length, 2);
    for (const from of ours) assert.match(from, /^file:vendor\//);
  });
}

/** The project with devtools: its scripts, the dashboard, a slice more. */
async function developed(project) {
  await steps.step("npm run build", () => built(project));
  await steps.step("npm test", () => tested(project));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const dev = start(project, port, "npm", "run", "dev");
  await steps.step("npm run dev prints the dashboard's address", async () => {
    const [, address] = await dev.prints(/^Dashboard: (\S+)$/m);
    assert.equal(address, `${url}/framework/dev`);
  });
  const { args, ...found } = requireBrowser();
  const browser = await chromium.launch({ ...found, args: [...args] });
  try {
    const page = await browser.newPage({ reducedMotion: "reduce" });
    await steps.step("the dashboard opens, and after Send the path lights up", () => lightsUp(page, url));
    await steps.step("framework generate resource Order, while it runs: restarted, in the graph", () =>
      generated(project, url, dev),
    );
    await steps.step("the event stream of the restarted program works", () =>
      until(() => streams(url).then(() => true), "the trace of a request", dev),
    );
    await steps.step("the open dashboard follows: live traffic, then the new bean", () => follows(page, url));
  } finally {
    await browser.close();
  }
  await steps.step("Ctrl-C ends npm run dev and all that it started", async () => {
    await dev.stop();
    await until(async () => !(await answers(url)), "the port to be free");
  });
  await steps.step("npm test, with the slice", () => tested(project));
}

async function lightsUp(page, url) {
  await page.goto(`${url}/framework/dev`);
  await page.locator('[data-route="GET /tasks"]').click();
  assert.equal(await page.locator("[data-run]").count(), 0);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const beans = ["TaskController", "TaskService", "TaskRepository"];
  for (const bean of beans) await page.locator(`[data-bean="${bean}"][data-state="path"]`).waitFor();
  assert.equal(await page.locator("[data-run]").count(), beans.length);
  mkdirSync(join(root, ".build", "reports"), { recursive: true });
  await page.screenshot({ path: join(root, ".build", "reports", "pack-test.png") });
}

async function generated(project, url, dev) {
  const before = dev.output.length;
  await command(
    project,
    env,
    "npx",
    "--yes",
    "--package",
    join(folder, "create-framework.tgz"),
    "framework",
    "generate",
    "resource",
    "Order",
  );
  await dev.prints(/^Dashboard: /m, before);
  const edges = async () =>
    (await json(`${url}/framework/dev/api/graph`)).edges.map(({ from, to }) => `${from} -> ${to}`);
  await until(
    async () => {
      const drawn = await edges();
      assert.ok(drawn.includes("OrderController -> OrderService"), drawn.join(", "));
      assert.ok(drawn.includes("OrderService -> OrderRepository"), drawn.join(", "));
      assert.deepEqual(await json(`${url}/orders`), []);
      return true;
    },
    "the slice in the graph",
    dev,
  );
}

/** Reads the stream until the trace of a request of our own arrives. */
async function streams(url) {
  const leave = new AbortController();
  const response = await fetch(`${url}/framework/dev/api/stream`, { signal: leave.signal });
  assert.equal(response.headers.get("content-type")?.split(";")[0], "text/event-stream");
  await json(`${url}/orders?stream-probe`);
  const timer = setTimeout(() => leave.abort(new Error("no trace within 10 s")), 10_000);
  let text = "";
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/^event: ?trace$/m.test(text) && text.includes("OrderRepository") && text.endsWith("\n\n")) return;
    }
    throw new Error(`the stream ended: ${text}`);
  } finally {
    clearTimeout(timer);
    leave.abort();
  }
}

async function follows(page, url) {
  await page.getByRole("tab", { name: "History" }).click();
  const probe = "/tasks/live-probe";
  await until(async () => {
    await fetch(`${url}${probe}`).then((answer) => answer.arrayBuffer());
    return (await page.locator("[data-trace]").filter({ hasText: probe }).count()) > 0;
  }, "live traffic in the open page");
  await page.reload();
  await page.locator('[data-bean="OrderController"]').waitFor();
}

/** What a production image holds, laid out by the Dockerfile's own lines, and its commands. */
async function produced(project) {
  const lines = readFileSync(join(project, "Dockerfile"), "utf8").replaceAll("\\\n", " ").split("\n");
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
  const commandIn = (pattern) =>
    JSON.parse(last.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined));
  await steps.step("npm ci --omit=dev", async () => {
    rmSync(join(project, "dist"), { recursive: true });
    await command(project, env, "npm", "run", "build");
    await command(project, env, "npm", "ci", "--omit=dev");
    mkdirSync(image);
    for (const line of last) {
      const source = /^COPY (?:--from=\w+ )?(\S+) \S+$/.exec(line)?.[1]?.replace(/^\/app\//, "");
      if (source !== undefined) cpSync(join(project, source), join(image, source), { recursive: true });
    }
    assert.deepEqual(readdirSync(image).sort(), ["dist", "node_modules", "package.json"]);
  });
  await steps.step("no file of devtools, of tests or of the compiler is on the disk", async () => {
    assert.deepEqual(
      readdirSync(join(image, "node_modules")).filter((name) => !name.startsWith(".")),
      ["framework"],
    );
    assert.deepEqual(named(join(image, "dist"), /devtools|\bdev\.|\.test\./), []);
    assert.deepEqual(named(join(image, "node_modules"), /devtools/i), []);
  });
  await steps.step("the image's program starts, is healthy by its own HEALTHCHECK, and ends well", async () => {
    const port = await freePort();
    const production = {
      ...env,
      NODE_ENV: "production",
      DATA_FILE: join(folder, "data", "tasks.json"),
      PORT: String(port),
    };
    const program = new Program(image, production, ...commandIn(/^CMD (\[.*\])$/));
    programs.push(program);
    await program.prints(/"message":"listening"/);
    const health = commandIn(/^HEALTHCHECK .*CMD (\[.*\])$/);
    await command(image, production, ...health);
    assert.equal((await fetch(`http://localhost:${port}/framework/dev`)).status, 404);
    assert.equal(await program.stop(), 0);
    await assert.rejects(command(image, production, ...health), /ended with 1/);
  });
}

async function withoutDevtools(project) {
  await steps.step("the project without devtools: npm install, build, test", async () => {
    await command(project, env, "npm", "install");
    assert.equal(existsSync(join(project, "node_modules", "@framework")), false);
    await built(project);
    return tested(project);
  });
  await steps.step("the project without devtools: npm run dev is healthy and has no dashboard", async () => {
    const port = await freePort();
    const dev = start(project, port, "npm", "run", "dev");
    await dev.prints(/"message":"listening"/);
    assert.equal((await json(`http://localhost:${port}/health`)).status, "UP");
    assert.equal((await fetch(`http://localhost:${port}/framework/dev`)).status, 404);
    await dev.stop();
  });
}

async function built(project) {
  await command(project, env, "npm", "run", "build");
  assert.ok(existsSync(join(project, "dist", "main.js")));
}

async function tested(project) {
  const output = await command(project, env, "npm", "test");
  const passed = Number(/^(?:#|ℹ) pass (\d+)$/m.exec(output)?.[1]);
  assert.ok(passed > 0, `no test passed\n${output}`);
  return `${passed} tests`;
}

function start(project, port, ...words) {
  const program = new Program(project, { ...env, PORT: String(port) }, ...words);
  programs.push(program);
  return program;
}

/** Paths below `base` that match. */
function named(base, pattern) {
  return readdirSync(base, { recursive: true }).filter((name) => pattern.test(name));
}

async function json(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

function answers(url) {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
