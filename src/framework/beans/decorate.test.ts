/** instrument: every bean is passed once, and a faulty decorator does not affect the others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { implementationOf } from "./decorate.ts";
import { Interface } from "./interface.ts";
import type { BeanDecorator, BeanInfo, UntracedReason } from "./types.ts";

interface Repository {
  find(id: string): string;
}
const OrderRepository: Interface<Repository> = Interface("OrderRepository");

class Database {
  readonly rows = new Map([["1", "tea"]]);
}
class SqlOrderRepository implements Repository {
  readonly #db: Database;
  constructor(db: Database) {
    this.#db = db;
  }
  find(id: string): string {
    return this.#db.rows.get(id) ?? "none";
  }
}

describe("instrument", () => {
  const record = (seen: BeanInfo[]): BeanDecorator => ({ decorate: (bean, info) => (seen.push(info), bean) });

  it("passes each bean once, with its place in the graph, instances too", () => {
    const seen: BeanInfo[] = [];
    const beans = Beans.builder()
      .bind(OrderRepository, (b) => new SqlOrderRepository(b.get(Database)))
      .bindInstance(Database, new Database())
      .instrument(record(seen))
      .start();
    beans.get(OrderRepository);
    assert.deepEqual(seen, [
      { id: "Database", name: "Database", type: Database, stereotype: "bean", isInterface: false },
      {
        id: "OrderRepository",
        name: "OrderRepository",
        type: OrderRepository,
        stereotype: "repository",
        isInterface: true,
      },
    ]);
  });

  it("gives all callers the decorated bean, with decorators in their order, and names the raw class", () => {
    const wrap = (mark: string): BeanDecorator => ({
      decorate: <T extends object>(bean: T): T =>
        ({ find: (id: string) => mark + (bean as unknown as Repository).find(id) }) as unknown as T,
    });
    const beans = Beans.builder()
      .bind(OrderRepository, () => new SqlOrderRepository(new Database()))
      .instrument(wrap("1"))
      .instrument(wrap("2"))
      .start();
    assert.equal(beans.get(OrderRepository).find("1"), "21tea");
    assert.equal(beans.graph().nodes[0]?.implementation, "SqlOrderRepository");
  });

  it("passes it to the outermost decorators last, in a container on top as well", () => {
    const order: string[] = [];
    const named = (name: string, outermost?: boolean): BeanDecorator => ({
      outermost,
      decorate: (bean, { id }) => (order.push(`${name} ${id}`), bean),
    });
    const below = Beans.builder().instrument(named("last", true)).instrument(named("first")).start();
    Beans.builder(below).bindInstance(Database, new Database()).instrument(named("second")).start();
    assert.deepEqual(order, ["first Database", "second Database", "last Database"]);
  });

  const faults: Record<string, [BeanDecorator, string, UntracedReason]> = {
    "a decorator that throws": [
      {
        traces: true,
        decorate() {
          throw new Error("boom");
        },
      },
      "boom",
      "failed",
    ],
    "one that returns undefined": [
      { traces: true, decorate: () => undefined as never },
      "it returned undefined, not a bean",
      "failed",
    ],
    "one that returns null": [
      { traces: true, decorate: () => null as never },
      "it returned null, not a bean",
      "failed",
    ],
    "one that throws an unprintable value": [
      {
        traces: true,
        decorate() {
          throw Object.create(null);
        },
      },
      "an error that cannot be printed",
      "failed",
    ],
    "one that throws but only watches": [
      {
        traces: false,
        decorate() {
          throw new Error("boom");
        },
      },
      "boom",
      "uninstrumented",
    ],
  };
  for (const [title, [decorator, sentence, reason]] of Object.entries(faults)) {
    it(`${title}: the bean stays as it was, with a warning`, () => {
      const repository = { find: () => "" };
      const beans = Beans.builder()
        .bind(OrderRepository, () => repository)
        .instrument(decorator)
        .start();
      assert.equal(beans.get(OrderRepository), repository);
      assert.deepEqual(beans.warnings, [`OrderRepository: decorator (unnamed) failed and was left out: ${sentence}`]);
      assert.equal(beans.graph().nodes[0]?.reason, reason);
    });
  }
});

describe("recording", () => {
  const wrapping: BeanDecorator = { decorate: (bean) => Object.create(bean) as typeof bean };
  const leaving: BeanDecorator = { traces: true, decorate: (bean) => bean };
  const failing: BeanDecorator = {
    decorate() {
      throw new Error("boom");
    },
  };
  const reasons: Record<string, [BeanDecorator[], UntracedReason]> = {
    "excludes a bean that one without `traces` replaces": [[wrapping], "uninstrumented"],
    "excludes a bean that one with `traces` leaves, though another replaces it": [[wrapping, leaving], "proxy"],
    "excludes a bean that one with `traces` leaves, though another fails": [[failing, leaving], "proxy"],
  };
  for (const [title, [decorators, reason]] of Object.entries(reasons))
    it(title, () => {
      const builder = Beans.builder().bindInstance(OrderRepository, { find: () => "" });
      for (const decorator of decorators) builder.instrument(decorator);
      assert.equal(builder.start().graph().nodes[0]?.reason, reason);
    });
});

describe("implementationOf", () => {
  it("is the name of the class, and the fallback when it is unreadable", () => {
    class Numbered {
      static readonly name: string = 7 as never;
      readonly size: number = 1;
    }
    const hostile = new Proxy({}, { get: () => assert.fail("not to be read") });
    const Nameless = (() =>
      class {
        readonly size: number = 1;
      })();
    const odd = [{}, () => 1, new Nameless(), { constructor: { name: "X" } }, new Numbered(), hostile];
    const shown = [new Database(), ...odd, Object.create(null) as object].map((bean) => implementationOf(bean, "?"));
    assert.deepEqual(shown, ["Database", ...Array<string>(7).fill("?")]);
  });
});

describe("a listener of a start", () => {
  const [A, B, C] = [Interface<object>("A"), Interface<object>("B"), Interface<object>("C")];
  const listener = (heard: string[]): BeanDecorator => ({
    decorate: (bean) => bean,
    building(info, asker) {
      heard.push(`${asker?.id ?? ""}>${info.id}`);
      return (error) => void heard.push(`${info.id}:${error?.code ?? "there"}`);
    },
    startFailed: (error, graph) => void heard.push(`failed ${error.chain.join()} of ${graph.nodes.length}`),
  });

  it("gets each factory before it runs, with the bean that asked for it, and its outcome", async () => {
    const heard: string[] = [];
    const beans = await Beans.builder()
      .bind(A, (b) => (heard.push("a"), { b: b.get(B), c: b.get(C) }))
      .bind(B, () => (heard.push("b"), {}))
      .bindAsync(C, async () => (await new Promise(setImmediate), {}))
      .bindInstance(OrderRepository, { find: () => "" })
      .instrument(listener(heard))
      .startAsync();
    beans.get(A);
    assert.deepEqual(heard, [">C", "C:there", ">A", "a", "A>B", "b", "B:there", "A:there"]);
  });

  it("gets the failed factories, then the failed start, before any bean is closed", async () => {
    const heard: string[] = [];
    const closing = { [Symbol.dispose]: () => void heard.push("closed") };
    const fail = (): never => {
      throw new Error("no");
    };
    const sync = Beans.builder()
      .bind(C, () => closing)
      .bind(A, (b) => b.get(B))
      .bind(B, fail)
      .instrument(listener(heard));
    assert.throws(() => sync.start(), { code: "BEAN_FACTORY" });
    assert.deepEqual(heard.splice(0), [
      ">C",
      "C:there",
      ">A",
      "A>B",
      "B:BEAN_FACTORY",
      "A:BEAN_FACTORY",
      "failed A,B of 3",
      "closed",
    ]);
    const later = Beans.builder()
      .bindAsync(A, async () => fail())
      .instrument(listener(heard));
    await assert.rejects(later.startAsync(), { code: "BEAN_FACTORY" });
    assert.deepEqual(heard.splice(0), [">A", "A:BEAN_FACTORY", "failed A of 1"]);
    const atOnce = Beans.builder().bindAsync(A, fail).instrument(listener(heard));
    await assert.rejects(atOnce.startAsync(), { code: "BEAN_FACTORY" });
    assert.deepEqual(heard, [">A", "A:BEAN_FACTORY", "failed A of 1"]);
  });

  it("gets no failed start for a lazy bean's failure", () => {
    const heard: string[] = [];
    const beans = Beans.builder()
      .bind(A, () => undefined as never)
      .instrument(listener(heard))
      .buildLazy();
    assert.throws(() => beans.get(A));
    assert.deepEqual(heard, [">A", "A:BEAN_NOT_AN_OBJECT"]);
  });

  it("causes one warning each when it throws, and the start continues", () => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const throwing = [
      { building: boom, startFailed: boom },
      { building: () => boom, startFailed: boom },
    ].map((members): BeanDecorator => ({ decorate: (bean) => bean, ...members }));
    for (const decorator of throwing) {
      const beans = Beans.builder()
        .bind(A, () => ({}))
        .instrument(decorator)
        .start();
      assert.deepEqual(beans.warnings, ["A: decorator (unnamed) failed while it listened: boom"]);
      const failing = Beans.builder()
        .bind(A, () => undefined as never)
        .instrument(decorator);
      assert.throws(() => failing.start(), { code: "BEAN_NOT_AN_OBJECT" });
    }
  });
});
