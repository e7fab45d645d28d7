/**
 * Replays of difficult code: each runs nothing for real that it must not, or says why it cannot run.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, before, describe, it } from "node:test";
import { Beans, type Context, Framework, Interface } from "framework";
import { webSocket } from "framework/websocket";
import { WebSocket } from "ws";
import { Devtools, step, type ReplayPlan, type ReplayProblem, type Trace } from "../../index.ts";

interface Store {
  read(given?: unknown): unknown;
  write(given?: unknown): Promise<void>;
}
interface Watch {
  look(): unknown;
}
const Store = Interface<Store>("StoreRepository");
const Watch = Interface<Watch>("Watch");

class Point {
  constructor(fields: object) {
    Object.assign(this, fields);
  }
  get isPoint(): boolean {
    return true;
  }
}

/** The application's behaviour, to be changed between a run and its replay. */
const world = {
  real: [] as string[],
  handle: (_store: Store, _ctx: Context): unknown => undefined,
  value: (): unknown => 7,
  ignored: (): boolean => false,
  message: (_store: Store): unknown => undefined,
};

let app: Framework;

before(async () => {
  const devtools = Devtools.create({ ignore: () => world.ignored(), revive: [[Point, (shown) => new Point(shown)]] });
  const store: Store = {
    read: () => (world.real.push("read"), world.value()),
    write: async () => void world.real.push("write"),
  };
  const beans = Beans.builder()
    .bind(Store, () => store)
    .bind(Watch, () => ({ look: () => world.real.push("look") }))
    .instrument(devtools.recorder())
    .start();
  app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } });
  app.beans(beans);
  const handle = (ctx: Context): unknown => world.handle(ctx.get(Store), ctx);
  app.get("/run", handle);
  app.head("/head", handle);
  app.ws("/socket", webSocket({ message: (_socket, _data, ctx) => void world.message(ctx.get(Store)) }));
  devtools.install(app, beans);
  await app.start(0);
});
after(() => app.stop());

/** Resets the changes of an earlier test. */
function setUp(handle: typeof world.handle, value: typeof world.value = () => 7): void {
  Object.assign(world, { handle, value, ignored: () => false, real: [] });
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(app.url + path, init);
}

async function newest(): Promise<Trace> {
  const [trace] = (await (await ask("/framework/dev/api/requests")).json()) as Trace[];
  assert.ok(trace);
  return trace;
}

/** The run of a completed request. */
async function run(path = "/run", method = "GET"): Promise<Trace> {
  await (await ask(path, { method })).text();
  return newest();
}

async function replay(trace: Trace, init: RequestInit = {}): Promise<Response> {
  const key = `${trace.instance}.${trace.sequence}`;
  const response = await ask(trace.path, {
    ...init,
    method: trace.method,
    headers: { "X-Framework-Replay": `${key};beans=StoreRepository` },
  });
  return response;
}

const detailOf = async (response: Response): Promise<string> => ((await response.json()) as ReplayProblem).detail;

const hidden = /its error has data that is not shown, such as a cause$/;

/** A handler that swallows the bean's error. */
function caught(store: Store): string {
  try {
    return String(store.read());
  } catch {
    return "caught";
  }
}

const thrown = (fields: object) => (): never => {
  throw Object.assign(new Error("odd"), fields);
};

