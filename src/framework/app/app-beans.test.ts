/** What an app is given to take its beans from, and what becomes of it (BEAN, PLUGIN). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Builder } from "../beans/builder.ts";
import { Beans, Interface } from "../index.ts";
import { AppBeans, type BroughtBeans } from "./app-beans.ts";

const Shop: Interface<object> = Interface("Shop");
const Mailer: Interface<object> = Interface("Mailer");

/** Beans that tell when they are closed. */
function world(): { closed: string[]; shop: () => ReturnType<typeof Beans.builder>; brought: BroughtBeans } {
  const closed: string[] = [];
  const bean = (name: string) => (): object => ({ close: () => void closed.push(name) });
  const brought: BroughtBeans = {
    beans: () => [["mail", (builder) => builder.bind(Mailer, bean("mailer"))]],
    builder: (below) => new Builder(below),
  };
  return { closed, shop: () => Beans.builder().bind(Shop, bean("shop")), brought };
}

describe("the beans of an app", () => {
  test("wait for their start where they are not built, and run where they are", async () => {
    const { shop } = world();
    const [none, builder, container] = [new AppBeans(), new AppBeans(), new AppBeans()];
    const running = shop().start();
    builder.give(shop());
    container.give(running);
    assert.deepEqual(
      [none, builder, container].map(({ isWaiting }) => isWaiting),
      [false, true, false],
    );
    assert.deepEqual([none.running, builder.running, container.running], [undefined, undefined, running]);
    await builder.start(undefined);
    assert.equal(builder.isWaiting, false);
    assert.ok(builder.running?.get(Shop));
  });

  test("are none where nothing was given and no plugin brings any", async () => {
    const beans = new AppBeans();
    await beans.start(undefined);
    assert.equal(beans.running, undefined);
    await beans.close();
  });

  test("a running container stays as it is where no plugin brings any", async () => {
    const { shop, closed } = world();
    const beans = new AppBeans();
    const running = shop().start();
    beans.give(running);
    await beans.start(undefined);
    await beans.closeUpper();
    await beans.close();
    assert.deepEqual([beans.running, closed], [running, []]);
  });

  test("those of plugins stand on top of a running container, and are closed before it", async () => {
    const { shop, closed, brought } = world();
    const beans = new AppBeans();
    beans.give(shop().start());
    await beans.start(brought);
    assert.ok(beans.running?.get(Mailer) !== undefined && beans.running.get(Shop) !== undefined);
    await beans.closeUpper();
    assert.deepEqual(closed, ["mailer"]);
    await beans.close();
    assert.deepEqual(closed, ["mailer"]);
  });

  test("those that were started with the app's own are closed once, with them", async () => {
    const { shop, closed, brought } = world();
    const beans = new AppBeans();
    beans.give(shop());
    await beans.start(brought);
    assert.ok(beans.running?.get(Mailer) !== undefined && beans.running.get(Shop) !== undefined);
    await beans.closeUpper();
    assert.deepEqual(closed, []);
    await beans.close();
    await beans.close();
    assert.deepEqual(closed.toSorted(), ["mailer", "shop"]);
  });

  test("are given once: the same again is the same, another one an error", () => {
    const { shop } = world();
    for (const given of [shop(), shop().start()]) {
      const beans = new AppBeans();
      beans.give(given);
      beans.give(given);
      assert.throws(() => beans.give(shop()), {
        code: "BEANS_NOT_ATTACHED",
        message: "app.beans() was called with another container before",
      });
    }
  });

  test("are what Beans gives: anything else is an error", () =>
    assert.throws(() => new AppBeans().give({} as Beans), {
      code: "BEANS_NOT_ATTACHED",
      message: "app.beans() takes what Beans.builder() or its start() gave",
    }));
});
