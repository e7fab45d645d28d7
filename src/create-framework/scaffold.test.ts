/**
 * Scaffolds in a temporary folder, then does with the result what its owner would: compile, test, start.
 *
 *   main.js new demo ──▶ link node_modules ──▶ npm test ──▶ start on port 0 ──▶ /health
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  responseOf,
  contents,
  linkModules,
  main,
  manifestOf,
  needed,
  node,
  npm,
  passed,
  running,
  sources,
  temporaryFolder,
  terminal,
} from "./harness.testkit.ts";
import { onSupported, unsupported } from "./node-version.ts";
import { packageBeside } from "./packages.ts";
import { type Schema, schemas } from "./schema.ts";

const folder = temporaryFolder();

/** An empty folder to scaffold in. */
function emptyFolder(): string {
  return mkdtempSync(join(folder, "empty-"));
}

/** The parts of a trace that are needed to save its run. */
interface SavedRun {
  readonly instance: string;
  readonly sequence: number;
  readonly method: string;
}

/** The response's body for a request. */
async function sent(url: string, method: string, path: string, json?: object): Promise<string> {
  const headers = json === undefined ? {} : { "Content-Type": "application/json" };
  const response = await fetch(url + path, { method, headers, body: json === undefined ? null : JSON.stringify(json) });
  return response.text();
}

const healthy = { status: 200, body: '{"status":"UP","checks":{"tasks":"UP"}}' };

