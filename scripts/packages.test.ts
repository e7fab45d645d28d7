/** Tests the content of each published package: the files that its users need, and readable stacks. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const { publishedFolder } = (await import(new URL("../../scripts/published.mjs", import.meta.url).href)) as {
  publishedFolder: (name: string, parent: string) => string;
};

/** Package folder → allowed files in its tarball, in addition to package.json, README and licence. */
const packages: Readonly<Record<string, RegExp>> = {
  framework: /^(dist\/bundle\/.*\.js(\.map)?|dist\/.*\.d\.ts|spec\/\w+(\.schema)?\.json)$/,
  devtools: /^dist\/.*\.(js|js\.map|d\.ts)$/,
  // Only `make pack` adds the tarballs of the other two.
  "create-framework": /^(dist\/([\w-]+\/)?[\w-]+\.js|templates\/.*|packages\/[\w.-]+\.tgz)$/,
  conformance: /^(dist\/main\.js|data\/(schemas\/)?[\w.-]+\.json|data\/run\.py|spec\/[\w-]+\.md)$/,
};
// `make check` may pack at the same time.
const own = fileURLToPath(new URL("../../.build/packages-test", import.meta.url));
const folders = new Map(Object.keys(packages).map((name) => [name, publishedFolder(name, own)]));
const folderOf = (name: string): string => folders.get(name) ?? "";
const never = /^(?!templates\/).*(\.test(kit)?\.|\.ts\.map$|tsbuildinfo|\.tsx$|\bnode_modules\b|fixtures|fake-page)/;

for (const [name, holds] of Object.entries(packages))
  describe(`the package ${name}`, () => {
    const folder = folderOf(name);
    const text = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"], {
      cwd: folder,
      encoding: "utf8",
    });
    const [packed] = JSON.parse(text) as { files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];

    it("contains what its users need, and nothing else", () => {
      const common = ["LICENSE", "README.md", "package.json"];
      assert.deepEqual(
        common.filter((path) => !paths.includes(path)),
        [],
      );
      assert.deepEqual(
        paths.filter((path) => !common.includes(path) && (!holds.test(path) || never.test(path))),
        [],
      );
    });

    it("is an ES module without dependencies and declares no side effects", () => {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
      assert.equal(manifest["type"], "module");
      assert.equal(manifest["dependencies"], undefined);
      if (manifest["bin"] === undefined) assert.equal(manifest["sideEffects"], false);
    });
  });

/** Package folder → a program that fails inside it, and the expected line of the stack. */
const failing: Readonly<Record<string, readonly [program: string, line: RegExp]>> = {
  framework: [
    'const { Framework } = await import(`${folder}dist/bundle/index.js`); Framework.create().get("x", () => "");',
    /at parsePattern \(.*\/src\/framework\/routing\/pattern\.ts:\d+:\d+\)/,
  ],
  devtools: [
    'const { Devtools } = await import(`${folder}dist/index.js`); Devtools.create({ token: "short" });',
    /at readToken \(.*\/src\/devtools\/options\.ts:\d+:\d+\)/,
  ],
};

for (const [name, [program, line]] of Object.entries(failing))
  describe(`a stack through the package ${name}`, () => {
    it("names the file in the repository and the function, and the map contains the source", () => {
      const folder = folderOf(name);
      const url = JSON.stringify(pathToFileURL(`${folder}/`).href);
      const args = ["--enable-source-maps", "--input-type=module", "-e", `const folder = ${url}; ${program}`];
      // Without the condition of the repository's own tests.
      const { stderr } = spawnSync(process.execPath, args, {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, NODE_OPTIONS: "" },
      });
      assert.match(stderr, line);
      const maps = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
        file.endsWith(".js.map"),
      );
      const texts = maps.flatMap((file) => {
        const map = JSON.parse(readFileSync(join(folder, file), "utf8")) as { sourcesContent: readonly string[] };
        return map.sourcesContent;
      });
      assert.deepEqual([texts.length > maps.length - 1, texts.every((text) => text.length > 0)], [true, true]);
    });
  });

describe("the entries of the package framework", () => {
  const folder = folderOf("framework");

  it("have each module in only one file", () => {
    const bundle = join(folder, "dist", "bundle");
    const maps = readdirSync(bundle, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js.map"));
    const sources = maps.flatMap((file) => {
      const map = JSON.parse(readFileSync(join(bundle, file), "utf8")) as { sources: readonly string[] };
      return map.sources.map((source) => join(file, "..", source));
    });
    assert.ok(sources.length > 150, `${sources.length} modules`);
    assert.deepEqual(
      sources.filter((source, at) => sources.indexOf(source) !== at),
      [],
    );
  });

  it("have classes with their own names, which are the names of errors", async () => {
    const exported = (await import(pathToFileURL(join(folder, "dist", "bundle", "index.js")).href)) as object;
    const classes = Object.entries(exported).filter(([, one]) => /^class\b/.test(String(one)));
    assert.ok(classes.length > 30, `${classes.length} classes`);
    assert.deepEqual(
      classes.filter(([name, one]) => (one as { readonly name: string }).name === `_${name}`).map(([name]) => name),
      [],
    );
  });

  const program = `
    import { Framework, HookMiddleware, UnauthorizedError } from "framework";
    import { BasicAuthMiddleware } from "framework/auth";
    const auth = new BasicAuthMiddleware({ users: { ada: "a password" } });
    const app = Framework.create({ port: 0 }).use(auth).get("/", () => "");
    app.onError(UnauthorizedError, (error, ctx) => ctx.text("known"));
    const response = await app.request("/");
    const started = await app.start().then(() => app.stop(), (error) => error.message);
    console.log(JSON.stringify([await response.text(), auth instanceof HookMiddleware, started ?? "started"]));`;
  const noNode = "app.start() needs Node, and this is the build of the framework for workers: serve by app.fetch";
  for (const [condition, started] of Object.entries({ default: "started", worker: noNode, workerd: noNode }))
    it(`have the same classes under the condition ${condition}`, () => {
      const { stdout } = spawnSync(
        process.execPath,
        [`--conditions=${condition}`, "--input-type=module", "-e", program],
        { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" } },
      );
      assert.deepEqual(JSON.parse(stdout), ["known", true, started]);
    });
});
