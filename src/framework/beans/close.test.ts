/** close(), a failing start, and the order of both on random graphs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Beans } from "./beans.ts";
import type { AsyncBeansBuilder, BeansBuilder } from "./builder.ts";
import { closingOrder } from "./close.ts";
import { BeanError } from "./errors.ts";
import { Interface } from "./interface.ts";
import type { BeanResolver } from "./types.ts";

type Named = { readonly name: string };
const named = (name: string): Interface<Named> => Interface(name);
const [A, B, C] = [named("A"), named("B"), named("C")];
const closing = (
  log: string[],
  name: string,
  closer: () => unknown = () => undefined,
): Named & { close(): unknown } => ({ name, close: () => (log.push(name), closer()) });

describe("close", () => {
  it("closes in reverse creation order and waits for each", async () => {
    const log: string[] = [];
    const slow = (name: string) =>
      closing(log, name, async () => (await new Promise(setImmediate), log.push(`${name} done`)));
    const beans = Beans.builder()
      .bind(A, (b) => (b.get(B), slow("A")))
      .bind(B, () => slow("B"))
      .start();
    await beans.close();
    assert.deepEqual(log, ["A", "A done", "B", "B done"]);
  });

  it("closes a bean that asked in a method before the bean it asked for, also through an alias", async () => {
    const log: string[] = [];
    const Alias = named("Alias");
    const Asking = Interface<{ ask(): Named }>("Asking");
    const beans = Beans.builder()
      .bind(C, () => closing(log, "C"))
      .bind(Asking, (b) => ({ ...closing(log, "Asking"), ask: () => b.get(Alias) }))
      .bind(A, (b) => (b.get(Asking), closing(log, "A")))
      .bind(Alias, (b) => b.get(B))
      .bind(B, () => closing(log, "B"))
      .start();
    beans.get(Asking).ask();
    await beans.close();
    assert.deepEqual(log, ["A", "Asking", "B", "C"]);
  });

  const closers: Record<string, [object, (log: string[]) => object]> = {
    "close before Symbol.asyncDispose": [
      ["close"],
      (log) => ({ close: () => log.push("close"), [Symbol.asyncDispose]: () => log.push("async") }),
    ],
    "Symbol.asyncDispose before Symbol.dispose": [
      ["async"],
      (log) => ({ [Symbol.asyncDispose]: () => log.push("async"), [Symbol.dispose]: () => log.push("sync") }),
    ],
    "Symbol.dispose": [["sync"], (log) => ({ close: "a property", [Symbol.dispose]: () => log.push("sync") })],
    "nothing without a method": [[], () => ({})],
  };
  for (const [title, [expected, make]] of Object.entries(closers)) {
    it(`${title} is called`, async () => {
      const log: string[] = [];
      await Beans.builder()
        .bind(Interface<object>("Any"), () => make(log))
        .start()
        .close();
      assert.deepEqual(log, expected);
    });
  }

  it("closes all, then reports all errors together", async () => {
    const log: string[] = [];
    const fail = (name: string) =>
      closing(log, name, () => {
        throw new Error(`no ${name}`);
      });
    const reject = (name: string) => closing(log, name, () => Promise.reject(new Error(`no ${name}`)));
    const beans = Beans.builder()
      .bind(A, () => fail("A"))
      .bind(B, () => closing(log, "B"))
      .bind(C, () => reject("C"))
      .start();
    await assert.rejects(beans.close(), (error: AggregateError) => {
      assert.equal(error.message, "2 bean(s) failed to close: no C; no A");
      assert.deepEqual(error.errors.map(String), ["Error: no C", "Error: no A"]);
      return true;
    });
    assert.deepEqual(log, ["C", "B", "A"]);
  });

  it("is idempotent, and Symbol.asyncDispose is the same", async () => {
    const log: string[] = [];
    const beans = Beans.builder()
      .bind(A, () => closing(log, "A"))
      .start();
    const disposing = beans[Symbol.asyncDispose]();
    assert.deepEqual([beans.close() === disposing, beans.close() === disposing], [true, true]);
    await disposing;
    assert.deepEqual(log, ["A"]);
  });

  it("leaves instances open, also when they have an alias", async () => {
    const log: string[] = [];
    const instance = closing(log, "A");
    await Beans.builder()
      .bind(B, () => instance)
      .bindInstance(A, instance)
      .bind(C, (b) => b.get(A))
      .start()
      .close();
    assert.deepEqual(log, []);
  });

  it("closes a bean with two names once, without its decorator", async () => {
    const log: string[] = [];
    const wrap = { decorate: <T extends object>(bean: T): T => new Proxy(bean, {}) };
    const beans = Beans.builder()
      .bind(A, (b) => b.get(B))
      .bind(B, () => closing(log, "B"))
      .instrument(wrap)
      .start();
    await beans.close();
    assert.deepEqual(log, ["B"]);
  });

  it("closes only the lazily built beans", async () => {
    const log: string[] = [];
    const beans = Beans.builder()
      .bind(A, () => closing(log, "A"))
      .bind(B, () => closing(log, "B"))
      .buildLazy();
    beans.get(B);
    await beans.close();
    assert.deepEqual(log, ["B"]);
  });
});

describe("a failing start", () => {
  const failing = (log: string[], closer?: () => unknown): BeansBuilder =>
    Beans.builder()
      .bind(A, () => closing(log, "A", closer))
      .bind(B, (b) => (b.get(A), closing(log, "B", closer)))
      .bind(C, () => {
        throw new Error("rejected");
      });

  it("has closed synchronous beans, latest first, when start() throws", () => {
    const log: string[] = [];
    assert.throws(() => failing(log).start(), { code: "BEAN_FACTORY" });
    assert.deepEqual(log, ["B", "A"]);
  });

  it("settles `cleanup` when the rest is closed, with the errors of closing", async () => {
    const log: string[] = [];
    const error = await new Promise<unknown>((resolve) => {
      try {
        failing(log, () => Promise.reject(new Error("stuck"))).start();
      } catch (thrown) {
        resolve(thrown);
      }
    });
    assert.ok(error instanceof BeanError);
    assert.deepEqual((await error.cleanup)?.map(String), ["Error: stuck", "Error: stuck"]);
    assert.deepEqual(log, ["B", "A"]);
  });

  it("closes the beans of startAsync in reverse creation order", async () => {
    const log: string[] = [];
    const D = named("D");
    const builder = failing(log, async () => (await new Promise(setImmediate), log.push("done"))).bindAsync(
      D,
      async () => closing(log, "D"),
    );
    await assert.rejects(builder.startAsync(), { code: "BEAN_FACTORY" });
    assert.deepEqual(log, ["B", "done", "A", "done", "D"]);
  });

  it("rejects calls of a leaked resolver", () => {
    let ask = (): unknown => undefined;
    const builder = Beans.builder()
      .bind(A, (b) => ((ask = () => b.get(B)), { name: "A" }))
      .bind(B, () => ({}) as never)
      .bind(C, (b) => b.get(named("D")));
    assert.throws(() => builder.start(), { code: "BEAN_MISSING" });
    assert.throws(ask, { code: "BEAN_CLOSED" });
  });
});

describe("closingOrder", () => {
  const beans = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, { name }])) as Record<string, Named>;
  const bean = (name = ""): Named => beans[name] ?? assert.fail();
  /** Beans created in alphabetical order. "a>b" means that a uses b. */
  const orderOf = (...edges: readonly string[]): string => {
    const users = new Map<object, Set<object>>();
    for (const [from, , to] of edges) users.set(bean(to), (users.get(bean(to)) ?? new Set()).add(bean(from)));
    return closingOrder(Object.values(beans), users)
      .map((one) => (one as Named).name)
      .join("");
  };
  const cases: Record<string, [edges: readonly string[], order: string]> = {
    "the latest first": [[], "edcba"],
    "the latest first when they use earlier beans": [["e>a", "d>c", "c>a"], "edcba"],
    "a bean before the beans it uses, and its users before it": [["a>d", "b>a"], "ebadc"],
    "the latest of a round first": [["a>c", "c>b", "b>a"], "edcba"],
    "the latest of a cycle first, before a bean that one of them uses": [["a>c", "c>b", "b>a", "b>e"], "cbaed"],
    "a user of one bean in a cycle before the whole cycle": [["c>d", "d>c", "a>d"], "eadcb"],
    "two cycles in the order of their use": [["d>e", "e>d", "a>b", "b>a", "a>e"], "baedc"],
    "a bean that uses itself as any other": [["c>c", "a>c"], "edacb"],
  };
  for (const [title, [edges, order]] of Object.entries(cases))
    it(`has ${title}`, () => assert.equal(orderOf(...edges), order));
});

