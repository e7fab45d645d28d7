/**
 * Scaffolds in a folder of the system's, then does with the result what its owner would: compile, test, start.
 *
 *   main.js new demo ──▶ link node_modules ──▶ tsc ──▶ node --test ──▶ start on port 0 ──▶ /health
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import {
  responseOf,
  contents,
  linkModules,
  main,
  modules,
  node,
  running,
  sources,
  temporaryFolder,
} from "./harness.test.ts";
import { packageBeside } from "./packages.ts";

const folder = temporaryFolder();

/** An empty folder to scaffold in. */
function emptyFolder(): string {
  return mkdtempSync(join(folder, "empty-"));
}

const healthy = { status: 200, body: '{"status":"UP","checks":{"tasks":"UP"}}' };

for (const { title, words, dev, tests } of [
  { title: "a project with devtools", words: [], dev: "dist/dev.js", tests: 21 },
  { title: "a project without devtools", words: ["--devtools", "false"], dev: "dist/main.js", tests: 18 },
]) {
  describe(title, () => {
    const withDevtools = words.length === 0;
    let project: string;

    before(async () => {
      const parent = emptyFolder();
      const { code, stderr } = await node(parent, main, "new", "demo", "--from", sources, ...words);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      project = join(parent, "demo");
      linkModules(project, "framework", "typescript", "@types/node", ...(withDevtools ? ["@framework/devtools"] : []));
    });

    it("CLI-001: compiles, and its own tests pass", async () => {
      const compiled = await node(project, join(modules, "typescript", "bin", "tsc"));
      assert.deepEqual(compiled, { code: 0, stdout: "", stderr: "" });
      const { code, stdout } = await node(join(project, "dist"), "--test", "--test-reporter=tap");
      assert.deepEqual(
        { code, passed: /^# pass (\d+)$/m.exec(stdout)?.[1] },
        { code: 0, passed: String(tests) },
        stdout,
      );
    });

    it("CLI-004: starts, is healthy, has no dashboard, and ends well when it gets a signal", async () => {
      const code = await running(project, "dist/main.js", async (url) => {
        assert.deepEqual(await responseOf(`${url}/health`), healthy);
        assert.equal((await responseOf(`${url}/framework/dev`)).status, 404);
      });
      assert.equal(code, 0);
    });

    it(`CLI-002: starts for development with ${dev}`, async () => {
      const scripts = Reflect.get(
        JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as object,
        "scripts",
      ) as { dev: string };
      assert.equal(scripts.dev, `node scripts/dev.mjs ${dev}`);
      await running(project, dev, async (url) => {
        assert.deepEqual(await responseOf(`${url}/health`), healthy);
        assert.equal((await responseOf(`${url}/framework/dev`)).status, withDevtools ? 200 : 404);
      });
    });

    it("builds for production without tests and development", async () => {
      rmSync(join(project, "dist"), { recursive: true });
      const built = await node(project, join(modules, "typescript", "bin", "tsc"), "-p", "tsconfig.build.json");
      assert.deepEqual(built, { code: 0, stdout: "", stderr: "" });
      const scripts = readdirSync(join(project, "dist")).filter((file) => file.endsWith(".js"));
      assert.deepEqual(scripts.sort(), ["app.js", "main.js", "module.js", "serve.js"]);
    });

    it(`CLI-003: ${withDevtools ? "has" : "has no"} devtools in it, and no placeholder`, () => {
      const files = [...contents(project)];
      const mentions = files.filter(([path, text]) => /devtools/i.test(path + text)).map(([path]) => path);
      const some = ["README.md", "package.json", "src/dev.ts", "src/devtools.test.ts", "src/devtools.ts"];
      assert.deepEqual(mentions, withDevtools ? some : []);
      assert.deepEqual(
        files.filter(([, text]) => text.includes("{{")).map(([path]) => path),
        [],
      );
    });
  });
}

describe("packages", () => {
  it("CLI-009: are copied into the project when they are tarballs, and named as files", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "pack"));
    writeFileSync(join(parent, "pack", "framework-0.1.0.tgz"), "the framework");
    writeFileSync(join(parent, "pack", "framework-devtools-0.1.0.tgz"), "devtools");
    const { code } = await node(parent, main, "new", "demo", "--from", "pack");
    const files = contents(join(parent, "demo"));
    const { dependencies, devDependencies } = JSON.parse(files.get("package.json") ?? "") as Record<
      string,
      Record<string, string>
    >;
    assert.equal(code, 0);
    assert.deepEqual(dependencies, { framework: "file:vendor/framework-0.1.0.tgz" });
    assert.equal(devDependencies?.["@framework/devtools"], "file:vendor/framework-devtools-0.1.0.tgz");
    assert.equal(files.get(join("vendor", "framework-0.1.0.tgz")), "the framework");
    assert.equal(files.get(join("vendor", "framework-devtools-0.1.0.tgz")), "devtools");
  });

  it("are looked for among what came with the program, then beside it, when no folder is given", () => {
    const parent = emptyFolder();
    const own = join(parent, "create-framework");
    mkdirSync(join(own, "packages"), { recursive: true });
    const message = "no tarball of framework came with this program: name the folder that holds it with --from <dir>";
    assert.throws(() => packageBeside(own, "framework"), { name: "UsageError", message });
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
  it("CLI-005 CLI-007: rejects with one line, and neither leaves nor overwrites anything", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "taken"));
    const cases: [words: string[], line: string][] = [
      [["new", "taken", "--from", sources], "framework: taken is there already: choose another name\n"],
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
    assert.deepEqual(readdirSync(parent, { recursive: true }), ["taken"]);
  });

  it("CLI-006: leaves nothing behind when writing fails half-way", async () => {
    const parent = emptyFolder();
    mkdirSync(join(parent, "pack", "framework-1.tgz"), { recursive: true });
    const { code, stderr } = await node(parent, main, "new", "demo", "--from", "pack", "--no-devtools");
    assert.deepEqual({ code, lines: stderr.split("\n").length }, { code: 1, lines: 2 });
    assert.deepEqual(readdirSync(parent), ["pack"]);
  });

  it("CLI-015: tells its options and its version", async () => {
    const [help, version] = await Promise.all([node(folder, main, "--help"), node(folder, main, "--version")]);
    assert.match(help.stdout, /^Usage: framework new <project-name> \[options\]\n/);
    assert.deepEqual(version, { code: 0, stdout: "0.1.0\n", stderr: "" });
  });
});
