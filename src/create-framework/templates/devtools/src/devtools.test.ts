import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { App } from "./app.ts";
import type { BeanGraph, Trace } from "@framework/devtools";
import { createWatchedApp } from "./devtools.ts";

let watched: App;

before(async () => {
  watched = await createWatchedApp({ log: () => undefined, history: false });
  await watched.app.start(0);
});
after(async () => {
  await watched.app.stop();
  await watched.beans.close();
});

async function read<T>(path: string): Promise<T> {
  return (await (await fetch(`${watched.app.url}/framework/dev/api${path}`)).json()) as T;
}

describe("createWatchedApp", () => {
  it("shows the dashboard", async () => {
    const page = await fetch(`${watched.app.url}/framework/dev`);
    await page.arrayBuffer();
    assert.deepEqual([page.status, page.headers.get("Content-Type")], [200, "text/html; charset=utf-8"]);
  });

  it("draws the beans", async () => {
    const { edges } = await read<BeanGraph>("/graph");
    const ofTasks = edges.filter(({ from }) => from.startsWith("Task"));
    assert.deepEqual(ofTasks.map(({ from, to }) => `${from} -> ${to}`).sort(), [
      "TaskController -> TaskService",
      // {{if work}}
      "TaskRepository -> Work",
      // {{end}}
      "TaskService -> TaskRepository",
    ]);
  });

  it("records the path of a request", async () => {
    const response = await fetch(`${watched.app.url}/tasks`, { headers: { "X-Framework-Dev": "test" } });
    await response.arrayBuffer();
    const traces = await read<Trace[]>("/requests");
    const calls = traces.find(({ correlationId }) => correlationId === "test")?.calls;
    assert.deepEqual(
      calls?.map(({ bean, method }) => `${bean}.${method}`),
      ["TaskController.list", "TaskService.list", "TaskRepository.list"],
    );
  });
});
