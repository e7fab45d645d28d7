/**
 * The front end without a browser: its files are the ones of the document, its queries run on the examples of Mock Service Worker,
 * and its stream and its socket go on over restarts of the service.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { QueryClient } from "@tanstack/query-core";
import type { Framework } from "framework";
import { setupServer } from "msw/node";
import { WebSocket } from "ws";
import { createClient } from "./api/client.ts";
import { createHandlers } from "./api/handlers.ts";
import { createQueries } from "./api/queries.ts";
import { Board, createApp } from "./app.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const page = { html: "", script: "" };

/** A service on a port, 0 for a free one. */
async function started(board: Board, port = 0): Promise<Framework> {
  const app = createApp(board, page);
  await app.start(port);
  return app;
}

describe("the front end", () => {
  it("has the files of its document", () => {
    const folder = "examples/front-end";
    const options = ["--out", "client", "--tanstack", "queries", "--msw", "handlers"].map((word) =>
      word.startsWith("--") ? word : `${folder}/api/${word}.ts`,
    );
    const program = "src/create-framework/dist/main.js";
    const args = [program, "client", "--check", "--url", `${folder}/openapi.json`, ...options];
    assert.match(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }), /is the client of/);
  });

  it("runs its queries and mutations on the document's examples", async () => {
    const server = setupServer(...createHandlers("http://board.example"));
    server.listen({ onUnhandledRequest: "error" });
    const cache = new QueryClient();
    try {
      const queries = createQueries(createClient({ baseUrl: "http://board.example" }));
      const note = { id: 1, text: "Buy milk" };
      assert.deepEqual(await cache.fetchQuery(queries.findNotes({ body: { text: "" } })), [note]);
      assert.deepEqual(await queries.addNote().mutationFn({ body: { text: "a" } }), note);
    } finally {
      cache.clear();
      server.close();
    }
  });

  it("has each of a thousand changes once over restarts of the service", async () => {
    const board = new Board();
    let app = await started(board);
    const port = app.port ?? assert.fail();
    const client = createClient({ baseUrl: app.url ?? "" });
    const seen: number[] = [];
    try {
      const added = (async () => {
        for (let at = 1; at <= 1000; at += 1) {
          await board.add(`note ${at}`);
          if (at % 10 === 0) await new Promise(setImmediate);
          if (at % 300 !== 0) continue;
          await app.stop();
          app = await started(board, port);
        }
      })();
      for await (const { data } of client.changes()) if (seen.push(data.id) === 1000) break;
      await added;
      assert.deepEqual(
        seen,
        Array.from({ length: 1000 }, (_, at) => at + 1),
      );
      assert.equal(board.runs, 4);
    } finally {
      await app.stop();
    }
  });

  it("talks over a restart of the service", async () => {
    const board = new Board();
    const first = await started(board);
    const port = first.port ?? assert.fail();
    const socket = createClient({ baseUrl: first.url ?? "", WebSocket }).chat();
    const messages = socket[Symbol.asyncIterator]();
    socket.send({ text: "one" });
    assert.deepEqual(await messages.next(), { done: false, value: { text: "one", run: 1 } });
    await first.stop();
    const second = await started(board, port);
    try {
      const next = messages.next();
      // A message into the old connection would be lost, so it is repeated until one arrives.
      const timer = setInterval(() => socket.send({ text: "two" }), 50);
      assert.deepEqual(await next, { done: false, value: { text: "two", run: 2 } });
      clearInterval(timer);
    } finally {
      socket.close();
      await second.stop();
    }
  });
});
