import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type App, createApp } from "./app.ts";
import { SettingsError, settingsFrom } from "./settings.ts";
import type { Task } from "./tasks/task.ts";

const lines: string[] = [];
let running: App;

before(async () => {
  running = await createApp({ jsonLog: true, log: (line) => void lines.push(line) });
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

describe("the task routes", () => {
  it("add, show, change, list and remove a task", async () => {
    const added = await call("POST", "/tasks", { title: "Buy milk" });
    const task = (await added.json()) as Task;
    assert.deepEqual([added.status, added.headers.get("Location")], [201, `/tasks/${task.id}`]);
    const changed = await call("PATCH", `/tasks/${task.id}`, { done: true });
    assert.deepEqual(await changed.json(), { id: task.id, title: "Buy milk", done: true });
    assert.deepEqual(await (await call("GET", `/tasks/${task.id}`)).json(), {
      id: task.id,
      title: "Buy milk",
      done: true,
    });
    assert.deepEqual(await (await call("GET", "/tasks")).json(), [{ id: task.id, title: "Buy milk", done: true }]);
    assert.equal((await call("DELETE", `/tasks/${task.id}`)).status, 204);
    assert.equal((await call("GET", `/tasks/${task.id}`)).status, 404);
  });

  it("reject an invalid task, naming each mistake", async () => {
    const rejected = await call("POST", "/tasks", { title: "", done: 1 });
    const { errors } = (await rejected.json()) as { errors: { path: unknown[] }[] };
    assert.deepEqual([rejected.status, errors.map(({ path }) => path)], [422, [["title"], ["done"]]]);
    assert.equal((await call("POST", "/tasks", {})).status, 422);
    assert.equal((await call("POST", "/tasks", { title: "Buy milk", colour: "red" })).status, 422);
  });

  it("respond with 404 to a change or a removal of an unknown task", async () => {
    assert.equal((await call("PATCH", "/tasks/none", { done: true })).status, 404);
    assert.equal((await call("DELETE", "/tasks/none")).status, 404);
  });
});

describe("operations", () => {
  it("report that all is well", async () => {
    assert.deepEqual(await (await call("GET", "/health")).json(), { status: "UP", checks: { tasks: "UP" } });
    assert.deepEqual(await (await call("GET", "/health/ready")).json(), { status: "UP", checks: { tasks: "UP" } });
    assert.deepEqual(await (await call("GET", "/health/live")).json(), { status: "UP", checks: {} });
  });

  it("include the client's request id in the response and the log", async () => {
    const response = await fetch(`${running.app.url}/tasks`, { headers: { "X-Request-Id": "test-1" } });
    await response.arrayBuffer();
    assert.equal(response.headers.get("X-Request-Id"), "test-1");
    assert.equal(lines.filter((line) => line.includes('"test-1"')).length, 1);
  });

  it("log as text, unless JSON is set", async () => {
    const texts: string[] = [];
    const { app, beans } = await createApp({ log: (line) => void texts.push(line) });
    await (await app.fetch(new Request("http://localhost/tasks"))).arrayBuffer();
    await beans.close();
    assert.match(texts.join(), /^GET \/tasks 200 \d+us$/);
  });

  it("document every route of the tasks", async () => {
    const { paths } = (await (await call("GET", "/openapi.json")).json()) as { paths: Record<string, object> };
    assert.deepEqual(Object.keys(paths["/tasks"] ?? {}).sort(), ["get", "post"]);
    assert.deepEqual(Object.keys(paths["/tasks/{id}"] ?? {}).sort(), ["delete", "get", "patch"]);
  });

  it("show the document to clients with the token, if one is set", async () => {
    const { app, beans } = await createApp({ opsToken: "the-token", log: () => undefined });
    const statuses = async (headers: Record<string, string>): Promise<readonly number[]> => {
      const paths = ["/openapi.json", "/tasks"];
      return Promise.all(
        paths.map(async (path) => (await app.fetch(new Request(`http://localhost${path}`, { headers }))).status),
      );
    };
    assert.deepEqual(await statuses({}), [401, 200]);
    assert.deepEqual(await statuses({ Authorization: "Bearer guessed" }), [401, 200]);
    assert.deepEqual(await statuses({ Authorization: "Bearer the-token" }), [200, 200]);
    await app.stop();
    await beans.close();
  });

  it("hide the document in production, unless a token is set", () => {
    const token = (env: NodeJS.ProcessEnv): string | undefined => settingsFrom(env).opsToken;
    // {{if pg}}
    const production = { NODE_ENV: "production", REDIS_URL: "redis://localhost", DATABASE_URL: "postgres://localhost" };
    // {{else}}
    const production = { NODE_ENV: "production", REDIS_URL: "redis://localhost" };
    // {{end}}
    assert.equal(token({}), undefined);
    assert.notEqual(token(production), undefined);
    assert.notEqual(token(production), token(production));
    assert.equal(token({ ...production, OPS_TOKEN: "the-token" }), "the-token");
    assert.throws(() => token({ OPS_TOKEN: "two words" }), SettingsError);
  });

  it("listen for this machine alone, and in production for all", () => {
    const host = (env: NodeJS.ProcessEnv): string | undefined => settingsFrom(env).host;
    // {{if pg}}
    const production = { NODE_ENV: "production", REDIS_URL: "redis://localhost", DATABASE_URL: "postgres://localhost" };
    // {{else}}
    const production = { NODE_ENV: "production", REDIS_URL: "redis://localhost" };
    // {{end}}
    assert.deepEqual([host({}), host(production), host({ HOST: "::" })], ["127.0.0.1", undefined, "::"]);
  });

  it("send the security headers of browsers", async () => {
    assert.equal((await call("GET", "/tasks")).headers.get("X-Content-Type-Options"), "nosniff");
  });

  it("count requests by route, and show them on another port alone", async () => {
    await call("GET", "/tasks/none");
    const { status } = await call("GET", "/metrics");
    const text = await (await running.operations.request("/metrics")).text();
    assert.deepEqual([status, /route="\/tasks\/\{id\}"/.test(text)], [404, true]);
    assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
  });

  it("listen on the port that is set for the metrics", () => {
    const production = { REDIS_URL: "redis://localhost" };
    assert.equal(settingsFrom(production).metricsPort, 9_464);
    assert.equal(settingsFrom({ ...production, METRICS_PORT: "0" }).metricsPort, 0);
    assert.throws(() => settingsFrom({ ...production, METRICS_PORT: "x" }), SettingsError);
  });
});
