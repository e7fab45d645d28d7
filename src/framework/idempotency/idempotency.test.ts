/** Requests that are sent again: what runs, and what is repeated (IDEM). */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { type Context, Framework, HttpError } from "framework";
import {
  type IdempotencyOptions,
  IdempotencyMiddleware,
  idempotencyOf,
  type IdempotencyStore,
  MemoryIdempotencyStore,
} from "./index.ts";

const until = async (ready: () => boolean): Promise<void> => {
  while (!ready()) await new Promise((resolve) => void setTimeout(resolve, 1));
};

/** An app with one protected route, which counts its runs. */
function protectedBy(
  handler: (ctx: Context, run: number) => unknown = (ctx, run) => ctx.status(201).json({ run }),
  options: Partial<IdempotencyOptions> = {},
) {
  const runs = { count: 0 };
  const seen: unknown[] = [];
  const middleware = new IdempotencyMiddleware({ caller: (ctx) => ctx.header("authorization"), ...options });
  const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } })
    .observe({
      annotation: (_, name, value) => name === "idempotency" && seen.push((value as { outcome: string }).outcome),
    })
    .use(middleware)
    .post("/orders", async (ctx) => {
      runs.count += 1;
      return handler(ctx, runs.count);
    })
    .post("/other", () => "other")
    .put("/orders", () => "put");
  const send = (key: string | undefined, body = "{}", init: Record<string, string> = {}, target = "/orders") =>
    app.request(target, {
      method: "POST",
      headers: { ...(key === undefined ? {} : { "Idempotency-Key": key }), ...init },
      body,
    });
  return { app, runs, seen, send, middleware };
}
const codeOf = async (response: Response): Promise<unknown> => [
  response.status,
  ((await response.json()) as { code?: string }).code,
];

