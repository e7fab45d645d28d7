/**
 * The jobs, run by the test: in `memoryWork({ manual: true })` nothing runs by itself.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { memoryWork } from "framework/work";
import { type App, createApp } from "./app.ts";
import { jobsInMemory } from "./jobs.ts";
import { SettingsError, settingsFrom } from "./settings.ts";
import type { Task } from "./tasks/task.ts";

const stop = async ({ app, beans }: App): Promise<void> => {
  await app.stop();
  await beans.close();
};

describe("a change of a task", () => {
  const engine = memoryWork({ manual: true });
  let running: App;
  before(async () => {
    running = await createApp({ jobs: jobsInMemory(engine), log: () => undefined });
    await running.app.ready();
  });
  after(() => stop(running));

  it("sends a job, which is done after the response", async () => {
    const init = { method: "POST", body: '{"title":"Buy milk"}', headers: { "Content-Type": "application/json" } };
    const { id } = (await (await running.app.request("/tasks", init)).json()) as Task;
    assert.equal((await running.app.request(`/tasks/${id}`, { method: "DELETE" })).status, 204);
    const ran = await engine.run();
    assert.deepEqual(
      ran.map(({ job, attempt, outcome }) => [job, attempt, outcome]),
      [
        ["task-changed", 1, "done"],
        ["task-changed", 1, "done"],
      ],
    );
  });
});

describe("the role", () => {
  it("web sends jobs and leaves them to a worker, which has no routes but the probes", async () => {
    const engine = memoryWork({ manual: true });
    const web = await createApp({ role: "web", jobs: jobsInMemory(engine), log: () => undefined });
    const init = { method: "POST", body: '{"title":"Buy milk"}', headers: { "Content-Type": "application/json" } };
    assert.equal((await web.app.request("/tasks", init)).status, 201);
    assert.deepEqual(await engine.run(), []);
    const worker = await createApp({ role: "worker", log: () => undefined });
    await worker.app.ready();
    const statuses = ["/health/ready", "/health/live", "/tasks"].map(async (path) => {
      const response = await worker.app.request(path);
      return response.status;
    });
    assert.deepEqual(await Promise.all(statuses), [200, 200, 404]);
    await Promise.all([stop(web), stop(worker)]);
  });

  it("is both without the variable", () => {
    const roles = [{}, { ROLE: "web" }, { ROLE: "worker" }].map((env) => settingsFrom(env).role);
    assert.deepEqual(roles, ["both", "web", "worker"]);
    assert.throws(() => settingsFrom({ ROLE: "boss" }), SettingsError);
  });
});
