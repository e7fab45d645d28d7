/** The engine of docs/engines.md serves an app, and the guide shows exactly this file. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Framework } from "framework";
import { MemoryEngine } from "./memory-engine.ts";

const file = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

async function serving(use: (engine: MemoryEngine) => Promise<void>): Promise<void> {
  const engine = new MemoryEngine();
  const app = Framework.create({ engine, maxBodyBytes: 10, logger: { error: () => undefined } })
    .get("/hello/{name}", (ctx) => `Hello, ${ctx.pathParam("name")}!`)
    .query("/search", async (ctx) => ctx.json({ found: await ctx.body() }))
    .post("/stream", (ctx) => ctx.send(ctx.bodyAsStream()))
    .get("/events", (ctx) => ctx.sse(events()))
    .get("/torn", () => torn());
  await assert.rejects(engine.ask({ method: "GET", target: "/" }), /not started/);
  await app.start(0);
  try {
    await use(engine);
  } finally {
    await app.stop();
  }
}

async function* events(): AsyncGenerator<string> {
  yield "one";
  yield "two";
}

async function* torn(): AsyncGenerator<string> {
  yield "begun";
  throw new Error("broken");
}

const json = { "content-type": "application/json" };

describe("MemoryEngine", () => {
  test("serves whole responses, bodies, streams and events", () =>
    serving(async (engine) => {
      const ask = async (method: string, target: string, body = ""): Promise<readonly [number, string]> => {
        const response = await engine.ask({ method, target, headers: json, body });
        return [response.status, response.body];
      };
      assert.deepEqual(await ask("GET", "/hello/you?x=1"), [200, "Hello, you!"]);
      assert.deepEqual(await ask("HEAD", "/hello/you"), [200, ""]);
      assert.deepEqual(await ask("OPTIONS", "/hello/you"), [204, ""]);
      assert.deepEqual(await ask("QUERY", "/search", '{"q":1}'), [200, '{"found":{"q":1}}']);
      assert.equal((await ask("QUERY", "/search", '{"q":"long"}'))[0], 413);
      assert.deepEqual(await ask("POST", "/stream", "in"), [200, "in"]);
      assert.deepEqual(await ask("GET", "/events"), [200, "data: one\n\ndata: two\n\n"]);
      assert.equal((await ask("GET", "/none"))[0], 404);
      await assert.rejects(ask("GET", "/torn"), /cut short/);
    }));
});

describe("docs/engines.md", () => {
  test("shows the engine as it is tested", () => {
    assert.ok(
      file("docs/engines.md").includes(
        `\`\`\`ts file=memory-engine.ts\n${file("examples/engine/memory-engine.ts")}\`\`\`\n`,
      ),
    );
  });
});