describe("IdempotencyMiddleware", () => {
  test("runs a request once, and repeats its status, headers and body", async () => {
    const { send, runs, seen } = protectedBy((ctx, run) =>
      ctx.status(201).setHeader("Location", "/orders/1").vary("Accept").setCookie("a", "b").json({ run }),
    );
    const [one, two] = [await send('"a"'), await send('"a"')];
    const shown = (response: Response): unknown => [
      response.status,
      ["content-type", "location", "vary", "idempotency-replayed", "set-cookie"].map((name) =>
        response.headers.get(name)?.slice(0, 16),
      ),
    ];
    assert.deepEqual(
      [shown(one), shown(two), await one.json(), await two.json()],
      [
        [201, ["application/json", "/orders/1", "Accept", undefined, "a=b; Path=/; Sec"]],
        [201, ["application/json", "/orders/1", "Accept", "true", undefined]],
        { run: 1 },
        { run: 1 },
      ],
    );
    assert.deepEqual([runs.count, seen], [1, ["first", "replayed"]]);
  });

  test("repeats bytes, a response without content, and an error", async () => {
    const kinds: Record<string, (ctx: Context) => unknown> = {
      bytes: (ctx) => ctx.setHeader("Content-Type", "image/png").send(Uint8Array.of(0, 255, 128)),
      nothing: (ctx) => void ctx.reply(204),
      error: () => Promise.reject(new HttpError(402, "declined")),
    };
    for (const [kind, handler] of Object.entries(kinds)) {
      const { send, runs } = protectedBy(handler);
      const [one, two] = [await send('"a"'), await send('"a"')];
      assert.deepEqual(
        [one.status, one.headers.get("content-type"), new Uint8Array(await one.arrayBuffer()), 1],
        [two.status, two.headers.get("content-type"), new Uint8Array(await two.arrayBuffer()), runs.count],
        kind,
      );
    }
  });

  test("responds 409 while the first runs, 422 to another payload, type, target, and 400 to a malformed key", async () => {
    let finish = (): void => undefined;
    const { send, runs, seen } = protectedBy(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return "done";
    });
    const first = send('"a"');
    await until(() => runs.count === 1);
    const conflict = await send('"a"');
    assert.deepEqual(
      [await codeOf(conflict.clone()), conflict.headers.get("retry-after")],
      [[409, "idempotency_in_progress"], "1"],
    );
    for (const other of [
      send('"a"', "{ }"),
      send('"a"', "{}", { "Content-Type": "text/html" }),
      send('"a"', "{}", {}, "/other"),
      send('"a"', "{}", {}, "/orders?x"),
    ])
      assert.deepEqual(await codeOf(await other), [422, "idempotency_key_reused"]);
    finish();
    assert.equal(await (await first).text(), "done");
    for (const key of ["a", '""', '"a', '"a", "b"', '"\u00e4"', `"${"x".repeat(256)}"`, '"a\\b"', ""])
      assert.deepEqual(await codeOf(await send(key)), [400, "idempotency_key_invalid"], key);
    assert.deepEqual([runs.count, seen.slice(0, 3)], [1, ["first", "conflict", "reused"]]);
  });

  test("requires a key if it is told to, and only for its methods", async () => {
    const { send, app, seen } = protectedBy(() => "ok", { required: true });
    assert.deepEqual(await codeOf(await send(undefined)), [400, "idempotency_key_missing"]);
    assert.equal((await app.request("/orders", { method: "PUT" })).status, 200);
    assert.deepEqual(seen, ["missing"]);
    const without = protectedBy();
    for (let at = 0; at < 2; at += 1) assert.equal((await without.send(undefined)).status, 201);
    assert.equal(without.runs.count, 2);
  });

  test("gives no caller the response of another, whatever the parts of their keys", async () => {
    const { send, runs } = protectedBy();
    const pairs = [
      ["x", '"a"'],
      ["y", '"a"'],
      ["x,a", '"a"'],
      ['x","a', '"a"'],
      ["x", '"a\\",\\"a"'],
      [undefined, '"x"'],
      [undefined, '"a"'],
    ] as const;
    for (const [caller, key] of pairs) {
      const response = await send(key, "{}", caller === undefined ? {} : { Authorization: caller });
      assert.equal(response.headers.get("idempotency-replayed"), null);
    }
    assert.equal(runs.count, pairs.length);
    const wrong = protectedBy(undefined, { caller: (() => 7) as never });
    assert.deepEqual([(await wrong.send('"a"')).status, wrong.runs.count], [500, 0]);
  });

  test("runs again after a failure of the server or a transient status, and keeps what it is told to", async () => {
    for (const [status, more, expected] of [
      [500, {}, 2],
      [503, {}, 2],
      [429, {}, 2],
      [404, {}, 1],
      [404, { keeps: () => false }, 2],
      [500, { keeps: () => true }, 1],
    ] as const) {
      const { send, runs } = protectedBy(() => Promise.reject(new HttpError(status, "no")), more);
      const statuses = [(await send('"a"')).status, (await send('"a"')).status];
      assert.deepEqual([statuses, runs.count], [[status, status], expected]);
    }
  });

  test("has no second effect after a response that it cannot keep", async () => {
    const large = protectedBy(() => "x".repeat(2_000), { maxResponseBytes: 1_000 });
    const streamed = protectedBy(async function* () {
      yield "a";
    });
    const events = protectedBy((ctx) => ctx.sse().close() as undefined);
    for (const { send, runs } of [large, streamed, events]) {
      assert.equal((await (await send('"a"')).text()).length > -1, true);
      const again = async (): Promise<Response> => send('"a"');
      let response = await again();
      while ((await response.clone().text()).includes("idempotency_in_progress")) response = await again();
      assert.deepEqual([await codeOf(response), runs.count], [[409, "idempotency_response_lost"], 1]);
    }
  });

  test("keeps the outcome of a request whose client has left", async () => {
    let finish = (): void => undefined;
    let aborted: boolean | undefined;
    const { app, runs, send } = protectedBy(async (ctx) => {
      const { signal } = ctx;
      await new Promise<void>((resolve) => (finish = resolve));
      aborted = signal.aborted;
      return { run: 1 };
    });
    await app.start(0);
    try {
      const socket = connect(app.port);
      socket.write(
        'POST /orders HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain;charset=UTF-8\r\nIdempotency-Key: "a"\r\nContent-Length: 2\r\n\r\n{}',
      );
      await until(() => runs.count === 1);
      socket.destroy();
      await new Promise((resolve) => void setTimeout(resolve, 20));
      finish();
      let again = await send('"a"');
      while (again.status === 409) again = await send('"a"');
      assert.deepEqual([await again.json(), runs.count, aborted], [{ run: 1 }, 1, false]);
    } finally {
      await app.stop();
    }
  });

  test("keeps the key of a chain that goes on after its client got 503 for its time", async () => {
    let finish: (error?: Error) => void = () => undefined;
    const slow = () =>
      new Promise<string>((resolve, reject) => (finish = (error) => (error ? reject(error) : resolve("done"))));
    for (const [error, last] of [
      [undefined, [409, "idempotency_response_lost"]],
      [new Error("failed"), [503, "HANDLER_TIMEOUT"]],
    ] as const) {
      const late = Framework.create({
        timeouts: { handlerMs: 150 },
        logger: { error: () => undefined, warn: () => undefined },
      })
        .use(new IdempotencyMiddleware({ caller: () => "one" }))
        .post("/", slow);
      const send = () => late.request("/", { method: "POST", headers: { "Idempotency-Key": '"a"' } });
      assert.equal((await send()).status, 503);
      assert.deepEqual(await codeOf(await send()), [409, "idempotency_in_progress"]);
      finish(error);
      let again = await codeOf(await send());
      while (String(again) === "409,idempotency_in_progress") again = await codeOf(await send());
      assert.deepEqual(again, last);
      finish();
    }
  });

  test("responds 503 without an effect while its store is away, and sends a response that it could not keep", async () => {
    const memory = new MemoryIdempotencyStore();
    let failing: string | undefined = "begin";
    const store = new Proxy(memory, {
      get: (target, name) =>
        name === failing
          ? () => (failing === "renew" ? Promise.reject(new Error("away")) : new Promise(() => undefined))
          : (Reflect.get(target, name) as (...args: unknown[]) => unknown).bind?.(target),
    }) as IdempotencyStore;
    const { send, runs, middleware, seen } = protectedBy(() => "ok", { store, storeTimeoutMs: 20 });
    const response = await send('"a"');
    assert.deepEqual(
      [await codeOf(response.clone()), response.headers.get("retry-after"), runs.count, middleware.faults],
      [[503, "idempotency_unavailable"], "1", 0, 1],
    );
    failing = "finish";
    assert.equal(await (await send('"a"')).text(), "ok");
    assert.deepEqual([runs.count, middleware.faults, seen], [1, 4, ["unavailable", "first"]]);
    failing = undefined;
    assert.deepEqual(await codeOf(await send('"a"')), [409, "idempotency_in_progress"]);
  });

  test("renews its lease while it runs, and reports that another attempt has taken its key", async () => {
    const memory = new MemoryIdempotencyStore();
    const { send, runs, middleware } = protectedBy(
      async () => {
        const before = runs.count;
        if (before === 1) await new Promise((resolve) => void setTimeout(resolve, 100));
        return String(before);
      },
      { store: memory, leaseMs: 30 },
    );
    const first = send('"a"');
    await new Promise((resolve) => void setTimeout(resolve, 60));
    assert.equal((await send('"a"')).status, 409);
    assert.equal(await (await first).text(), "1");
    assert.equal(middleware.faults, 0);
    const lost = protectedBy(() => "late", {
      store: Object.assign(new MemoryIdempotencyStore(), { finish: async () => false }),
    });
    assert.equal(await (await lost.send('"a"')).text(), "late");
    assert.equal(lost.middleware.faults, 1);
  });

  test("names the invalid option", () => {
    const caller = (): undefined => undefined;
    for (const options of [
      {},
      { caller: "id" },
      { caller, store: {} },
      { caller, required: 1 },
      { caller, keeps: 1 },
      { caller, methods: ["post"] },
      { caller, ttlMs: 0 },
      { caller, leaseMs: 1.5 },
      { caller, unknown: 1 },
    ])
      assert.throws(() => new IdempotencyMiddleware(options as never), { code: "IDEMPOTENCY" });
  });
});