describe("a replay", () => {
  it("REPLAY-001: calls no chosen bean if `ignore` returns something else on each call", async () => {
    setUp((store) => store.read());
    const trace = await run();
    let asked = 0;
    Object.assign(world, { real: [], ignored: () => (asked += 1) > 1 });
    const response = await replay(trace);
    world.ignored = () => false;
    assert.deepEqual([response.status, await response.text(), world.real], [200, "7", []]);
  });

  it("rejects a call of an async method that was not recorded, instead of throwing", async () => {
    setUp((store) => store.read());
    const trace = await run();
    const kinds: string[] = [];
    world.handle = (store) => {
      try {
        kinds.push(store.write() instanceof Promise ? "a promise" : "a value");
      } catch {
        kinds.push("thrown");
      }
      return 1;
    };
    const response = await replay(trace);
    assert.deepEqual([response.status, kinds, world.real], [409, ["a promise"], ["read"]]);
    await response.text();
  });

  it("is the 409 to a HEAD too, and closes a stream that the application has recorded", async () => {
    setUp((store) => (store.read(), null));
    const head = await run("/head", "HEAD");
    let isCancelled = false;
    world.handle = async (store, ctx) => {
      const stream = new ReadableStream({ cancel: () => void (isCancelled = true) });
      ctx.setHeader("Content-Type", "text/plain").send(stream);
      await store.write().catch(() => undefined);
    };
    const ofHead = await replay(head);
    assert.deepEqual([ofHead.status, await ofHead.text(), isCancelled], [409, "", true]);
  });

  it("REPLAY-015: reports that it has ended if the head was already sent, and calls nothing for real", async () => {
    setUp(async (store, ctx) => {
      const events = ctx.sse();
      for (let at = 0; at < 2; at += 1) await events.send({ data: String(store.read()) });
      events.close();
    });
    const trace = await run();
    Object.assign(world, { real: [] });
    const same = await (await replay(trace)).text();
    assert.deepEqual([same, world.real, (await newest()).replayOf?.ended], ["data: 7\n\ndata: 7\n\n", [], null]);
    world.handle = async (store, ctx) => {
      const events = ctx.sse();
      await events.send({ data: String(store.read()) });
      await store.write().catch(() => undefined);
      events.close();
    };
    assert.equal(await (await replay(trace)).text(), "data: 7\n\n");
    const { status, replayOf } = await newest();
    assert.deepEqual([status, replayOf?.ended?.method, world.real], [200, "write", []]);
  });

  it("of a request that opens a WebSocket calls no chosen bean in its handlers either", async () => {
    setUp(() => undefined);
    const messages: unknown[] = [];
    const heard = new EventEmitter();
    world.message = (store) => {
      try {
        messages.push(store.read());
      } catch (error) {
        messages.push(String(error));
      }
      heard.emit("message");
    };
    const first = new WebSocket(`${app.url.replace("http", "ws")}/socket`);
    await once(first, "open");
    first.close();
    await once(first, "close");
    while ((await newest()).status !== 101) await new Promise(setImmediate);
    const { instance, sequence } = (await newest()) satisfies Trace;
    const headers = { "X-Framework-Replay": `${instance}.${sequence};beans=StoreRepository` };
    const again = new WebSocket(`${app.url.replace("http", "ws")}/socket`, { headers });
    await once(again, "open");
    again.send("x");
    await once(heard, "message");
    again.close();
    await once(again, "close");
    const reason = "the recording has no call of StoreRepository.read()";
    assert.deepEqual([messages, world.real], [[`ReplayEnded: the replay has ended: ${reason}`], []]);
  });

  const refused: Readonly<Record<string, readonly [handle: typeof world.handle, value: () => unknown, why: RegExp]>> = {
    "an argument whose data is the engine's": [
      (store) => store.read(new WeakSet()),
      () => 7,
      /args\[0\] is an instance of WeakSet, which keeps data in private fields$/,
    ],
    "a key that is redacted": [
      (store) => store.read(),
      () => ({ "Bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": 1 }),
      /a key of result is redacted$/,
    ],
    "a key that is cut": [(store) => store.read(), () => ({ ["k ".repeat(600)]: 1 }), /a key of result is cut$/],
    "an error with an instance in it": [
      caught,
      thrown({ at: new URLSearchParams("a=b") }),
      /its error\.at is an instance of URLSearchParams/,
    ],
    "an error with another in it": [
      caught,
      thrown({ inner: new Error("x") }),
      /its error\.inner is an error that was not thrown$/,
    ],
    "an error with a cause": [
      caught,
      () => {
        throw new Error("outer", { cause: { code: "23505" } });
      },
      hidden,
    ],
    "an error with data that is not enumerable": [
      caught,
      () => {
        throw Object.defineProperty(new Error("x"), "issues", { value: [1] });
      },
      hidden,
    ],
    "an error with data that is computed": [
      caught,
      () => {
        throw Object.defineProperty(new Error("x"), "code", { get: () => 1, enumerable: true });
      },
      hidden,
    ],
    "what is no error": [
      caught,
      () => {
        throw 5; // eslint-disable-line no-throw-literal, typescript/only-throw-error -- some do
      },
      /what it threw is no error and no text: number$/,
    ],
    "an error of many": [
      caught,
      () => {
        throw new AggregateError([new Error("one")], "many");
      },
      hidden,
    ],
  };
  for (const [name, [handle, value, why]] of Object.entries(refused))
    it(`is rejected if values are not distinguishable, or cannot be made again: ${name}`, async () => {
      setUp(handle, value);
      const trace = await run();
      Object.assign(world, { real: [] });
      const response = await replay(trace);
      assert.deepEqual([response.status, world.real], [409, []]);
      assert.match(await detailOf(response), why);
    });

  it("makes instances with numeric keys, and an error that holds its own bean", async () => {
    const seen: unknown[] = [];
    setUp(
      (store) => void seen.push(store.read()),
      () => new Point({ 0: "x", y: 1 }),
    );
    assert.equal((await replay(await run())).status, 204);
    assert.deepEqual(seen[1], new Point({ 0: "x", y: 1 }));
    const errors: unknown[] = [];
    const handle = (store: Store): void => {
      try {
        store.read();
      } catch (error) {
        errors.push((error as { by?: unknown }).by === store);
      }
    };
    setUp(handle, () => {
      throw Object.assign(new Error("x"), { by: app.container?.get(Store) });
    });
    assert.equal((await replay(await run())).status, 204);
    assert.deepEqual(errors, [true, true]);
  });

  it("notes the operations outside of the chosen beans, which are done again", async () => {
    setUp(
      async (store) => {
        await step("http", "pay", async () => undefined);
        return store.read();
      },
      () => step("sql", "select", () => 7),
    );
    const trace = await run();
    const note = "what it did outside of StoreRepository is done again: 1 http";
    const plan = (await (
      await ask(`/framework/dev/api/replays/${trace.instance}.${trace.sequence}`)
    ).json()) as ReplayPlan;
    assert.deepEqual(plan.notes, [note]);
    await (await replay(trace)).text();
    const { replayOf, leaves } = await newest();
    assert.deepEqual([replayOf?.notes, leaves.map(({ kind }) => kind)], [[note], ["http"]]);
  });
});
