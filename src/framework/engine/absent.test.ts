/** The replacement of Node's engines in workers (ENGINE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hostedListener, hostedUpgradeListener, NodeHttp2Engine, NodeHttpEngine } from "./absent.ts";
import * as present from "./node.ts";
import * as absent from "./absent.ts";

describe("the engines of the build for workers", () => {
  test("have the names of Node's, and say that they cannot listen", async () => {
    assert.deepEqual(Object.keys(absent).toSorted(), Object.keys(present).toSorted());
    const ending = "needs Node, and this is the build of the framework for workers: serve by app.fetch";
    assert.equal(new NodeHttpEngine().name, new present.NodeHttpEngine().name);
    for (const engine of [new NodeHttpEngine(), new NodeHttp2Engine()])
      await assert.rejects(async () => engine.start(), { message: `app.start() ${ending}` });
    assert.throws(() => hostedListener(), { message: `app.listener() ${ending}` });
    assert.throws(() => hostedUpgradeListener(), { message: `app.upgradeListener() ${ending}` });
  });
});