/**
 * A random DAG. Bean i may need any j of its list with j < i, and ask for any j of another one later. `order` is the binding
 * order.
 */
const dag = fc.integer({ min: 1, max: 14 }).chain((size) => {
  const below = (i: number) => fc.subarray(Array.from({ length: i }, (_, j) => j));
  const all = Array.from({ length: size }, (_, i) => i);
  return fc.record({
    needs: fc.tuple(...all.map(below)),
    asks: fc.oneof(fc.constant([]), fc.tuple(...all.map(below))),
    order: fc.shuffledSubarray(all, { minLength: size }),
    isAsync: fc.array(fc.boolean(), { minLength: size, maxLength: size }),
    way: fc.constantFrom("start", "buildLazy", "startAsync"),
  });
});

type Asking = Named & { ask(): void };

describe("creation and closing", () => {
  it("are topological on any acyclic graph, and exactly reverse without later dependencies", async () => {
    await fc.assert(
      fc.asyncProperty(dag, async ({ needs, asks, order, isAsync, way }) => {
        const types = needs.map((_, i): Interface<Asking> => Interface(`n${i}`));
        const typeOf = (i: number): Interface<Asking> => types[i] ?? assert.fail(`no type ${i}`);
        const [made, closed]: [string[], string[]] = [[], []];
        const factory = (i: number) => (b: BeanResolver) => {
          for (const j of needs[i] ?? []) b.get(typeOf(j));
          const finish = (): Asking => {
            made.push(`n${i}`);
            return { ...closing(closed, `n${i}`), ask: () => asks[i]?.forEach((j) => b.get(typeOf(j))) };
          };
          return { now: finish, later: async () => (await new Promise(setImmediate), finish()) };
        };
        let builder: AsyncBeansBuilder = Beans.builder();
        for (const i of order) {
          const make = factory(i);
          if (way === "startAsync" && isAsync[i] === true)
            builder = builder.bindAsync(typeOf(i), async (b) => make(b).later());
          else builder = (builder as BeansBuilder).bind(typeOf(i), (b) => make(b).now());
        }
        const beans = await (way === "startAsync" ? builder.startAsync() : (builder as BeansBuilder)[way as "start"]());
        for (const type of types.toReversed()) beans.get(type).ask();
        assert.equal(made.length, needs.length);
        for (const [from, list] of needs.entries())
          for (const to of list)
            assert.ok(made.indexOf(`n${to}`) < made.indexOf(`n${from}`), `${from} needs ${to}: ${made.join()}`);
        const edges = needs.flatMap((list, i) => [...new Set([...list, ...(asks[i] ?? [])])].map((j) => `n${i}>n${j}`));
        const seen = beans.graph().edges.map(({ from, to }) => `${from}>${to}`);
        assert.deepEqual(seen.toSorted(), edges.toSorted());
        await beans.close();
        if (asks.length === 0) assert.deepEqual(closed, made.toReversed());
        for (const edge of edges) {
          const [from, to] = edge.split(">") as [string, string];
          assert.ok(closed.indexOf(from) < closed.indexOf(to), `${edge}: ${closed.join()}`);
        }
      }),
      { numRuns: 200 },
    );
  });
});
