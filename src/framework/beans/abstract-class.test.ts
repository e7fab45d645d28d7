/** A class as an interface: it is bound to a bean that the class itself has not made. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import type { AsyncBeansBuilder, BeansBuilder } from "./builder.ts";
import type { BeanDecorator, BeanInfo } from "./types.ts";

abstract class Orders {
  abstract find(id: string): string;
}
class SqlOrders extends Orders {
  readonly #rows = new Map([["1", "tea"]]);
  find(id: string): string {
    return this.#rows.get(id) ?? "none";
  }
}
class Base {
  name(): string {
    return "base";
  }
}
class Derived extends Base {
  override name(): string {
    return "derived";
  }
}

/** Replaces every interface bean and lists the ids it was given. */
function recorder(seen: BeanInfo[] = []): BeanDecorator {
  return {
    traces: true,
    decorate: (bean, info) => (seen.push(info), info.isInterface ? (Object.create(bean) as typeof bean) : bean),
  };
}

/** The only bean of a container, as its graph shows it. */
const shown = (beans: Beans): unknown => {
  const [node] = beans.graph().nodes;
  return [node?.implementation, node?.traceable, node?.reason];
};

describe("a class that has not made its bean", () => {
  const plain = { find: () => "plain" };
  const interfaces: Record<string, [(builder: BeansBuilder) => AsyncBeansBuilder, string]> = {
    "an abstract class and a subclass of it": [(to) => to.bind(Orders, () => new SqlOrders()), "SqlOrders"],
    "an abstract class and an object of its shape": [(to) => to.bind(Orders, () => plain), "Orders"],
    "an abstract class and an async factory": [(to) => to.bindAsync(Orders, async () => new SqlOrders()), "SqlOrders"],
    "an abstract class and an instance": [(to) => to.bindInstance(Orders, new SqlOrders()), "SqlOrders"],
    "an abstract class and an override": [
      (to) => to.bindInstance(Orders, plain).override(Orders, () => new SqlOrders()),
      "SqlOrders",
    ],
    "a concrete class and a subclass of it": [(to) => to.bind(Base, () => new Derived()), "Derived"],
    "a class and an object without a prototype": [
      (to) => to.bind(Base, () => Object.assign(Object.create(null) as object, { name: () => "bare" })),
      "Base",
    ],
  };
  for (const [title, [bind, implementation]] of Object.entries(interfaces))
    it(`is an interface: ${title}`, async () => {
      const seen: BeanInfo[] = [];
      const beans = await bind(Beans.builder()).instrument(recorder(seen)).startAsync();
      assert.deepEqual(
        seen.map(({ isInterface }) => isInterface),
        [true],
      );
      assert.deepEqual(shown(beans), [implementation, true, undefined]);
      assert.deepEqual(beans.graph().unspied, []);
    });

  const concrete: Record<string, (builder: BeansBuilder) => AsyncBeansBuilder> = {
    "from a factory": (to) => to.bind(Derived, () => new Derived()),
    "from an async factory": (to) => to.bindAsync(Derived, async () => new Derived()),
    "as an instance": (to) => to.bindInstance(Derived, new Derived()),
    "from an override of a bound subclass": (to) =>
      to.bindInstance(Derived, new (class extends Derived {})()).override(Derived, () => new Derived()),
  };
  for (const [title, bind] of Object.entries(concrete))
    it(`is not an interface: ${title}`, async () => {
      const seen: BeanInfo[] = [];
      const beans = await bind(Beans.builder()).instrument(recorder(seen)).startAsync();
      assert.deepEqual(
        seen.map(({ isInterface }) => isInterface),
        [false],
      );
      assert.deepEqual(shown(beans), ["Derived", false, "class"]);
      assert.equal(beans.get(Derived), beans.unwrapped(Derived));
    });

  it("is known when the bean is there: in a lazy container after the first get, with an instance immediately", () => {
    const lazy = Beans.builder()
      .bind(Orders, () => new SqlOrders())
      .instrument(recorder())
      .buildLazy();
    assert.deepEqual(shown(lazy), ["Orders", false, "class"]);
    assert.equal(lazy.get(Orders) instanceof SqlOrders, true);
    assert.deepEqual(shown(lazy), ["SqlOrders", true, undefined]);
    const made = Beans.builder().bindInstance(Orders, new SqlOrders()).instrument(recorder()).buildLazy();
    assert.deepEqual(shown(made), ["SqlOrders", true, undefined]);
    const overridden = Beans.builder()
      .bindInstance(Orders, new SqlOrders())
      .override(Orders, () => new SqlOrders());
    assert.deepEqual(shown(overridden.instrument(recorder()).buildLazy()), ["Orders", false, "class"]);
    const unwatched = Beans.builder().bindInstance(Orders, new SqlOrders()).buildLazy();
    assert.deepEqual(shown(unwatched), ["SqlOrders", false, "uninstrumented"]);
  });

  it("is one in the container on top of another one, also as an alias of a decorated bean below", () => {
    const below = Beans.builder()
      .bind(Orders, () => new SqlOrders())
      .instrument(recorder())
      .start();
    const seen: BeanInfo[] = [];
    Beans.builder(below)
      .bind(Base, () => new Derived())
      .bind(SqlOrders, (b) => b.get(Orders) as SqlOrders)
      .instrument(recorder(seen))
      .start();
    assert.deepEqual(
      seen.map(({ id, isInterface }) => [id, isInterface]),
      [
        ["Base", true],
        ["SqlOrders", false],
      ],
    );
  });

  it("leaves a function alone, and reports it as one", () => {
    class Greeting extends Function {}
    const beans = Beans.builder()
      .bind(Greeting, () => () => "hello")
      .instrument({ traces: true, decorate: (bean) => bean })
      .start();
    assert.deepEqual(shown(beans), ["Greeting", false, "function"]);
  });
});
