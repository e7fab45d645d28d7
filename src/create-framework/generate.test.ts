/**
 * Generates slices into scaffolded projects: compiled, tested, started and inspected through the dashboard's API.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { generate } from "./generate.ts";
import {
  contents,
  linkModules,
  main,
  needed,
  node,
  npm,
  passed,
  running,
  sources,
  temporaryFolder,
} from "./harness.testkit.ts";
import { resourceName } from "./resource-name.ts";
import type { Kind } from "./slice.ts";

const folder = temporaryFolder();
const ownFolder = join(sources, "create-framework");
let original: string;

before(async () => {
  const { code, stderr } = await node(folder, main, "new", "demo", "--from", sources);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  original = join(folder, "demo");
});

/** A separate project for a test, fresh from the scaffolder. */
function freshProject(): string {
  const project = mkdtempSync(join(folder, "project-"));
  cpSync(original, project, { recursive: true });
  return project;
}

const add = (project: string, kind: Kind, name: string): readonly string[] =>
  generate({ kind, name: resourceName(name), folder: project, ownFolder }).paths;

async function json<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}

describe("framework generate", () => {
  it("adds slices that compile, pass their tests, and are in the graph and among the routes", async () => {
    const project = freshProject();
    linkModules(project, ...needed, "zod", "@framework/devtools");
    const { code, stdout, stderr } = await node(join(project, "src"), main, "generate", "resource", "SalesOrder");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assert.match(stdout, /^Generated the resource SalesOrder:\n[^]* {2}changed src\/module\.ts\n\nNext: npm test\n$/);
    for (const kind of ["repository", "service", "controller"] as const) add(project, kind, "Category");

    const tests = await npm(project, "test");
    assert.deepEqual({ code: tests.code, passed: passed(tests.stdout) }, { code: 0, passed: 42 }, tests.stdout);
    await running(project, "build/tests/dev.js", async (url) => {
      const { edges } = await json<{ edges: { from: string; to: string }[] }>(`${url}/framework/dev/api/graph`);
      const drawn = edges.map(({ from, to }) => `${from} -> ${to}`).filter((edge) => !edge.startsWith("Task"));
      assert.deepEqual(drawn.sort(), [
        "CategoryController -> CategoryService",
        "CategoryService -> CategoryRepository",
        "SalesOrderController -> SalesOrderService",
        "SalesOrderService -> SalesOrderRepository",
      ]);
      const routes = await json<{ method: string; path: string }[]>(`${url}/framework/dev/api/routes`);
      const added = routes.filter(({ path }) => /^\/(?:categories|sales-orders)\b/.test(path));
      assert.deepEqual(
        added.map(({ method, path }) => `${method} ${path}`),
        ["/categories", "/sales-orders"].flatMap((path) => [
          `GET ${path}`,
          `POST ${path}`,
          `DELETE ${path}/{id}`,
          `GET ${path}/{id}`,
          `PUT ${path}/{id}`,
        ]),
      );
    });
  });

  it("adds the required layers of a slice exactly if they are missing", () => {
    const names = (paths: readonly string[]): string[] => paths.map((path) => path.replace("src/orders/", ""));
    const repository = ["order.ts", "order-repository.ts", "in-memory-order-repository.ts", "order-repository.test.ts"];
    const service = ["order-service.ts", "order-service.test.ts"];
    const controller = ["order-contracts.ts", "order-controller.ts", "order-routes.test.ts"];
    const all = [...repository, ...service, ...controller, "src/module.ts"];
    const whole = freshProject();
    assert.deepEqual(names(add(whole, "controller", "Order")), all);
    const steps = freshProject();
    assert.deepEqual(names(add(steps, "repository", "Order")), [...repository, "src/module.ts"]);
    assert.deepEqual(names(add(steps, "service", "Order")), [...service, "src/module.ts"]);
    assert.deepEqual(names(add(steps, "controller", "Order")), [...controller, "src/module.ts"]);
    assert.deepEqual(contents(steps), contents(whole));
    const resource = freshProject();
    assert.deepEqual(names(add(resource, "resource", "Order")), all);
    assert.deepEqual(contents(resource), contents(whole));
  });

  const rejections: Readonly<
    Record<string, readonly [kind: Kind, name: string, prepare: (project: string) => void, says: RegExp]>
  > = {
    "a slice that is there already": [
      "resource",
      "Task",
      () => undefined,
      /^src\/tasks\/task\.ts is there already: nothing is written over$/,
    ],
    "a path that is taken": ["resource", "Metric", () => undefined, /^src\/app\.ts has the path "\/metrics" already/],
    "a layer below that nothing binds": [
      "service",
      "Order",
      (project) => {
        mkdirSync(join(project, "src", "orders"));
        writeFileSync(join(project, "src", "orders", "order-repository.ts"), "");
      },
      /^OrderRepository is there, but src\/module\.ts does not bind it: bind it first$/,
    ],
    "a module file without the builder": [
      "resource",
      "Order",
      (project) => writeFileSync(join(project, "src", "module.ts"), 'import "framework";\n'),
      /^src\/module\.ts has no Beans\.builder\(\)/,
    ],
    "a bean whose name the module file has for something else": [
      "service",
      "Order",
      (project) => {
        const module = join(project, "src", "module.ts");
        writeFileSync(module, `${readFileSync(module, "utf8")}\nclass OrderService {}\n`);
      },
      /^src\/module\.ts has a OrderService already: choose another name$/,
    ],
    "a slice that would not compile in that project": [
      "resource",
      "Order",
      (project) => {
        linkModules(project, ...needed, "zod", "@framework/devtools");
        const app = join(project, "src", "app.ts");
        writeFileSync(app, readFileSync(app, "utf8").replaceAll("createApp", "makeApp"));
        for (const file of ["app.test", "devtools", "main"]) {
          const path = join(project, "src", `${file}.ts`);
          writeFileSync(path, readFileSync(path, "utf8").replaceAll("createApp", "makeApp"));
        }
      },
      /^nothing was changed, since with the slice the project would not compile: src\/orders\/order-routes\.test\.ts\(\d+,\d+\): error TS/,
    ],
    "a project that does not compile as it is": [
      "resource",
      "Order",
      (project) => {
        linkModules(project, ...needed, "zod", "@framework/devtools");
        writeFileSync(join(project, "src", "broken.ts"), "const a: number = '';\n");
      },
      /^nothing was changed, since the project does not compile: src\/broken\.ts\(1,7\): error TS2322/,
    ],
    "a file that cannot be written, half-way": [
      "resource",
      "Order",
      (project) => mkdirSync(join(project, "src", "module.ts.new")),
      /^EEXIST/,
    ],
  };
  for (const [what, [kind, name, prepare, says]] of Object.entries(rejections)) {
    it(`rejects ${what}, and changes nothing`.replace(/^rejects (CLI-\d+) /, "$1 rejects "), () => {
      const project = freshProject();
      prepare(project);
      const before = contents(project);
      assert.throws(() => add(project, kind, name), { message: says });
      assert.deepEqual(contents(project), before);
    });
  }

  it("compiles a package of a workspace, which has its dependencies in a folder above", () => {
    const workspace = mkdtempSync(join(folder, "workspace-"));
    const project = join(workspace, "packages", "shop");
    cpSync(original, project, { recursive: true });
    linkModules(workspace, ...needed, "zod", "@framework/devtools");
    writeFileSync(join(project, "src", "broken.ts"), "const a: number = '';\n");
    assert.throws(() => add(project, "resource", "Order"), { message: /does not compile: src\/broken\.ts/ });
  });

  it("says what to do in a project with Yarn's Plug'n'Play, and changes nothing", () => {
    const project = freshProject();
    writeFileSync(join(project, ".pnp.cjs"), "");
    const before = contents(project);
    assert.throws(() => add(project, "resource", "Order"), {
      name: "UsageError",
      message:
        "Yarn's Plug'n'Play writes no node_modules, which the compiler needs: set `nodeLinker: node-modules` in .yarnrc.yml, then run `yarn install`",
    });
    assert.deepEqual(contents(project), before);
  });

  it("rejects outside a project", async () => {
    const nowhere = mkdtempSync(join(folder, "nowhere-"));
    const { code, stdout, stderr } = await node(nowhere, main, "generate", "resource", "Order");
    const line = "framework: there is no project here: run this in a folder that `framework new` made\n";
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: "", stderr: line });
    mkdirSync(join(nowhere, "src"));
    writeFileSync(join(nowhere, "src", "module.ts"), "");
    for (const content of ["{}", "[]", "null", "not JSON", '{"dependencies":{"express":"5"}}']) {
      writeFileSync(join(nowhere, "package.json"), content);
      assert.throws(() => add(nowhere, "resource", "Order"), {
        name: "UsageError",
        message: `${nowhere} is no project that \`framework new\` made: it needs the framework and src/module.ts`,
      });
    }
  });

  it("keeps a folder that existed before the failure", () => {
    const project = freshProject();
    mkdirSync(join(project, "src", "orders"));
    writeFileSync(join(project, "src", "orders", "notes.md"), "mine");
    mkdirSync(join(project, "src", "module.ts.new"));
    assert.throws(() => add(project, "resource", "Order"));
    assert.equal(readFileSync(join(project, "src", "orders", "notes.md"), "utf8"), "mine");
    rmSync(join(project, "src", "module.ts.new"), { recursive: true });
    assert.equal(add(project, "resource", "Order").length, 10);
  });
});
