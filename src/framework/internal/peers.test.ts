import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { loadPeer } from "./peers.ts";

describe("loadPeer", () => {
  test("is the package, when it is installed", async () => {
    assert.deepEqual(await loadPeer("framework/x", "x", () => Promise.resolve({ x: 1 })), { x: 1 });
  });

  test("names the package to install when it is missing, with the reason", async () => {
    const none: string = "there-is-no-such-package";
    const error = await loadPeer("framework/x", none, () => import(none) as Promise<unknown>).catch(
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof Error && error.cause instanceof Error);
    assert.deepEqual(
      [error.message, Reflect.get(error, "code"), Reflect.get(error.cause, "code")],
      [
        "framework/x needs the package there-is-no-such-package: npm install there-is-no-such-package",
        "PEER_MISSING",
        "ERR_MODULE_NOT_FOUND",
      ],
    );
  });

  test("passes on the error of an installed package", async () => {
    const fault = new SyntaxError("in the package");
    await assert.rejects(
      loadPeer("framework/x", "x", () => Promise.reject(fault)),
      (error) => error === fault,
    );
  });
});

describe("a subpath without its peer", () => {
  /** Entries that import their package, so that `require()` of the entry works. */
  const imported = [
    ["framework/websocket", "ws"],
    ["framework/opentelemetry", "@opentelemetry/api"],
    ["framework/prometheus", "prom-client"],
    ["framework/static", "@fastify/send"],
  ] as const;
  /** Checks that a program prints this, run next to the installed framework and these packages. */
  function prints(
    t: TestContext,
    text: string,
    lines: readonly string[],
    packages: Readonly<Record<string, string>> = {},
  ): void {
    const folder = mkdtempSync(join(tmpdir(), "peerless-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const from = fileURLToPath(new URL("../..", import.meta.url));
    const home = join(folder, "node_modules", "framework");
    mkdirSync(home, { recursive: true });
    cpSync(join(from, "package.json"), join(home, "package.json"));
    cpSync(join(from, "dist", "bundle"), join(home, "dist", "bundle"), { recursive: true });
    for (const [name, source] of Object.entries(packages)) {
      mkdirSync(join(folder, "node_modules", name), { recursive: true });
      writeFileSync(join(folder, "node_modules", name, "index.js"), source);
    }
    writeFileSync(join(folder, "main.mjs"), lines.join("\n"));
    const { stdout, stderr } = spawnSync(process.execPath, ["main.mjs"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    assert.equal(stdout, text, stderr);
  }

  test("says which package is missing, when the entry is imported", (t) => {
    const lines = imported.map(
      ([part]) =>
        `await import("${part}").catch(({ code, message }) => console.log(code, message.split(" imported")[0]));`,
    );
    const sentences = imported.map(([, name]) => `ERR_MODULE_NOT_FOUND Cannot find package '${name}'\n`);
    prints(t, sentences.join(""), lines);
  });

  test("says which package to install, on first use of an entry that loads it then", (t) => {
    const use =
      "part.multipart({ header: () => 'multipart/form-data; boundary=b', bodyAsStream: () => new ReadableStream() }).next()";
    prints(t, "PEER_MISSING framework/multipart needs the package @fastify/busboy: npm install @fastify/busboy\n", [
      'const part = await import("framework/multipart");',
      `await ${use}.catch(({ code, message }) => console.log(code, message));`,
    ]);
  });

  test("passes on the error of an installed package", (t) => {
    const line = 'await import("framework/static").catch((error) => console.log(error.message));';
    prints(t, "in the package\n", [line], { "@fastify/send": 'throw new Error("in the package");' });
  });
});
