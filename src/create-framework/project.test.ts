/**
 * Tests a project's own scripts after `framework new`: a clean build, logs, restarts, debugging.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { before, describe, it } from "node:test";
import { linkModules, main, needed, node, npm, passed, sources, temporaryFolder } from "./harness.testkit.ts";

const folder = temporaryFolder();

/** A project without devtools. */
async function freshProject(...modules: readonly string[]): Promise<string> {
  const parent = mkdtempSync(join(folder, "parent-"));
  const { stderr } = await node(parent, main, "new", "demo", "--from", sources, "--no-devtools");
  assert.equal(stderr, "");
  linkModules(join(parent, "demo"), ...needed, "zod", ...modules);
  return join(parent, "demo");
}

/** Starts a program, passes its lines to `use`, then ends it and its child processes. */
async function lines<T>(
  project: string,
  command: readonly [program: string, ...args: string[]],
  env: NodeJS.ProcessEnv,
  use: (next: (pattern: RegExp) => Promise<string>) => Promise<T>,
  signal: NodeJS.Signals = "SIGINT",
): Promise<T> {
  const [program, ...args] = command;
  // In a separate process group, which is ended like Ctrl+C.
  const options = { cwd: project, env: { ...process.env, PORT: "0", METRICS_PORT: "0", ...env }, detached: true };
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const seen: string[] = [];
  const exited = once(child, "close");
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      seen.push(line);
      child.emit("line");
    });
  let at = 0;
  const next = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = seen.findIndex((line, index) => index >= at && pattern.test(line));
      if (found >= 0) {
        at = found + 1;
        return seen[found] ?? "";
      }
      const more = await Promise.race([once(child, "line"), exited.then(() => undefined)]);
      if (more === undefined) throw new Error(`ended before ${pattern}:\n${seen.join("\n")}`);
    }
  };
  try {
    return await use(next);
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
    await exited;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("npm test", () => {
  it("does not run a test with a deleted source", async () => {
    const project = await freshProject();
    const file = join(project, "src", "gone.test.ts");
    writeFileSync(file, 'import { it } from "node:test";\nit("is gone", () => undefined);\n');
    const withIt = await npm(project, "test");
    rmSync(file);
    const without = await npm(project, "test");
    assert.deepEqual([passed(withIt.stdout), passed(without.stdout)], [26, 25]);
  });
});

describe("npm start", () => {
  let project: string;

  before(async () => {
    project = await freshProject();
    mkdirSync(join(project, "dist"));
    assert.deepEqual(await npm(project, "run", "build"), { code: 0, stdout: "", stderr: "" });
  });

  for (const [mode, line, access] of [
    ["", /^Listening on (http:\/\/127\.0\.0\.1:\d+)$/, /^GET \/tasks 200 \d+us$/],
    [
      "production",
      /^\{"time":"[^"]+","message":"listening","url":"(http:\/\/localhost:\d+)"\}$/,
      /^\{.*"path":"\/tasks".*\}$/,
    ],
  ] as const)
    it(`logs as ${mode === "" ? "text" : "JSON in production"}`, async () => {
      await lines(project, [process.execPath, "dist/main.js"], { NODE_ENV: mode }, async (next) => {
        const url = line.exec(await next(/istening/))?.[1];
        await (await fetch(`${url}/tasks`)).arrayBuffer();
        assert.match(await next(/tasks/), access);
      });
    });

  it("reports in one line what is wrong with PORT", async () => {
    await lines(project, [process.execPath, "dist/main.js"], { PORT: "eighty" }, async (next) => {
      assert.equal(await next(/./), 'PORT is "eighty": a number from 0 to 65535 is allowed');
      await assert.rejects(next(/./), /^Error: ended before/);
    });
  });

  it("starts with an async bean of a dependency with types from missing libraries", async () => {
    const project = await freshProject("@electric-sql/pglite", "@electric-sql/pglite-prepopulatedfs");
    const module = join(project, "src", "module.ts");
    const imports =
      'import { PGlite } from "@electric-sql/pglite";\nimport { dataDir } from "@electric-sql/pglite-prepopulatedfs";\n';
    const open = "async () => PGlite.create({ loadDataDir: await dataDir() })";
    const changed = readFileSync(module, "utf8")
      .replace("import { type", `${imports}import { type`)
      .replace("Beans.builder()", `Beans.builder()\n    .bindAsync<PGlite>(PGlite, ${open})`);
    writeFileSync(module, changed);
    const { code, stderr } = await node(project, main, "generate", "resource", "Order");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assert.deepEqual(await npm(project, "run", "build"), { code: 0, stdout: "", stderr: "" });
    await lines(project, [process.execPath, "dist/main.js"], {}, async (next) => {
      const url = (await next(/^Listening on /)).replace("Listening on ", "");
      assert.deepEqual(await (await fetch(`${url}/orders`)).json(), []);
    });
  });
});

describe("npm run dev", () => {
  it("lets a debugger attach, again after each change", async () => {
    const project = await freshProject();
    const port = await freePort();
    const target = async (): Promise<readonly string[]> => {
      const list = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { url: string }[];
      return list.map(({ url }) => url.replace(/^.*\/demo\//, ""));
    };
    await lines(project, ["npm", "run", "dev", "--", `--inspect=${port}`], {}, async (next) => {
      await next(/^Listening on /);
      assert.deepEqual(await target(), ["build/dev/main.js"]);
      const file = join(project, "src", "main.ts");
      writeFileSync(file, `${readFileSync(file, "utf8")}\nconsole.log("changed");\n`);
      await next(/^changed$/);
      await next(/^Listening on /);
      assert.deepEqual(await target(), ["build/dev/main.js"]);
    });
  });

  it("ends its child processes when its terminal is closed", { timeout: 120_000 }, async () => {
    const project = await freshProject();
    const url = await lines(project, ["npm", "run", "dev"], {}, (next) => next(/^Listening on /), "SIGHUP");
    await assert.rejects(fetch(url.replace("Listening on ", "")));
  });

  it("can be started and attached to by VS Code", async () => {
    const project = await freshProject();
    const text = readFileSync(join(project, ".vscode", "launch.json"), "utf8");
    const { configurations } = JSON.parse(text) as { configurations: Record<string, unknown>[] };
    const [launch, attach] = configurations;
    assert.deepEqual([launch?.["runtimeExecutable"], launch?.["runtimeArgs"]], ["npm", ["run", "dev"]]);
    assert.deepEqual([attach?.["port"], attach?.["restart"]], [9229, true]);
  });
});
