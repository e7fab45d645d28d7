/**
 * Devtools that are off are checked by the traces that they leave, not by time. A process that created, instrumented and
 * installed them has the objects, listeners and functions of a process that only imported them.
 */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { after, before, describe, it } from "node:test";
import { Beans, Framework, Interface } from "framework";
import { Devtools, type DevtoolsHost } from "./index.ts";

type Orders = { find(id: number): object };
const Orders: Interface<Orders> = Interface("Orders");

const given = process.env["FRAMEWORK_DEVTOOLS"];
before(() => void (process.env["FRAMEWORK_DEVTOOLS"] = "false"));
after(() => {
  if (given === undefined) delete process.env["FRAMEWORK_DEVTOOLS"];
  else process.env["FRAMEWORK_DEVTOOLS"] = given;
});

/** Everything of the process that devtools touch when they are on. */
const shared = (): object => ({
  console: { ...console },
  promise: Object.getOwnPropertyDescriptors(Promise.prototype),
  error: Object.getOwnPropertyDescriptors(Error),
  process: process.eventNames().map((name) => [name, process.listeners(name as "exit")]),
  timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout" || name === "Immediate"),
  heard: ["test.off", "tracing:test.off:start", "http.client.request.start", "undici:request:create"].filter(
    (name) => channel(name).hasSubscribers,
  ),
});

/** The host, and the list of its members that were read. */
function watchedHost(app: DevtoolsHost): { readonly host: DevtoolsHost; readonly read: PropertyKey[] } {
  const read: PropertyKey[] = [];
  const get = (target: DevtoolsHost, key: PropertyKey): unknown => {
    read.push(key);
    return Reflect.get(target, key, target);
  };
  return { host: new Proxy(app, { get }), read };
}

const create = (): Devtools =>
  Devtools.create({
    console: true,
    history: true,
    token: true,
    channels: [{ channel: "test.off", kind: "sql", describe: () => ({}) }],
  });

describe("Devtools that are off", () => {
  it("DEV-019: read nothing of the application and leave nothing in the process", () => {
    const first = shared();
    const devtools = create();
    const { host, read } = watchedHost(Framework.create());
    devtools.install(host, Beans.builder().start());
    assert.deepEqual([read, shared()], [[], first]);
  });

  it("leave each bean as the object that its factory made, with its own methods", () => {
    const orders: Orders = { find: (id) => ({ id }) };
    const { find } = orders;
    const beans = Beans.builder()
      .bind(Orders, () => orders)
      .instrument(create().recorder())
      .start();
    assert.equal(beans.get(Orders), orders);
    assert.deepEqual(Reflect.ownKeys(orders), ["find"]);
    assert.equal(orders.find, find);
  });

  it("run requests and other work without a store, and return functions unchanged", async (t) => {
    const stores = (["run", "enterWith", "getStore"] as const).map((name) =>
      t.mock.method(AsyncLocalStorage.prototype, name),
    );
    const devtools = create();
    const app = Framework.create();
    const beans = Beans.builder()
      .bind(Orders, () => ({ find: (id) => ({ id }) }))
      .instrument(devtools.recorder())
      .start();
    devtools.install(app.beans(beans), beans);
    app.get("/orders", (ctx) => ctx.get(Orders).find(7));
    const response = await app.request("/orders");
    assert.deepEqual(await response.json(), { id: 7 });
    const work = (): number => 5;
    assert.deepEqual(
      [devtools.bind(work), devtools.trace("work", work), devtools.step("span", "work", work)],
      [work, 5, 5],
    );
    assert.deepEqual(
      stores.map(({ mock }) => mock.callCount()),
      [0, 0, 0],
    );
    await app.stop();
  });
});