for (const { title, words, dev, tests } of [
  { title: "a project with devtools", words: [], dev: "dev.js", tests: 28 },
  { title: "a project without devtools", words: ["--devtools", "false"], dev: "main.js", tests: 25 },
]) {
  describe(title, () => {
    const withDevtools = words.length === 0;
    let project: string;

    before(async () => {
      const parent = emptyFolder();
      const { code, stderr } = await node(parent, main, "new", "demo", "--from", sources, ...words);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      project = join(parent, "demo");
      linkModules(project, ...needed, "zod", ...(withDevtools ? ["@framework/devtools"] : []));
    });

    it("compiles, and its own tests pass", async () => {
      const { code, stdout } = await npm(project, "test");
      assert.deepEqual({ code, passed: passed(stdout) }, { code: 0, passed: tests }, stdout);
    });

    it("has the program that made it as a dependency, and npx finds it there", async () => {
      const { dependencies, devDependencies } = manifestOf(project);
      assert.deepEqual(
        [dependencies["create-framework"], devDependencies["create-framework"]?.replace(/^file:.*\//, "")],
        [undefined, "create-framework"],
      );
      const found = await npm(project, "exec", "--offline", "--no", "--", "framework", "--version");
      assert.deepEqual({ code: found.code, stdout: found.stdout }, { code: 0, stdout: "0.1.0\n" });
    });

    it("starts, is healthy, has no dashboard, and stops cleanly on a signal", async () => {
      const code = await running(project, "build/tests/main.js", async (url) => {
        assert.deepEqual(await responseOf(`${url}/health`), healthy);
        assert.equal((await responseOf(`${url}/framework/dev`)).status, 404);
      });
      assert.equal(code, 0);
    });

    it(`starts for development with ${dev}`, async () => {
      assert.equal(manifestOf(project).scripts["dev"], `node scripts/dev.mjs ${dev}`);
      await running(project, `build/tests/${dev}`, async (url) => {
        assert.deepEqual(await responseOf(`${url}/health`), healthy);
        assert.equal((await responseOf(`${url}/framework/dev`)).status, withDevtools ? 200 : 404);
      });
    });

    if (withDevtools)
      it("has a graph that its CI job checks against its rules, and a server for agents that its .mcp.json starts", async () => {
        await running(project, `build/tests/${dev}`, async (url) => {
          const graph = async (...args: readonly string[]): Promise<readonly [code: unknown, stdout: string]> => {
            const { code, stdout } = await node(project, terminal, "graph", ...args, "--url", url);
            return [code, stdout];
          };
          const [, document] = await graph("--json");
          writeFileSync(join(project, "graph.json"), document);
          const diff = ["diff", "graph.json", "--rules", "graph-rules.json"];
          assert.deepEqual(await graph(...diff), [0, "the graph has not changed\n"]);
          const [code, stdout] = await graph(...diff, "--forbid", "service -> repository");
          assert.equal(code, 1);
          assert.match(stdout, /forbids {2}TaskService → TaskRepository\n$/);
          assert.deepEqual(await toolsOf(project, url), { tools: 16, routes: "/tasks" });
        });
      });

    it("keeps every file of variables out of git and of the image, except the example", () => {
      for (const name of [".gitignore", ".dockerignore"]) {
        const lines = readFileSync(join(project, name), "utf8").split("\n");
        assert.deepEqual(
          lines.filter((line) => line.includes(".env")),
          [".env", ".env.*", "!.env.example"],
          name,
        );
      }
    });

    it("builds for production without tests, development files, and earlier output", async () => {
      mkdirSync(join(project, "dist"));
      writeFileSync(join(project, "dist", "gone.js"), "");
      assert.deepEqual(await npm(project, "run", "build"), { code: 0, stdout: "", stderr: "" });
      const scripts = readdirSync(join(project, "dist")).filter((file) => file.endsWith(".js"));
      assert.deepEqual(scripts.sort(), ["app.js", "main.js", "module.js", "openapi.js", "serve.js", "settings.js"]);
    });

    it(`${withDevtools ? "has" : "has no"} devtools in it, and no placeholder`, () => {
      const files = [...contents(project)];
      const mentions = files.filter(([path, text]) => /devtools/i.test(path + text)).map(([path]) => path);
      const some = [
        ".github/workflows/ci.yml",
        ".mcp.json",
        "AGENTS.md",
        "README.md",
        "package.json",
        "src/dev.ts",
        "src/devtools.test.ts",
        "src/devtools.ts",
      ];
      assert.deepEqual(mentions, withDevtools ? some : []);
      assert.deepEqual(
        files.filter(([, text]) => text.includes("{{")).map(([path]) => path),
        [],
      );
    });

    if (withDevtools)
      it("has its runs saved as tests that pass unchanged, and that fail on a difference", async () => {
        const saved: string[] = [];
        await running(project, `build/tests/${dev}`, async (url) => {
          const added = await sent(url, "POST", "/tasks", { title: "Buy milk" });
          const { id } = JSON.parse(added) as { id: string };
          await sent(url, "GET", `/tasks/${id}?why=a%20b&why=`);
          await sent(url, "PATCH", `/tasks/${id}`, { done: true });
          await sent(url, "GET", "/tasks/none");
          const runs = JSON.parse(await sent(url, "GET", "/framework/dev/api/requests")) as SavedRun[];
          for (const { instance, sequence, method } of runs.filter((run) => run.method !== "POST")) {
            const name = `saved-${method.toLowerCase()}-${sequence}.test.ts`;
            const path = `/framework/dev/api/replays/${instance}.${sequence}/test?beans=TaskRepository`;
            writeFileSync(join(project, "src", name), await sent(url, "GET", path));
            saved.push(name.replace(/\.ts$/, ".js"));
          }
        });
        const { code, stdout } = await npm(project, "test");
        assert.deepEqual({ code, passed: passed(stdout) }, { code: 0, passed: tests + 3 }, stdout);
        const changed = join(project, "build", "tests", saved.find((name) => name.startsWith("saved-patch")) ?? "");
        writeFileSync(changed, readFileSync(changed, "utf8").replace('"title": "Buy milk"', '"title": "Buy tea"'));
        const again = await node(project, "--test", "--test-reporter=tap", changed);
        assert.equal(again.code, 1);
        assert.match(again.stdout, /no call of TaskRepository\.save\(\) was recorded with these arguments/);
      });
  });
}

/** The operations of a document: id, the type of the body's fields, the statuses with their own content. */
function described(text: string): readonly string[] {
  interface Shown {
    readonly operationId: string;
    readonly requestBody?: {
      content: { "application/json": { schema: { properties: Record<string, { type: string }> } } };
    };
    readonly responses: Record<string, { content?: { "application/json"?: object } }>;
  }
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Shown>> };
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .map(({ operationId, requestBody, responses }) => {
      const fields = Object.entries(requestBody?.content["application/json"].schema.properties ?? {});
      const sent = Object.entries(responses).filter(([, { content }]) => content?.["application/json"] !== undefined);
      return [
        operationId,
        ...fields.map(([name, { type }]) => `${name}:${type}`),
        ...sent.map(([status]) => status),
      ].join(" ");
    })
    .toSorted();
}
const operations = [
  "addOrder name:string 201",
  "addTask title:string done:boolean 201",
  "changeTask title:string done:boolean 200",
  "listOrder 200",
  "listTasks 200",
  "removeOrder",
  "removeTask",
  "replaceOrder name:string 200",
  "showOrder 200",
  "showTask 200",
];

/** A program in a project that prints the first names of its tools. */
const listTools = `
  const { app, beans } = await (await import(process.cwd() + "/build/tests/app.js")).createApp({ log: () => undefined });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const text = await (await app.request("/mcp", { method: "POST", headers, body })).text();
  const { result } = JSON.parse(text.replace(/^[^{]*/, ""));
  console.log(JSON.stringify(result.tools.map(({ name }) => name).slice(0, 3)));
  await app.stop();
  await beans.close();
`;

/** Each with other choices, the number of its tests with a slice, and the packages that it needs for them. */
const choices: Readonly<
  Record<Schema, readonly [words: readonly string[], tests: number, modules: readonly string[]]>
> = {
  zod: [[], 32, []],
  typebox: [["--redis", "--tools"], 37, ["redis", "@modelcontextprotocol/server"]],
  valibot: [
    ["--work", "pg", "--tools"],
    38,
    ["@modelcontextprotocol/server", "pg", "pg-boss", "@types/pg", "@electric-sql/pglite"],
  ],
  none: [["--work", "redis"], 40, ["redis", "bullmq"]],
};

describe("a project that validates bodies with", () => {
  for (const schema of schemas) {
    const [words, tests, modules] = choices[schema];
    it(`${schema} passes its tests and documents its routes, also with a slice${words.map((word) => ` ${word}`).join("")}`, async () => {
      const parent = emptyFolder();
      await node(parent, main, "new", "demo", "--from", sources, "--no-devtools", "--schema", schema, ...words);
      const project = join(parent, "demo");
      const { dependencies } = manifestOf(project);
      const library = schemas.filter((name) => name !== "none" && name in dependencies);
      assert.deepEqual(library, schema === "none" ? [] : [schema]);
      linkModules(
        project,
        ...needed,
        ...library,
        ...(schema === "valibot" ? ["@valibot/to-json-schema"] : []),
        ...modules,
      );
      assert.equal((await node(project, main, "generate", "resource", "Order")).stderr, "");
      const libraries = ["tasks/task.ts", "orders/order.ts"].map(
        (file) => /from "(\w+)";/.exec(readFileSync(join(project, "src", file), "utf8"))?.[1],
      );
      assert.deepEqual(new Set(libraries), new Set(schema === "none" ? [undefined] : [schema]));
      const { code, stdout } = await npm(project, "test");
      assert.deepEqual({ code, passed: passed(stdout) }, { code: 0, passed: tests }, stdout);
      const hasTools = words.includes("--tools");
      const listed = hasTools ? await node(project, "--input-type=module", "-e", listTools) : { stdout: "[]" };
      assert.deepEqual(JSON.parse(listed.stdout), hasTools ? ["listTasks", "addTask", "showTask"] : []);
      const document = await node(project, main, "openapi", "--app", "build/tests/app.js");
      const own = described(document.stdout).filter((one) => words.length === 0 || operations.includes(one));
      assert.deepEqual(own, operations, document.stderr);
    });
  }

  it("compares its document with the earlier one by its own script", async () => {
    const parent = emptyFolder();
    await node(parent, main, "new", "demo", "--from", sources, "--no-devtools");
    const project = join(parent, "demo");
    linkModules(project, ...needed, "zod");
    assert.deepEqual(await npm(project, "run", "openapi"), { code: 0, stdout: "Wrote openapi.json\n", stderr: "" });
    const task = join(project, "src", "tasks", "task.ts");
    writeFileSync(task, readFileSync(task, "utf8").replaceAll("max(200)", "max(100)"));
    const { code, stderr } = await npm(project, "run", "openapi:check");
    assert.deepEqual(
      { code, list: stderr.split("\n") },
      {
        code: 1,
        list: [
          "framework: 2 breaking differences to openapi.json, 0 compatible differences:",
          "  POST /tasks: body title maxLength was 200, and is 100",
          "  PATCH /tasks/{id}: body title maxLength was 200, and is 100",
          "",
        ],
      },
    );
  });
});

describe("packages", () => {
  it("are copied into the project if they are tarballs, and named as files", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "pack"));
    writeFileSync(join(parent, "pack", "framework-0.1.0.tgz"), "the framework");
    writeFileSync(join(parent, "pack", "framework-devtools-0.1.0.tgz"), "devtools");
    writeFileSync(join(parent, "pack", "create-framework-0.1.0.tgz"), "the scaffolder");
    const { code } = await node(parent, main, "new", "demo", "--from", "pack");
    const files = contents(join(parent, "demo"));
    const { dependencies, devDependencies } = manifestOf(join(parent, "demo"));
    assert.equal(code, 0);
    assert.equal(dependencies["framework"], "file:vendor/framework-0.1.0.tgz");
    assert.equal(devDependencies["@framework/devtools"], "file:vendor/framework-devtools-0.1.0.tgz");
    assert.equal(devDependencies["create-framework"], "file:vendor/create-framework-0.1.0.tgz");
    assert.equal(files.get(join("vendor", "framework-0.1.0.tgz")), "the framework");
    assert.equal(files.get(join("vendor", "framework-devtools-0.1.0.tgz")), "devtools");
  });

  it("are searched without a given folder: among those with the program, then next to it, then in its project", () => {
    const parent = emptyFolder();
    const own = join(parent, "create-framework");
    mkdirSync(join(own, "packages"), { recursive: true });
    const message = "no tarball of framework came with this program: name the folder that holds it with --from <dir>";
    assert.throws(() => packageBeside(own, "framework"), { name: "UsageError", message });
    const installed = join(parent, "demo", "node_modules", "create-framework");
    mkdirSync(join(parent, "demo", "vendor"), { recursive: true });
    writeFileSync(join(parent, "demo", "vendor", "framework-0.1.0.tgz"), "");
    assert.deepEqual(packageBeside(installed, "framework"), {
      kind: "tarball",
      path: join(parent, "demo", "vendor", "framework-0.1.0.tgz"),
    });
    writeFileSync(join(parent, "framework-0.1.0.tgz"), "");
    assert.deepEqual(packageBeside(own, "framework"), { kind: "tarball", path: join(parent, "framework-0.1.0.tgz") });
    writeFileSync(join(own, "packages", "framework-0.1.0.tgz"), "");
    assert.deepEqual(packageBeside(own, "framework"), {
      kind: "tarball",
      path: join(own, "packages", "framework-0.1.0.tgz"),
    });
  });

  it("of two versions are rejected", async () => {
    const parent = emptyFolder();
    for (const version of ["0.1.0", "0.2.0"]) writeFileSync(join(parent, `framework-${version}.tgz`), "");
    const { code, stderr } = await node(parent, main, "new", "demo", "--from", ".");
    const line = `framework: ${parent} holds framework-0.1.0.tgz and framework-0.2.0.tgz: keep one\n`;
    assert.deepEqual({ code, stderr }, { code: 1, stderr: line });
  });
});