describe("idempotencyOf", () => {
  test("is the key of a request, and says whether its response is a kept one", async () => {
    const seen: unknown[] = [];
    const { app, send } = protectedBy((ctx) => ({ key: idempotencyOf(ctx)?.key }));
    app.onResponse((ctx) => void seen.push(idempotencyOf(ctx)?.isReplay));
    assert.deepEqual(
      [await (await send('"a \\"b\\\\"')).json(), (await send('"a \\"b\\\\"')).status],
      [{ key: 'a "b\\' }, 200],
    );
    await send(undefined);
    assert.deepEqual(seen, [false, true, undefined]);
  });

  test("commits only in a store that has transactions, a status, and a value with a JSON form", async () => {
    const codes: unknown[] = [];
    const commit = (store?: object) =>
      protectedBy(
        async (ctx) => {
          for (const [status, value] of [
            [200, {}],
            [99, {}],
            [200, () => undefined],
          ] as const)
            await idempotencyOf(ctx)
              ?.commit({}, status, value)
              .catch((error: { code: string }) => codes.push(error.code));
          return "ok";
        },
        store === undefined ? {} : { store: Object.assign(new MemoryIdempotencyStore(), store) },
      ).send('"a"');
    await commit();
    assert.deepEqual(codes, ["IDEMPOTENCY", "IDEMPOTENCY", "IDEMPOTENCY"]);
    codes.length = 0;
    await commit({ commit: async () => false });
    assert.deepEqual(codes, ["IDEMPOTENCY_LOST", "IDEMPOTENCY", "IDEMPOTENCY"]);
  });
});
