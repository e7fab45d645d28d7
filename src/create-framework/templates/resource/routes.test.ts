import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type App, createApp } from "../app.ts";
import type { __Type__ } from "./__file__.ts";

let running: App;

before(async () => {
  running = await createApp({ log: () => undefined });
  await running.app.start(0);
});
after(async () => {
  await running.app.stop();
  await running.beans.close();
});

function call(method: string, path: string, body?: unknown): Promise<Response> {
  const content =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return fetch(`${running.app.url}${path}`, { method, ...content });
}

describe("the routes of __path__", () => {
  it("add, show, replace, list and remove", async () => {
    const added = await call("POST", "__path__", { name: "First" });
    const { id } = (await added.json()) as __Type__;
    assert.deepEqual([added.status, added.headers.get("Location")], [201, `__path__/${id}`]);
    const replaced = await call("PUT", `__path__/${id}`, { name: "Changed" });
    assert.deepEqual(await replaced.json(), { id, name: "Changed" });
    assert.deepEqual(await (await call("GET", `__path__/${id}`)).json(), { id, name: "Changed" });
    assert.deepEqual(await (await call("GET", "__path__")).json(), [{ id, name: "Changed" }]);
    assert.equal((await call("DELETE", `__path__/${id}`)).status, 204);
    assert.equal((await call("GET", `__path__/${id}`)).status, 404);
  });

  it("reject an invalid body, naming each mistake", async () => {
    const rejected = await call("POST", "__path__", { name: "" });
    const { errors } = (await rejected.json()) as { errors: { path: unknown[] }[] };
    assert.deepEqual([rejected.status, errors.map(({ path }) => path)], [422, [["name"]]]);
    assert.equal((await call("POST", "__path__", {})).status, 422);
    assert.equal((await call("POST", "__path__", { name: "First", colour: "red" })).status, 422);
  });

  it("respond with 404 to a replacement or a removal of an unknown id", async () => {
    assert.equal((await call("PUT", "__path__/none", { name: "First" })).status, 404);
    assert.equal((await call("DELETE", "__path__/none")).status, 404);
  });
});
