/** close(), a failing start, and the order of both on random graphs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Beans } from "./beans.ts";
import type { BeansBuilder } from "./builder.ts";
import { BeanError } from "./errors.ts";
import { Interface } from "./interface.ts";

type Named = { readonly name: string };
const named = (name: string): Interface<Named> => Interface(name);
const [A, B, C] = [named("A"), named("B"), named("C")];
const closing = (
  log: string[],
  name: string,
  closer: () => unknown = () => undefined,
): Named & { close(): unknown } => ({
  name,
  close: () => (log.push(name), closer()),
});

describe("close", () => {
  it("BEAN-019: closes in reverse creation order and waits for each", async () => {
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

  const closers: Record<string, [object, (log: string[]) => object]> = {
    "BEAN-020: close before Symbol.asyncDispose": [
      ["close"],
      (log) => ({ close: () => log.push("close"), [Symbol.asyncDispose]: () => log.push("async") }),
    ],
    "BEAN-020: Symbol.asyncDispose before Symbol.dispose": [
      ["async"],
      (log) => ({ [Symbol.asyncDispose]: () => log.push("async"), [Symbol.dispose]: () => log.push("sync") }),
    ],
    "BEAN-020: Symbol.dispose": [
      ["sync"],
      (log) => ({ close: "a property", [Symbol.dispose]: () => log.push("sync") }),
    ],
    "BEAN-020: nothing where there is nothing": [[], () => ({})],
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

  it("BEAN-021 BEAN-032: closes all, then reports every error at once", async () => {
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

  it("BEAN-023: is idempotent, and Symbol.asyncDispose is the same", async () => {
    const log: string[] = [];
    const beans = Beans.builder()
      .bind(A, () => closing(log, "A"))
      .start();
    const disposing = beans[Symbol.asyncDispose]();
    assert.deepEqual([beans.close() === disposing, beans.close() === disposing], [true, true]);
    await disposing;
    assert.deepEqual(log, ["A"]);
  });

  it("BEAN-022: leaves instances open, also behind an alias", async () => {
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

  it("BEAN-020: closes a bean with two names once, past its decorator", async () => {
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

  it("closes only what was built lazily", async () => {
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

  it("BEAN-024: has closed synchronous beans, latest first, when start() throws", () => {
    const log: string[] = [];
    assert.throws(() => failing(log).start(), { code: "BEAN_FACTORY" });
    assert.deepEqual(log, ["B", "A"]);
  });

  it("tells by `cleanup` when the rest is closed, and what that threw", async () => {
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

  it("BEAN-024: closes in reverse creation order what startAsync had created", async () => {
    const log: string[] = [];
    const D = named("D");
    const builder = failing(log, async () => (await new Promise(setImmediate), log.push("done"))).bindAsync(
      D,
      async () => closing(log, "D"),
    );
    await assert.rejects(builder.startAsync(), { code: "BEAN_FACTORY" });
    assert.deepEqual(log, ["B", "done", "A", "done", "D"]);
  });

  it("rejects questions from a resolver that leaked", () => {
    let ask = (): unknown => undefined;
    const builder = Beans.builder()
      .bind(A, (b) => ((ask = () => b.get(B)), { name: "A" }))
      .bind(B, () => ({}) as never)
      .bind(C, (b) => b.get(named("D")));
    assert.throws(() => builder.start(), { code: "BEAN_MISSING" });
    assert.throws(ask, { code: "BEAN_CLOSED" });
  });
});

/** A random DAG: bean i may need any j of its list with j < i; `order` is the binding order, `async` who is async. */
const dag = fc.integer({ min: 1, max: 14 }).chain((size) =>
  fc.record({
    needs: fc.tuple(...Array.from({ length: size }, (_, i) => fc.subarray(Array.from({ length: i }, (_, j) => j)))),
    order: fc.shuffledSubarray(
      Array.from({ length: size }, (_, i) => i),
      { minLength: size },
    ),
    lazy: fc.boolean(),
  }),
);

describe("creation and closing", () => {
  it("BEAN-019: are topological and exactly reverse on any graph without cycles", async () => {
    await fc.assert(
      fc.asyncProperty(dag, async ({ needs, order, lazy }) => {
        const types = needs.map((_, i) => named(`n${i}`));
        const typeOf = (i: number): Interface<Named> => types[i] ?? assert.fail(`no type ${i}`);
        const [made, closed]: [string[], string[]] = [[], []];
        let builder = Beans.builder();
        for (const i of order) {
          builder = builder.bind(typeOf(i), (b) => {
            for (const j of needs[i] ?? []) b.get(typeOf(j));
            made.push(`n${i}`);
            return closing(closed, `n${i}`);
          });
        }
        const beans = lazy ? builder.buildLazy() : builder.start();
        if (lazy) for (const type of types.toReversed()) beans.get(type);
        const edges = needs.flatMap((list, i) => list.map((j) => `n${i}>n${j}`));
        assert.equal(made.length, needs.length);
        for (const edge of edges) {
          const [from, to] = edge.split(">") as [string, string];
          assert.ok(made.indexOf(to) < made.indexOf(from), `${edge} in ${made.join()}`);
        }
        assert.deepEqual(
          beans
            .graph()
            .edges.map(({ from, to }) => `${from}>${to}`)
            .toSorted(),
          edges.toSorted(),
        );
        await beans.close();
        assert.deepEqual(closed, made.toReversed());
      }),
      { numRuns: 200 },
    );
  });
});
