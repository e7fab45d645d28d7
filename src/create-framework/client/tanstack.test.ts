/**
 * Tests the options of TanStack Query with the library itself: keys, data, signals, streams and types.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { MutationObserver, QueryClient, QueryObserver } from "@tanstack/query-core";
import { sources } from "../harness.testkit.ts";
import { compiled, documentOf, imported, jsonResponse } from "./harness.testkit.ts";
import { readRuntime } from "./runtime.ts";
import { writeTanStack } from "./tanstack.ts";
import { writeClient } from "./write.ts";

const text = { type: "string" };
const item = { type: "object", required: ["id"], properties: { id: text } };
const json = (schema: object): object => ({ content: { "application/json": { schema } } });
const ok = { 200: json(item), 404: json({ const: "missing" }) };
const id = [{ name: "id", in: "path", schema: text }];
const event = { properties: { event: { const: "tick" }, data: text } };
const ticks = { 200: { content: { "text/event-stream": { itemSchema: event } } } };
const document = documentOf({
  "/items": {
    query: { operationId: "find", requestBody: { ...json(item), required: true }, responses: ok },
    post: { operationId: "add", requestBody: { ...json(item), required: true }, responses: ok },
  },
  "/items/{id}": {
    get: { operationId: "read", parameters: id, responses: ok },
    delete: { operationId: "remove", parameters: id, responses: { 204: { description: "" } } },
  },
  "/empty": { get: { operationId: "empty", responses: { 204: { description: "" } } } },
  "/ticks": { get: { operationId: "ticks", responses: ticks }, post: { operationId: "postTicks", responses: ticks } },
});
const { text: client, calls } = writeClient(document, readRuntime(join(sources, "create-framework")));
const core = { name: "@tanstack/query-core", hasStreams: true };
const files = { "client.ts": client, "queries.ts": writeTanStack(calls, "./client.ts", core).text };

interface Query {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: object) => Promise<unknown>;
}
interface Options {
  find(input: object): Query;
  read(input: object): Query;
  empty(): Query;
  ticks(input?: object): Query;
  add(): { readonly mutationKey: readonly string[]; readonly mutationFn: (input: object) => Promise<unknown> };
  remove(): { readonly mutationFn: (input: object) => Promise<unknown> };
}

/** The options of a client with that service. */
async function served(fetch: (request: Request) => Promise<Response>): Promise<Options> {
  const entry = 'export * from "./client.ts";\nexport * from "./queries.ts";\n';
  const module = await imported<{ createClient(options: object): object; createQueries(client: object): Options }>(
    { ...files, "entry.ts": entry },
    "entry.ts",
  );
  return module.createQueries(module.createClient({ baseUrl: "http://test", fetch }));
}

describe("the options of TanStack Query", () => {
  it("read by a key of the input, and have the body of a success, `null` if it is empty", async () => {
    const seen: string[] = [];
    const queries = await served(async (request) => {
      seen.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
      if (request.url.endsWith("/empty")) return new Response(null, { status: 204 });
      return request.url.endsWith("none") ? jsonResponse(404, "missing") : jsonResponse(200, { id: "a" });
    });
    const cache = new QueryClient();
    const found = queries.find({ body: { id: "a" }, signal: undefined, timeoutMs: 1000 });
    assert.deepEqual(found.queryKey, ["find", { body: { id: "a" } }]);
    assert.deepEqual(await cache.fetchQuery(found), { id: "a" });
    assert.deepEqual(await cache.fetchQuery({ ...found, staleTime: Infinity }), { id: "a" });
    assert.equal(await cache.fetchQuery(queries.empty()), null);
    await assert.rejects(cache.fetchQuery(queries.read({ params: { id: "none" } })), {
      name: "FailedResponseError",
      message: "the service responded with 404",
    });
    assert.deepEqual(seen, ['QUERY /items {"id":"a"}', "GET /empty ", "GET /items/none "]);
    cache.clear();
  });

  it("write as mutations", async () => {
    const queries = await served(async ({ method }) =>
      method === "DELETE" ? new Response(null, { status: 204 }) : jsonResponse(200, { id: "new" }),
    );
    const cache = new QueryClient();
    assert.deepEqual(queries.add().mutationKey, ["add"]);
    assert.deepEqual(await new MutationObserver(cache, queries.add()).mutate({ body: { id: "b" } }), { id: "new" });
    assert.equal(await new MutationObserver(cache, queries.remove()).mutate({ params: { id: "b" } }), null);
    cache.clear();
  });

  it("end a request that nothing observes any more", async () => {
    const signals: AbortSignal[] = [];
    let requested = (): void => undefined;
    const request = new Promise<void>((resolve) => {
      requested = resolve;
    });
    const queries = await served(({ signal }) => {
      signals.push(signal);
      requested();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    const cache = new QueryClient();
    const stop = new QueryObserver(cache, queries.read({ params: { id: "a" } })).subscribe(() => undefined);
    await request;
    stop();
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    );
    cache.clear();
  });

  it("keep the newest events of a stream, and end it", async () => {
    const events = Array.from({ length: 1003 }, (_, at) => `event: tick\ndata: ${at}\n\n`);
    const queries = await served(
      async () => new Response(events.join(""), { headers: { "Content-Type": "text/event-stream" } }),
    );
    const cache = new QueryClient();
    const data = (await cache.fetchQuery(queries.ticks({ reconnect: false }))) as { readonly data: string }[];
    assert.deepEqual([data.length, data[0], data.at(-1)?.data], [1000, { event: "tick", data: "3", id: "" }, "1002"]);
    cache.clear();
  });

  it("have types that compile, with streams only where the library has them", async () => {
    const caller = `import { QueryClient, QueryObserver, MutationObserver } from "@tanstack/query-core";
import { createClient } from "./client.ts";
import { createQueries } from "./queries.ts";
const cache = new QueryClient();
const queries = createQueries(createClient({ baseUrl: "" }));
export async function use(): Promise<string> {
  const one = await cache.fetchQuery(queries.find({ body: { id: "a" } }));
  const known = cache.getQueryData(queries.read({ params: { id: "a" } }).queryKey);
  const events = new QueryObserver(cache, queries.ticks()).getCurrentResult().data;
  await new MutationObserver(cache, queries.add()).mutate({ body: one });
  await new MutationObserver(cache, queries.add()).mutate({});
  const name: number = one.id;
  return (known?.id ?? "") + (events?.[0]?.event ?? "") + name;
}
`;
    const { errors } = await compiled({ ...files, "caller.ts": caller });
    assert.deepEqual(
      errors.map((line) => /^(\w+\.ts)\((\d+),.*error (TS\d+)/.exec(line)?.slice(1)),
      [
        ["caller.ts", "11", "TS2741"],
        ["caller.ts", "12", "TS2322"],
      ],
      errors.join("\n"),
    );
    const older = writeTanStack(calls, "./client.ts", { ...core, hasStreams: false });
    assert.deepEqual(older.leftOut, [
      "left out for TanStack Query: GET /ticks, which is no query that it can read",
      "left out for TanStack Query: POST /ticks, which is no query that it can read",
    ]);
    assert.deepEqual((await compiled({ ...files, "queries.ts": older.text })).errors, []);
    for (const few of [[], calls.filter(({ name }) => name === "ticks"), calls.filter(({ name }) => name === "add")])
      assert.deepEqual(
        (await compiled({ ...files, "queries.ts": writeTanStack(few, "./client.ts", core).text })).errors,
        [],
      );
  });
});
