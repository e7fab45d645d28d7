/** Beans from the outside: binding, building, resolving, and the resulting graph. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { Interface } from "./interface.ts";
import type { BeanDecorator, Stereotype, UntracedReason } from "./types.ts";

interface Repository {
  find(id: string): string;
}
interface Service {
  run(): string;
}
const OrderRepository: Interface<Repository> = Interface("OrderRepository");
const OrderService: Interface<Service> = Interface("OrderService");

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
class Singleton {
  static readonly only: Singleton = new Singleton();
  private constructor() {}
}

const shop = () =>
  Beans.builder()
    .bind(OrderService, (b) => ({ run: () => b.get(OrderRepository).find("1") }))
    .bind(OrderRepository, (b) => new SqlOrderRepository(b.get(Database)))
    .bind(Database, () => new Database());

/** Another object with the bean's behaviour. */
const standIn = <T extends object>(bean: T): T =>
  new Proxy(bean, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });

describe("Beans", () => {
  it("gives every caller the one bean of a type", () => {
    const beans = shop().start();
    assert.equal(beans.get(OrderService).run(), "tea");
    assert.equal(beans.get(Database), beans.get(Database));
  });

  it("gives a list of beans in the requested order", () => {
    const beans = shop().start();
    assert.deepEqual(beans.all([Database, OrderRepository]), [beans.get(Database), beans.get(OrderRepository)]);
    assert.deepEqual(beans.all([]), []);
  });

  it("lists its types in binding order, also two with one name, and knows the graph id of each", () => {
    const beans = shop()
      .bind(Interface<Service>("OrderService"), () => ({ run: () => "" }))
      .start();
    assert.deepEqual(
      beans.types().map((type) => beans.idOf(type)),
      ["OrderService", "OrderRepository", "Database", "OrderService#2"],
    );
    assert.equal(beans.idOf(Interface("OrderService")), undefined);
  });

  it("GRAPH-002: a bean with a used name gets a number, also next to ids that look like one", () => {
    const named = (name: string) => Interface<Service>(name);
    const bean = () => ({ run: () => "" });
    const beans = Beans.builder().bind(named("A"), bean).bind(named("A#2"), bean).bind(named("A"), bean).start();
    assert.deepEqual(
      beans.graph().nodes.map((node) => node.id),
      ["A", "A#2", "A#3"],
    );
  });

  it("binds a class whose constructor is private", () => {
    assert.equal(
      Beans.builder()
        .bind(Singleton, () => Singleton.only)
        .start()
        .get(Singleton),
      Singleton.only,
    );
  });

  it("binds a function type", () => {
    const Format: Interface<(x: number) => string> = Interface("Format");
    const beans = Beans.builder()
      .bind(Format, () => (x) => String(x))
      .start();
    assert.equal(beans.get(Format)(1), "1");
    assert.equal(beans.graph().nodes[0]?.implementation, "Format");
  });

  it("starts a separate container each time, which later bindings do not reach", () => {
    const builder = Beans.builder().bind(Database, () => new Database());
    const [first, second] = [builder.start(), builder.start()];
    builder.bind(OrderRepository, () => ({ find: () => "" }));
    assert.notEqual(first.get(Database), second.get(Database));
    assert.deepEqual(first.types(), [Database]);
  });

  it("has built every bean when start returns, used or not", () => {
    const made: string[] = [];
    Beans.builder()
      .bind(OrderRepository, () => (made.push("OrderRepository"), { find: () => "" }))
      .bind(Database, () => (made.push("Database"), new Database()))
      .start();
    assert.deepEqual(made, ["OrderRepository", "Database"]);
  });

  it("builds nothing lazily until it is asked for, once, and again after a factory failed", () => {
    let attempts = 0;
    const beans = Beans.builder()
      .bind(Database, () => {
        attempts += 1;
        if (attempts === 1) throw new Error("rejected");
        return new Database();
      })
      .buildLazy();
    assert.equal(attempts, 0);
    assert.throws(() => beans.get(Database), { code: "BEAN_FACTORY" });
    assert.ok(beans.get(Database) instanceof Database);
    beans.get(Database);
    assert.equal(attempts, 2);
  });

  it("lets two beans need each other when one asks later", () => {
    const [A, B] = [Interface<Service>("A"), Interface<Service>("B")];
    const beans = Beans.builder()
      .bind(A, (b) => ({ run: () => `a${b.get(B).run()}` }))
      .bind(B, (b) => (b.get(A), { run: () => "b" }))
      .start();
    assert.deepEqual(beans.graph().edges, [{ from: "B", to: "A" }]);
    assert.equal(beans.get(A).run(), "ab");
    assert.deepEqual(beans.graph().edges, [
      { from: "A", to: "B" },
      { from: "B", to: "A" },
    ]);
  });
});

describe("unwrapped", () => {
  it("is the bean as its factory made it, and undefined before that and for unbound types", () => {
    const database = new Database();
    const lazy = Beans.builder()
      .bind(Database, () => database)
      .instrument({ decorate: standIn })
      .buildLazy();
    const before = lazy.unwrapped(Database);
    const bean = lazy.get(Database);
    const seen = [before, bean === database, lazy.unwrapped(Database) === database, lazy.unwrapped(OrderService)];
    assert.deepEqual(seen, [undefined, false, true, undefined]);
  });
});

