import assert from "node:assert/strict";
import { describe, test } from "node:test";
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
