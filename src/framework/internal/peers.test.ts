import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadPeer } from "./peers.ts";

describe("loadPeer", () => {
  test("is the package, where it is installed", async () => {
    assert.deepEqual(await loadPeer("framework/x", "x", () => Promise.resolve({ x: 1 })), { x: 1 });
  });

  test("says what to install where it is not, with the reason", async () => {
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

  test("lets the fault of a package that is there go on", async () => {
    const fault = new SyntaxError("in the package");
    await assert.rejects(
      loadPeer("framework/x", "x", () => Promise.reject(fault)),
      (error) => error === fault,
    );
  });
});

describe("a subpath without its peer", () => {
  const uses = [
    ["framework/websocket", "ws", ""],
    ["framework/opentelemetry", "@opentelemetry/api", ""],
    ["framework/prometheus", "prom-client", ""],
    ["framework/static", "@fastify/send", "new part.StaticMiddleware({ root: '.' })"],
    [
      "framework/multipart",
      "@fastify/busboy",
      "await part.multipart({ header: () => 'multipart/form-data; boundary=b', bodyAsStream: () => new ReadableStream() }).next()",
    ],
  ] as const;
  test("STATIC-014, MULTI-017: says in one sentence what to install, when it is needed", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "peerless-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const from = fileURLToPath(new URL("../..", import.meta.url));
    const home = join(folder, "node_modules", "framework");
    mkdirSync(home, { recursive: true });
    cpSync(join(from, "package.json"), join(home, "package.json"));
    cpSync(join(from, "dist", "bundle"), join(home, "dist", "bundle"), { recursive: true });
    const lines = uses.map(
      ([part, , use]) =>
        `try { const part = await import("${part}"); ${use} } catch (error) { console.log(error.code, error.message); }`,
    );
    writeFileSync(join(folder, "main.mjs"), lines.join("\n"));
    const { stdout, stderr } = spawnSync(process.execPath, ["main.mjs"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    const sentences = uses.map(
      ([part, name]) => `PEER_MISSING ${part} needs the package ${name}: npm install ${name}\n`,
    );
    assert.equal(stdout, sentences.join(""), stderr);
  });
});
