/**
 * A request in which calls of an earlier run have another outcome, over HTTP.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Beans, Framework, Interface } from "framework";
import { Devtools } from "../../index.ts";
import type { ReplayProblem, Trace, WhatIf } from "../../run/shapes.ts";

interface Store {
  stock(item: string): Promise<number>;
  price(item: string): number;
}
const Store = Interface<Store>("StoreRepository");

const real: string[] = [];
let app: Framework;

before(async () => {
  const devtools = Devtools.create();
  const store: Store = {
    stock: async (item) => real.push(`stock ${item}`),
    price: (item) => real.push(`price ${item}`),
  };
  const beans = Beans.builder()
    .bind(Store, () => store)
    .instrument(devtools.recorder())
    .start();
  app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } });
  app.beans(beans);
  app.get("/quote", async (ctx) => {
    const own = ctx.get(Store);
    real.length = 0;
    return [await own.stock("tea"), await own.stock("milk"), await own.stock("tea"), own.price("tea")];
  });
  devtools.install(app, beans);
  await app.start(0);
});
after(() => app.stop());

async function newest(): Promise<Trace> {
  const [trace] = (await (await fetch(`${app.url}/framework/dev/api/requests`)).json()) as Trace[];
  assert.ok(trace);
  return trace;
}

async function what(beans: string, ...given: WhatIf[]): Promise<{ readonly of: Trace; readonly response: Response }> {
  await (await fetch(`${app.url}/quote`)).text();
  const of = await newest();
  const outcomes = Buffer.from(JSON.stringify(given)).toString("base64url");
  const header = `${of.instance}.${of.sequence};beans=${beans};what-if=${outcomes}`;
  return { of, response: await fetch(`${app.url}/quote`, { headers: { "X-Framework-Replay": header } }) };
}

describe("a request with other outcomes", () => {
  it("REPLAY-025: returns the given values of the named calls, and makes all others for real", async () => {
    const { response } = await what("", { call: 2, returns: 0 }, { call: 3, returns: -1 });
    assert.deepEqual(
      [await response.json(), real],
      [
        [1, 2, 0, -1],
        ["stock tea", "stock milk"],
      ],
    );
    const { replayOf, calls } = await newest();
    assert.deepEqual(replayOf?.whatIf, [
      { call: 2, returns: 0 },
      { call: 3, returns: -1 },
    ]);
    assert.deepEqual(
      calls.map(({ result }) => result),
      [1, 2, 0, -1],
    );
    assert.deepEqual(await (await fetch(`${app.url}/quote`)).json(), [1, 2, 3, 4]);
  });

  it("throws the given error, and the application responds to it as to its own", async () => {
    const { response } = await what("", { call: 1, throws: { name: "HttpError", message: "no milk", status: 410 } });
    const { detail } = (await response.json()) as ReplayProblem;
    assert.deepEqual([response.status, detail, real], [410, "no milk", ["stock tea"]]);
    const other = await what("", { call: 3, throws: { name: "RangeError", message: "no price" } });
    assert.equal(other.response.status, 500);
    assert.equal((await newest()).error?.message, "no price");
  });

  it("makes a call take longer, an asynchronous one without blocking, a synchronous one by blocking", async () => {
    const { response } = await what("", { call: 0, afterMs: 40 }, { call: 3, afterMs: 30 });
    assert.deepEqual(await response.json(), [1, 2, 3, 4]);
    const [stock, , , price] = (await newest()).calls;
    assert.ok(Number(stock?.durationUs) >= 39_000 && Number(price?.durationUs) >= 29_000);
  });

  it("has both: recorded results of a bean, and another outcome of one of its calls", async () => {
    const { response } = await what("StoreRepository", { call: 1, returns: 9 });
    assert.deepEqual([await response.json(), real], [[1, 9, 3, 4], []]);
  });

  it("REPLAY-010: runs nothing if an outcome cannot be made", async () => {
    for (const [given, detail] of [
      [{ call: 9, returns: 1 }, "the run has no call 9"],
      [
        { call: 0, returns: { $class: "Money" } },
        "StoreRepository.stock() cannot have this outcome: result is an instance of Money: Devtools.create({ revive: [[Money, (shown) => …]] }) says how one is made",
      ],
    ] as const) {
      const { response } = await what("", given);
      real.length = 0;
      assert.deepEqual([response.status, ((await response.json()) as ReplayProblem).detail, real], [409, detail, []]);
    }
  });
});
