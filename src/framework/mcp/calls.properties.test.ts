/** Any arguments of any tool: no response is a 500, and no handler runs without permission. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { ForbiddenError, Framework } from "../index.ts";
import { called } from "./agent.testkit.ts";
import { McpMiddleware } from "./index.ts";

/** 10,000 in `make fuzz`. */
const numRuns = Number(process.env["FC_RUNS"] ?? 200);

const errors: unknown[] = [];
const ran: string[] = [];

function attacked(): Framework {
  const app = Framework.create({ logger: { warn: () => undefined, error: (...what) => void errors.push(what) } });
  app.use("/private", (ctx, next) => {
    if (ctx.header("authorization") !== "Bearer right") throw new ForbiddenError();
    return next();
  });
  app.use(new McpMiddleware({ info: { name: "a", version: "1" } }));
  app.get("/private/{id}", { operationId: "private", tool: true }, () => void ran.push("private"));
  app.get("/{a}/{b}/{c}", { operationId: "three", tool: true }, ({ params }) => params);
  app.get(
    "/open/*path",
    { operationId: "path", tool: true, query: z.object({ q: z.string().optional() }) },
    () => "path",
  );
  app.delete("/{name}", { operationId: "one", tool: true }, () => "one");
  app.delete("/all", () => void ran.push("all"));
  app.get("/open/secret", () => void ran.push("secret"));
  app.get(
    "/tenant/{id}",
    { operationId: "tenant", tool: true, headers: z.object({ "x-tenant": z.string() }) },
    ({ input }) => input.headers,
  );
  app.post(
    "/lines/{id}",
    { operationId: "lines", tool: true, body: z.object({ n: z.number(), deep: z.unknown() }) },
    ({ input }) => input.body,
  );
  return app;
}

const names = ["private", "three", "path", "one", "tenant", "lines", "nothing"];
const keys = [
  "id",
  "a",
  "b",
  "c",
  "path",
  "q",
  "name",
  "x-tenant",
  "authorization",
  "n",
  "deep",
  "body",
  "__proto__",
  "constructor",
];
const segment = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "all",
    "secret",
    "private/1",
    "..",
    ".",
    "../private/1",
    "%2e%2e",
    "//private/1",
    "a\r\nauthorization: Bearer right",
    "\ud800",
    "\0",
    "mcp",
    "?x",
    "#",
    "\\..\\private",
  ),
);
const value = fc.oneof(segment, fc.jsonValue(), fc.array(segment), fc.double(), fc.bigInt().map(String));
const given = fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), value, { maxKeys: 8 });

describe("any call", () => {
  test("has a result or an error of the protocol, and passes no guard", async () => {
    const app = attacked();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), given, async (name, all) => {
        const { status, text, code } = await called(app, name, all);
        assert.ok(status < 500, `${name} ${JSON.stringify(all)}: ${status} ${text}`);
        assert.doesNotMatch(text, /"status":5\d\d/);
        assert.ok(code === undefined || code === -32_602, String(code));
        assert.deepEqual([ran, errors], [[], []], `${name} ${JSON.stringify(all)}`);
      }),
      { numRuns },
    );
  });
});
