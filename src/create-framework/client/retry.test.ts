/**
 * Tests how often a call sends its request, how long it waits, and what it says about an undocumented response.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientOf, documentOf, loaded, type Loaded } from "./harness.testkit.ts";

const none = { 204: { description: "" }, 429: { description: "" } };
const methods = ["get", "head", "options", "put", "delete", "query", "post", "patch"];
const document = documentOf({
  "/": Object.fromEntries(methods.map((method) => [method, { operationId: method, responses: none }])),
});
type Client = ReturnType<Loaded["createClient"]>;

/** A client whose requests get these in turn, and then a 204. */
async function answered(
  options: object,
  ...responses: readonly (Response | Error)[]
): Promise<{ client: Client; sent: Request[] }> {
  const sent: Request[] = [];
  const waiting = [...responses];
  const fetch = async (request: Request): Promise<Response> => {
    sent.push(request);
    const next = waiting.shift() ?? new Response(null, { status: 204 });
    if (next instanceof Error) throw next;
    return next;
  };
  const { createClient } = await loaded(clientOf(document));
  return { client: createClient({ baseUrl: "http://test", fetch, ...options }), sent };
}

const busy = (status: number, after = "0"): Response =>
  new Response("busy", { status, headers: { "Retry-After": after } });
/** A date of HTTP has whole seconds. */
const dateIn = (ms: number): string => new Date(Date.now() + ms).toUTCString();

describe("a call that is repeated", () => {
  for (const method of methods)
    it(`sends ${method.toUpperCase()} ${/post|patch/.test(method) ? "once" : "up to three times"}`, async () => {
      const { client, sent } = await answered({}, busy(429), busy(429), busy(429));
      assert.equal((await client[method]?.())?.["status"], 429);
      assert.equal(sent.length, /post|patch/.test(method) ? 1 : 3);
    });

  it("sends it again after 503 and an error of the network, and no other", async () => {
    const { client, sent } = await answered({}, busy(503), new TypeError("reset"));
    assert.equal((await client["get"]?.())?.["status"], 204);
    assert.equal(sent.length, 3);
    const hooked = await answered({ onResponse: () => Promise.reject(new TypeError("of the hook")) });
    await assert.rejects(async () => hooked.client["get"]?.(), { message: "of the hook" });
    assert.equal(hooked.sent.length, 1);
    const other = await answered({}, busy(500), new Error("of the hook"));
    await assert.rejects(async () => other.client["get"]?.(), { name: "UnexpectedResponseError", status: 500 });
    await assert.rejects(async () => other.client["get"]?.(), { message: "of the hook" });
    assert.equal(other.sent.length, 2);
  });

  it("has limits by the client and by the call", async () => {
    const three = (): Response[] => [busy(429), busy(429), busy(429), busy(429), busy(429)];
    const cases: readonly (readonly [client: object, call: object, method: string, count: number])[] = [
      [{ retry: false }, {}, "get", 1],
      [{}, { retry: false }, "get", 1],
      [{ retry: false }, { retry: true }, "post", 3],
      [{ retry: { attempts: 5 } }, {}, "get", 5],
      [{ retry: { attempts: 2 } }, { retry: true }, "post", 2],
      [{ retry: { attempts: 2 } }, { retry: { attempts: 4 } }, "get", 4],
      [{ retry: { attempts: 2 } }, { retry: { attempts: 4 } }, "post", 1],
    ];
    const counts: number[] = [];
    for (const [options, call, method] of cases) {
      const { client, sent } = await answered(options, ...three());
      await client[method]?.(call);
      counts.push(sent.length);
    }
    assert.deepEqual(
      counts,
      cases.map(([, , , count]) => count),
    );
  });

  it("waits as long as Retry-After says, in seconds or until a date, if that is within the limit", async () => {
    for (const askedAt of [() => "1", () => dateIn(2000)]) {
      const after = askedAt();
      const { client, sent } = await answered({}, busy(503, after));
      const before = performance.now();
      assert.equal((await client["get"]?.())?.["status"], 204);
      const waited = performance.now() - before;
      assert.ok(waited >= 990 && waited < 4000, `${waited} ms for ${after}`);
      assert.equal(sent.length, 2);
    }
    for (const after of ["31", dateIn(60_000)]) {
      const { client, sent } = await answered({}, busy(429, after));
      assert.equal((await client["get"]?.())?.["status"], 429);
      assert.equal(sent.length, 1);
    }
    const short = await answered({ retry: { maxWaitMs: 100 } }, new TypeError("reset"));
    await assert.rejects(async () => short.client["get"]?.(), { message: "reset" });
  });

  it("ends its wait if it is aborted or too late", async () => {
    const { client } = await answered({}, busy(503, "20"), busy(503, "20"));
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error("enough")));
    await assert.rejects(async () => client["get"]?.({ signal: controller.signal }), { message: "enough" });
    await assert.rejects(async () => client["get"]?.({ timeoutMs: 20, signal: new AbortController().signal }), {
      name: "TimeoutError",
      message: "no result after 20 ms",
    });
  });

  it("sends cookies as the client says", async () => {
    const { client, sent } = await answered({ credentials: "include" });
    await client["get"]?.();
    assert.equal(sent[0]?.credentials, "include");
  });
});

describe("an undocumented response", () => {
  it("has its status, its media type, and the first kilobyte of its body", async () => {
    let isCancelled = false;
    const bytes = new TextEncoder().encode("ü".repeat(300));
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(bytes),
      cancel: () => void (isCancelled = true),
    });
    const headers = { "Content-Type": "text/html; charset=utf-8" };
    const { client } = await answered(
      {},
      new Response(endless, { status: 502, headers }),
      new Response(null, { status: 500 }),
    );
    await assert.rejects(
      async () => client["get"]?.(),
      (error: { status: number; mediaType: string; excerpt: string; message: string }) => {
        assert.deepEqual([error.status, error.mediaType, error.excerpt], [502, "text/html", "ü".repeat(512)]);
        return (
          error.message === "GET /: the response is 502 text/html; charset=utf-8, which its document does not name"
        );
      },
    );
    assert.equal(isCancelled, true);
    await assert.rejects(async () => client["get"]?.(), { status: 500, mediaType: undefined, excerpt: "" });
  });

  it("has the part that came if the rest stays away", async () => {
    const slow = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("<p>")) });
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const { client } = await answered({}, new Response(slow, { status: 500 }), new Response(broken, { status: 500 }));
    await assert.rejects(async () => client["get"]?.(), { excerpt: "<p>" });
    await assert.rejects(async () => client["get"]?.(), { excerpt: "" });
  });
});
