/**
 * The shared state of the processes, in memory. With REDIS_URL also in that Redis, with two applications.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type App, createApp } from "./app.ts";
import { SettingsError, settingsFrom } from "./settings.ts";
import { share } from "./shared.ts";
import type { Task } from "./tasks/task.ts";

const redisUrl = process.env["REDIS_URL"] || undefined;
const stop = async ({ app, beans }: App): Promise<void> => {
  await app.stop();
  await beans.close();
};

describe("the application", () => {
  let running: App;
  before(async () => {
    running = await createApp({ redisUrl, log: () => undefined });
    await running.app.start(0);
  });
  after(() => stop(running));

  it("counts the visits of a browser", async () => {
    const first = await running.app.request("/visits");
    const [cookie = ""] = first.headers.getSetCookie()[0]?.split(";") ?? [];
    const second = await running.app.request("/visits", { headers: { cookie } });
    assert.deepEqual([await first.json(), await second.json()], [{ visits: 1 }, { visits: 2 }]);
  });

  it("limits a client's requests, and sends the change of a task as an event", async () => {
    const leaving = new AbortController();
    const events = await fetch(`${running.app.url}/events`, { signal: leaving.signal });
    assert.match(events.headers.get("RateLimit") ?? "", /^"default";r=\d+/);
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    const told = reader?.read();
    const init = { method: "POST", body: '{"title":"Buy milk"}', headers: { "Content-Type": "application/json" } };
    let isTold = false;
    void told?.then(() => (isTold = true));
    for (; !isTold; await setTimeout(20)) await (await fetch(`${running.app.url}/tasks`, init)).arrayBuffer();
    // {{if work}}
    assert.match((await told)?.value ?? "", /data: saved [\w-]+\n/);
    // {{else}}
    assert.match((await told)?.value ?? "", /data: POST \/tasks\n/);
    // {{end}}
    leaving.abort();
    await reader?.cancel().catch(() => undefined);
  });

  it(
    "finds the task and the session of another process",
    { skip: redisUrl === undefined && "no REDIS_URL" },
    async () => {
      const other = await createApp({ redisUrl, log: () => undefined });
      const init = { method: "POST", body: '{"title":"Buy oats"}', headers: { "Content-Type": "application/json" } };
      const task = (await (await running.app.request("/tasks", init)).json()) as Task;
      assert.deepEqual(await (await other.app.request(`/tasks/${task.id}`)).json(), task);
      const change = { ...init, method: "PATCH", body: '{"done":true}' };
      assert.equal((await other.app.request(`/tasks/${task.id}`, change)).status, 200);
      const list = (await (await running.app.request("/tasks")).json()) as Task[];
      assert.deepEqual(
        list.filter(({ id }) => id === task.id),
        [{ ...task, done: true }],
      );
      assert.equal((await other.app.request(`/tasks/${task.id}`, { method: "DELETE" })).status, 204);
      assert.equal((await running.app.request(`/tasks/${task.id}`, { method: "DELETE" })).status, 404);
      await stop(other);
    },
  );
});

describe("share", () => {
  it("reports in one line that its state is in this process alone", async () => {
    const lines: string[] = [];
    await (await share(undefined, (line) => void lines.push(line))).close();
    assert.deepEqual(lines, [
      "REDIS_URL is not set: sessions, limits, messages and tasks are those of this process alone",
    ]);
  });
});

describe("settingsFrom", () => {
  it("reads the number of proxies, by which the rate limit knows a client", async () => {
    assert.deepEqual([settingsFrom({}).proxies, settingsFrom({ PROXIES: "1" }).proxies], [0, 1]);
    assert.throws(() => settingsFrom({ PROXIES: "yes" }), SettingsError);
    const { app, beans } = await createApp({ proxies: 1, log: () => undefined });
    const left = async (client: string): Promise<string | undefined> => {
      const response = await app.fetch(
        new Request("http://localhost/tasks", { headers: { "x-forwarded-for": client } }),
        { peerAddress: "10.0.0.1" },
      );
      return /r=(\d+)/.exec(response.headers.get("RateLimit") ?? "")?.[1];
    };
    assert.deepEqual(
      [await left("192.0.2.1"), await left("192.0.2.1"), await left("192.0.2.2")],
      ["599", "598", "599"],
    );
    await app.stop();
    await beans.close();
  });

  it("reads the URL of a Redis, and needs one in production", () => {
    assert.equal(settingsFrom({ REDIS_URL: "redis://localhost:6379" }).redisUrl, "redis://localhost:6379");
    assert.equal(settingsFrom({}).redisUrl, undefined);
    for (const env of [{ NODE_ENV: "production" }, { REDIS_URL: "http://localhost" }, { REDIS_URL: "localhost:6379" }])
      assert.throws(() => settingsFrom(env), SettingsError);
  });
});
