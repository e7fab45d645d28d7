/**
 * Tests `framework openapi` on apps of all kinds, with and without a document.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { main, modules, node, temporaryFolder } from "../harness.testkit.ts";

const folder = temporaryFolder();

const working = `
import { Framework } from "framework";
import { OpenApiMiddleware } from "framework/openapi";
console.log("an app may print");
export async function createApp() {
  const app = Framework.create();
  app.use(new OpenApiMiddleware({ info: { title: "App", version: "1" } }));
  app.get("/a", { operationId: "readA" }, () => "");
  setInterval(() => undefined, 1_000);
  const beans = { close: async () => (await import("node:fs")).writeFileSync("closed", "") };
  return { app, beans };
}
`;

/** A folder with that app in it, at the path of a build. */
function projectWith(app: string): string {
  const project = mkdtempSync(join(folder, "app-"));
  mkdirSync(join(project, "dist"));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(join(modules, "framework"), join(project, "node_modules", "framework"), "junction");
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  writeFileSync(join(project, "dist", "app.js"), app);
  return project;
}

const openapi = (cwd: string, ...args: readonly string[]): ReturnType<typeof node> =>
  node(cwd, main, "openapi", ...args);

describe("framework openapi", () => {
  it("writes the document of the app, closes the app, and prints the document if no file is named", async () => {
    const project = projectWith(working);
    assert.deepEqual(await openapi(project, "--out", "openapi.json"), {
      code: 0,
      stdout: "Wrote openapi.json\n",
      stderr: "",
    });
    const text = readFileSync(join(project, "openapi.json"), "utf8");
    const { paths } = JSON.parse(text) as { paths: Record<string, object> };
    assert.deepEqual(Object.keys(paths), ["/a"]);
    assert.equal(readFileSync(join(project, "closed"), "utf8"), "");
    assert.deepEqual(await openapi(project), { code: 0, stdout: text, stderr: "" });
    const again = await openapi(project, "--out", "openapi.json");
    assert.deepEqual(again, { code: 0, stdout: "openapi.json is the document of the app\n", stderr: "" });
  });

  it("uses createAppForDocument if the app exports one, so createApp can need settings", async () => {
    const settings = 'export const createAppForDocument = () => createApp({ title: "Given" });';
    const needing = working.replace("createApp()", "createApp({ title })").replace('"App"', "title");
    const { code, stdout, stderr } = await openapi(projectWith(needing + settings));
    assert.deepEqual(
      [code, stderr, (JSON.parse(stdout) as { info: object }).info],
      [0, "", { title: "Given", version: "1" }],
    );
  });

  it("ends when the app has sent the document, even if it has started or sent other things", async () => {
    const helper =
      'spawn(process.execPath, ["-e", "setTimeout(() => {}, 30_000)"], { stdio: "inherit", detached: true })';
    const project = projectWith(
      `import { spawn } from "node:child_process";
const helper = ${helper};
helper.unref();
(await import("node:fs")).writeFileSync("helper", String(helper.pid));
process.send("ready");
${working}`,
    );
    const begun = performance.now();
    const { code, stderr } = await openapi(project, "--out", "openapi.json");
    process.kill(Number(readFileSync(join(project, "helper"), "utf8")));
    assert.deepEqual([code, stderr, performance.now() - begun < 25_000], [0, "", true]);
  });

  it("exits with 1 and the list if something breaks, and counts compatible changes", async () => {
    const project = projectWith(working);
    await openapi(project, "--out", "base.json");
    const compatible = await openapi(project, "--check", "base.json");
    assert.deepEqual(compatible, {
      code: 0,
      stdout: "Nothing breaks for clients of base.json; 0 compatible differences\n",
      stderr: "",
    });
    const app = readFileSync(join(project, "dist", "app.js"), "utf8");
    writeFileSync(join(project, "dist", "app.js"), app.replace('"/a", { operationId: "readA" }', '"/b"'));
    const broken = await openapi(project, "--check", "base.json", "--out", "now.json");
    const stderr = "framework: 1 breaking difference to base.json, 1 compatible difference:\n  GET /a is gone\n";
    assert.deepEqual(broken, { code: 1, stdout: "", stderr });
    assert.equal((await openapi(project, "--url", "now.json")).stderr, "framework: there is no file now.json\n");
    assert.equal((await openapi(project, "--url", "base.json", "--check", "base.json")).code, 0);
  });

  it("overwrites only a document", async () => {
    const project = projectWith(working);
    writeFileSync(join(project, "notes.json"), "{}");
    const stderr = "framework: notes.json is there already, and is no OpenAPI document: choose another name\n";
    assert.deepEqual(await openapi(project, "--out", "notes.json"), { code: 2, stdout: "", stderr });
  });

  const cannot: Readonly<Record<string, readonly [app: string, says: RegExp]>> = {
    "that does not parse": ["export {", /Unexpected end of input|Unexpected token/],
    "that exports nothing of it": ["export const a = 1;", /it exports neither createApp nor app/],
    "that fails while it is made": [
      'export const createApp = () => { throw new Error("no database\\nat all"); };',
      /no database$/,
    ],
    "that needs settings": [
      "export const createApp = (settings) => settings.url;",
      /createApp fails without its argument \(Cannot read .*'url'\)\): export createAppForDocument\(\) from this file, which calls createApp with settings for the document$/,
    ],
    "that is no application": [
      "export const createApp = () => ({});",
      /it gives no application: createApp\(\) resolves to one, or to \{ app \}/,
    ],
    "that serves no document": [
      'import { Framework } from "framework"; export const app = Framework.create();',
      /its app responds to GET \/openapi\.json with 404: mount OpenApiMiddleware of framework\/openapi, or say its path with --path/,
    ],
    "that cannot be documented": [
      working.replace('{ operationId: "readA" }', "{ query: (value) => value }"),
      /GET \/a: its query has no JSON Schema/,
    ],
    "that ends the process": ['console.error("no PORT"); process.exit(7);', /its process ended with 7: no PORT/],
  };
  it("reports in one line what is wrong with an app, and exits with 2", async () => {
    const results = await Promise.all(
      Object.values(cannot).map(([app]) => openapi(projectWith(app), "--out", "openapi.json")),
    );
    for (const [at, [what, [, says]]] of Object.entries(cannot).entries()) {
      const { code, stdout, stderr } = results[at] ?? {};
      assert.deepEqual({ code, stdout }, { code: 2, stdout: "" }, what);
      assert.match(stderr ?? "", /^framework: the app dist\/app\.js cannot be asked for its document: [^\n]*\n$/, what);
      assert.match((stderr ?? "").trimEnd(), says, what);
    }
  });

  it("says how to build if there is no app", async () => {
    const stderr =
      "framework: there is no build/app.js: build the project first, or name the compiled app with --app <file>\n";
    assert.deepEqual(await openapi(folder, "--app", "build/app.js"), { code: 2, stdout: "", stderr });
  });

  it("prints no error if the reader of its output is gone", async () => {
    const project = projectWith(working);
    await openapi(project, "--out", "openapi.json");
    const child = spawn(process.execPath, [main, "openapi", "--url", "openapi.json"], { cwd: project });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number];
    assert.deepEqual([code, stderr], [0, ""]);
  });
});