describe("the program", () => {
  it("rejects with one line, and neither leaves nor overwrites anything", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "taken"));
    writeFileSync(join(parent, "taken", "notes.md"), "");
    const cases: [words: string[], line: string][] = [
      [["new", "taken", "--from", sources], "framework: taken is there already, and not empty: choose another name\n"],
      [
        ["new", "Bad", "--from", sources],
        'framework: "Bad" is no project name: lower-case letters, digits and hyphens, a letter first, at most 63 characters; "bad" would do\n',
      ],
      [["new", "demo", "--frmo", sources], "framework: Unknown option '--frmo'; --help lists the options\n"],
      [
        ["new", "demo", "--from", "nowhere"],
        `framework: --from is ${JSON.stringify(join(parent, "nowhere"))}: that is no folder\n`,
      ],
      [
        ["new", "demo", "--from", "taken"],
        `framework: ${join(parent, "taken")} holds no framework: neither its tarball nor its package folder\n`,
      ],
    ];
    const results = await Promise.all(cases.map(([words]) => node(parent, main, ...words)));
    assert.deepEqual(
      results,
      cases.map(([, stderr]) => ({ code: 1, stdout: "", stderr })),
    );
    assert.deepEqual(readdirSync(parent, { recursive: true }).toSorted(), ["taken", join("taken", "notes.md")]);
  });

  it("fills an empty folder or a new repository, at any path, and gives the package its scope", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "here", ".git"), { recursive: true });
    writeFileSync(join(parent, "here", ".git", "HEAD"), "mine");
    for (const [cwd, given, folder, name, next] of [
      ["here", ".", "here", "here", "Created the project. Next:\n\n  npm install\n"],
      ["", "apps/shop", "apps/shop", "shop", `Created apps/shop. Next:\n\n  cd ${join("apps", "shop")}\n`],
      ["", "@acme/store", "store", "@acme/store", "Created @acme/store. Next:\n\n  cd store\n"],
    ] as const) {
      const { code, stdout, stderr } = await node(join(parent, cwd), main, "new", given, "--from", sources);
      assert.deepEqual([code, stdout.slice(0, next.length), stderr], [0, next, ""]);
      const project = join(parent, folder);
      const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { name: string };
      assert.deepEqual([manifest.name, existsSync(join(project, "src", "app.ts"))], [name, true]);
      assert.deepEqual(
        readdirSync(project).filter((entry) => entry.startsWith(".new-")),
        [],
      );
    }
    assert.equal(readFileSync(join(parent, "here", ".git", "HEAD"), "utf8"), "mine");
    assert.match(readFileSync(join(parent, "store", "k8s", "deployment.yaml"), "utf8"), /image: "store:latest"/);
  });

  it("leaves nothing if writing fails half-way", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "pack", "framework-1.tgz"), { recursive: true });
    const { code, stderr } = await node(parent, main, "new", "demo", "--from", "pack", "--no-devtools");
    assert.deepEqual({ code, lines: stderr.split("\n").length }, { code: 1, lines: 2 });
    assert.deepEqual(readdirSync(parent), ["pack"]);
    assert.equal((await node(parent, main, "new", "a/b/demo", "--from", "pack", "--no-devtools")).code, 1);
    assert.deepEqual(readdirSync(parent), ["pack"]);
  });

  it("names the Node version that it needs, if it runs on another", () => {
    const supported = ["20.19.3", "20.20.0", "22.3.0", "22.21.1", "23.0.0", "24.11.0", "26.1.0"];
    assert.deepEqual(
      supported.filter((version) => unsupported(version) !== undefined),
      [],
    );
    for (const version of ["14.21.3", "18.20.8", "20.19.2", "20.9.0", "21.7.3", "22.2.0"])
      assert.equal(
        unsupported(version),
        `this is Node ${version}: 20.19.3 or newer within 20, or 22.3 and newer is needed, see https://nodejs.org`,
      );
  });

  it("loads nothing on an unsupported Node, and writes one line", async () => {
    const written: string[] = [];
    const loaded: string[] = [];
    for (const version of ["20.19.3", "20.9.0"]) {
      const load = async (): Promise<void> => void loaded.push(version);
      assert.equal(await onSupported(version, load, (line) => written.push(line)), version === "20.19.3");
    }
    assert.deepEqual(loaded, ["20.19.3"]);
    assert.deepEqual(written, [`create-framework: ${unsupported("20.9.0")}\n`]);
  });

  it("prints its options and its version", async () => {
    const [help, version] = await Promise.all([node(folder, main, "--help"), node(folder, main, "--version")]);
    assert.match(help.stdout, /^Usage: framework new <project-name> \[options\]\n/);
    assert.deepEqual(version, { code: 0, stdout: "0.1.0\n", stderr: "" });
  });
});

/** The tools that an agent sees when it starts the server of the project's `.mcp.json`. */
async function toolsOf(project: string, url: string): Promise<{ readonly tools: number; readonly routes: string }> {
  const { mcpServers } = JSON.parse(readFileSync(join(project, ".mcp.json"), "utf8")) as {
    mcpServers: Record<string, { command: string; args: string[] }>;
  };
  const { command = "", args = [] } = mcpServers["framework-devtools"] ?? {};
  const env = { ...getDefaultEnvironment(), FRAMEWORK_DEVTOOLS_URL: url };
  const client = new Client({ name: "agent", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args, cwd: project, env }));
  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: "list_routes", arguments: { filter: "GET /tasks" } });
  await client.close();
  const { routes } = structuredContent as { readonly routes: readonly { readonly path: string }[] };
  return { tools: tools.length, routes: routes[0]?.path ?? "" };
}