describe("a type", () => {
  it("is anonymous when its class has no name", () => {
    const Numbered = class {
      static readonly name: string = 7 as never;
      readonly size: number = 1;
    };
    const beans = Beans.builder()
      .bindInstance(
        (() =>
          class {
            readonly size: number = 2;
          })(),
        { size: 2 },
      )
      .bindInstance(Numbered, { size: 1 })
      .start();
    assert.deepEqual(
      beans.graph().nodes.map(({ id }) => id),
      ["anonymous", "anonymous#2"],
    );
  });

  it("is also a token for another copy of this package", () => {
    const foreign = { name: "Foreign", [Symbol.for("framework.interface")]: true };
    const beans = Beans.builder()
      .bindInstance(foreign as unknown as Interface<Service>, { run: () => "far" })
      .start();
    assert.deepEqual(
      [beans.get(foreign as unknown as Interface<Service>).run(), Symbol.for("framework.interface") in OrderService],
      ["far", true],
    );
  });
});

describe("graph", () => {
  it("names the class of an instance before its first use", () => {
    const beans = Beans.builder().bindInstance(OrderRepository, new SqlOrderRepository(new Database())).buildLazy();
    assert.equal(beans.graph().nodes[0]?.implementation, "SqlOrderRepository");
  });

  it("shows nodes, edges and untraceable beans", () => {
    const Callable = Interface<() => string>("Callable");
    const Failing = Interface<Repository>("Failing");
    const recorder: BeanDecorator = {
      traces: true,
      decorate(bean, info) {
        if (info.id === "Failing") throw new Error("no");
        return typeof bean === "function" || info.id === "Proxied" ? bean : standIn(bean);
      },
    };
    const beans = shop()
      .bindInstance(Interface<Repository>("Static"), { find: () => "" })
      .bindInstance(Singleton, Singleton.only)
      .bindInstance(Callable, () => "")
      .bindInstance(Interface<Repository>("Proxied"), new Proxy({ find: () => "" }, {}))
      .bindInstance(Failing, { find: () => "" })
      .instrument(recorder)
      .start();
    assert.equal(beans.get(OrderService).run(), "tea");
    const node = (
      id: string,
      stereotype: Stereotype,
      implementation: string,
      reason: UntracedReason | undefined,
      dependencies: string[],
    ) => ({
      id,
      name: id,
      stereotype,
      implementation,
      traceable: reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      dependencies,
    });
    assert.deepEqual(beans.graph(), {
      nodes: [
        node("OrderService", "service", "OrderService", undefined, ["OrderRepository"]),
        node("OrderRepository", "repository", "SqlOrderRepository", undefined, ["Database"]),
        node("Database", "bean", "Database", "class", []),
        node("Static", "bean", "Static", undefined, []),
        node("Singleton", "bean", "Singleton", "class", []),
        node("Callable", "bean", "Callable", "function", []),
        node("Proxied", "bean", "Proxied", "proxy", []),
        node("Failing", "bean", "Failing", "failed", []),
      ],
      edges: [
        { from: "OrderService", to: "OrderRepository" },
        { from: "OrderRepository", to: "Database" },
      ],
      unspied: ["Database", "Singleton", "Callable", "Proxied", "Failing"],
    });
  });

  it("traces nothing without a recording decorator, also before a bean is built", () => {
    const reasons = (builder: ReturnType<typeof shop>): unknown[] =>
      builder
        .buildLazy()
        .graph()
        .nodes.map(({ reason, traceable }) => [reason, traceable]);
    const [none, traced, untraced] = [
      ["class", false],
      [undefined, true],
      ["uninstrumented", false],
    ];
    assert.deepEqual(reasons(shop()), [untraced, untraced, none]);
    assert.deepEqual(reasons(shop().instrument({ decorate: (bean) => bean })), [untraced, untraced, none]);
    assert.deepEqual(reasons(shop().instrument({ traces: true, decorate: (bean) => bean })), [traced, traced, none]);
  });

  it("reading it creates no bean, and shows the dependencies known so far", () => {
    let created = 0;
    const beans = Beans.builder()
      .bind(OrderRepository, (b) => (created++, new SqlOrderRepository(b.get(Database))))
      .bind(Database, () => (created++, new Database()))
      .buildLazy();
    for (let i = 0; i < 10; i += 1) assert.deepEqual(beans.graph().edges, []);
    assert.equal(beans.graph().nodes[0]?.implementation, "OrderRepository");
    assert.equal(created, 0);
    beans.get(OrderRepository);
    assert.deepEqual(beans.graph().edges, [{ from: "OrderRepository", to: "Database" }]);
    assert.equal(beans.graph().nodes[0]?.implementation, "SqlOrderRepository");
    assert.equal(created, 2);
  });

  it("lists a dependency once however often it is used", () => {
    const beans = Beans.builder()
      .bind(OrderRepository, (b) => (b.get(Database), new SqlOrderRepository(b.get(Database))))
      .bind(Database, () => new Database())
      .start();
    assert.deepEqual(beans.graph().edges, [{ from: "OrderRepository", to: "Database" }]);
  });

  it("still responds after close", async () => {
    const beans = shop().start();
    const before = beans.graph();
    await beans.close();
    assert.deepEqual(beans.graph(), before);
  });

  it("survives a bean with an unreadable class", () => {
    const hostile = new Proxy(
      {},
      {
        get: (_, key) => {
          if (key === "constructor") throw new Error("no");
          return undefined;
        },
      },
    );
    const beans = Beans.builder().bindInstance(Interface<object>("Hostile"), hostile).start();
    assert.equal(beans.graph().nodes[0]?.implementation, "Hostile");
  });
});
