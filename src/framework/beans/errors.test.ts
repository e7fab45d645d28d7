/** BeanError: every mistake, its code, its chain and the advice in its message. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { BeanError, beanErrorCodes } from "./errors.ts";
import { Interface } from "./interface.ts";

type Thing = { id?: string };
const thing = (name: string): Interface<Thing> => Interface(name);
const [A, B, C] = [thing("A"), thing("B"), thing("C")];

async function faultOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    assert.ok(error instanceof BeanError, String(error));
    return `${error.code} ${error.message}`;
  }
  throw new assert.AssertionError({ message: "nothing was thrown" });
}

const cycleAdvice =
  "these beans need each other to be created. Let one of them call b.get later, inside a method, or move what they share into a third bean.";
const table: Record<string, [() => unknown, string]> = {
  "a missing bean": [
    () =>
      Beans.builder()
        .bind(A, (b) => b.get(B))
        .bind(B, (b) => b.get(C))
        .start(),
    "BEAN_MISSING A → B → C: it is not bound. Add .bind(C, …).",
  ],
  "a missing bean with a namesake": [
    () =>
      Beans.builder()
        .bind(A, (b) => b.get(thing("A")))
        .bind(B, () => ({}))
        .start(),
    "BEAN_MISSING A → A: it is not bound. Add .bind(A, …). Another A is bound: types are compared by identity, so export one and import it.",
  ],
  "a missing bean that an async one asks for later": [
    () => {
      const Later = Interface<{ ask(): Thing }>("Later");
      return Beans.builder()
        .bindAsync(Later, async (b) => ({ ask: () => b.get(C) }))
        .bind(A, (b) => b.get(Later).ask())
        .startAsync();
    },
    "BEAN_MISSING A → Later → C: it is not bound. Add .bind(C, …).",
  ],
  "a cycle": [
    () =>
      Beans.builder()
        .bind(A, (b) => b.get(B))
        .bind(B, (b) => b.get(C))
        .bind(C, (b) => b.get(A))
        .start(),
    `BEAN_CYCLE A → B → C → A: ${cycleAdvice}`,
  ],
  "a cycle after another bean": [
    () =>
      Beans.builder()
        .bind(A, (b) => b.get(B))
        .bind(B, (b) => b.get(B))
        .start(),
    `BEAN_CYCLE B → B: ${cycleAdvice}`,
  ],
  "a cycle closed by a bean that asks later": [
    () => {
      const Later = Interface<{ ask(): Thing }>("Later");
      return Beans.builder()
        .bind(Later, (b) => ({ ask: () => b.get(A) }))
        .bind(A, (b) => b.get(Later).ask())
        .start();
    },
    `BEAN_CYCLE A → Later → A: ${cycleAdvice}`,
  ],
  "a cycle through an async bean": [
    () =>
      Beans.builder()
        .bindAsync(A, async (b) => (await new Promise(setImmediate), b.get(B)))
        .bind(B, (b) => b.get(A))
        .startAsync(),
    `BEAN_CYCLE A → B → A: ${cycleAdvice}`,
  ],
  "a cycle by the resolver of an async bean that is still being built": [
    () => {
      let ask = (): Thing => ({});
      return Beans.builder()
        .bindAsync(A, async (b) => {
          ask = () => b.get(B);
          await new Promise(setImmediate);
          return b.get(B);
        })
        .bind(B, () => ask())
        .startAsync();
    },
    `BEAN_CYCLE B: ${cycleAdvice}`,
  ],
  "a type bound twice": [
    () =>
      Beans.builder()
        .bind(A, () => ({}))
        .bindInstance(A, {}),
    "BEAN_DUPLICATE A: A is bound twice. Remove one, or replace the first with .override(A, …).",
  ],
  "an override of what is not bound": [
    () =>
      Beans.builder()
        .bind(B, () => ({}))
        .override(A, () => ({})),
    "BEAN_MISSING A: it is not bound yet, so there is nothing to override. Add .bind(A, …) before.",
  ],
  "an override of a namesake": [
    () =>
      Beans.builder()
        .bind(thing("A"), () => ({}))
        .override(A, () => ({})),
    "BEAN_MISSING A: it is not bound yet, so there is nothing to override. Add .bind(A, …) before. Another A is bound: types are compared by identity, so export one and import it.",
  ],
  "an override of what the container below has": [
    () =>
      Beans.builder(
        Beans.builder()
          .bind(A, () => ({}))
          .start(),
      ).override(A, () => ({})),
    "BEAN_DUPLICATE A: A is bound in the container below, which has started. Override it in the builder of that one.",
  ],
  "an override that gives a promise": [
    () =>
      Beans.builder()
        .bind(A, () => ({}))
        .override(A, () => Promise.resolve({}) as never)
        .start(),
    "BEAN_PROMISE A: its factory returned a promise. Await it before, and let override's factory return what it brings.",
  ],
  "an override of undefined": [
    () => Beans.builder().override(undefined as never, () => ({}) as never),
    "BEAN_TYPE undefined: a bean is bound by an interface token or a class. If this is an import, the modules probably import each other.",
  ],
  "an override with an unknown stereotype": [
    () =>
      Beans.builder()
        .bind(A, () => ({}))
        .override(A, () => ({}), { stereotype: "handler" as never }),
    "BEAN_TYPE A: handler is no stereotype. Use one of controller, service, repository, component, bean.",
  ],
  "a cycle of async beans through another one": [
    () =>
      Beans.builder()
        .bindAsync(A, async (b) => b.get(B))
        .bind(B, (b) => b.get(C))
        .bindAsync(C, async (b) => (await null, b.get(A)))
        .startAsync(),
    `BEAN_CYCLE C → A → B → C: ${cycleAdvice}`,
  ],
  "a cycle of three async beans, which a fourth waits for": [
    () => {
      const D = thing("D");
      return Beans.builder()
        .bindAsync(D, async (b) => b.get(B))
        .bindAsync(A, async (b) => b.get(B))
        .bindAsync(B, async (b) => b.get(C))
        .bindAsync(C, async (b) => b.get(A))
        .startAsync();
    },
    `BEAN_CYCLE C → A → B → C: ${cycleAdvice}`,
  ],
  "an async bean that needs itself, after an await": [
    () =>
      Beans.builder()
        .bindAsync(A, async (b) => (await null, b.get(A)))
        .startAsync(),
    `BEAN_CYCLE A → A: ${cycleAdvice}`,
  ],
  "an async bean that needs itself by the method of another": [
    () => {
      const Later = Interface<{ ask(): Thing }>("Later");
      return Beans.builder()
        .bind(Later, (b) => ({ ask: () => b.get(A) }))
        .bindAsync(A, async (b) => (await null, b.get(Later).ask()))
        .startAsync();
    },
    `BEAN_CYCLE A → Later → A: ${cycleAdvice}`,
  ],
  "an async bean asked for by a timer before it is built": [
    async () => {
      const Later = Interface<{ ask(): Thing }>("Later");
      let told: unknown;
      const asked = (later: { ask(): Thing }): void => {
        try {
          later.ask();
        } catch (error) {
          told = error;
        }
      };
      await Beans.builder()
        .bind(Later, (b) => ({ ask: () => b.get(A) }))
        .bindAsync(A, (b) => {
          const later = b.get(Later);
          return new Promise((resolve) => setImmediate(() => resolve((asked(later), {}))));
        })
        .startAsync();
      throw told;
    },
    "BEAN_NOT_READY Later → A: A is async and not built yet. Await startAsync().",
  ],
  "an async factory that caches the error that stopped it": [
    () => {
      let kept: Promise<Thing> | undefined;
      return Beans.builder()
        .bindAsync(A, (b) => (kept ??= Promise.resolve().then(() => b.get(B))))
        .bindAsync(B, async () => (await new Promise(setImmediate), {}))
        .startAsync();
    },
    "BEAN_NOT_READY A → B: B is async and not built yet. Await startAsync().",
  ],
  "start() with an async bean": [
    () => (Beans.builder().bindAsync(A, async () => ({})) as unknown as { start(): unknown }).start(),
    "BEAN_ASYNC A: it is bound with bindAsync, and start() cannot wait. Use await startAsync().",
  ],
  "buildLazy() with an async bean": [
    () => (Beans.builder().bindAsync(A, async () => ({})) as unknown as { buildLazy(): unknown }).buildLazy(),
    "BEAN_ASYNC A: it is bound with bindAsync, and buildLazy() cannot wait. Use await startAsync().",
  ],
  "a factory that gives undefined": [
    () =>
      Beans.builder()
        .bind(A, (b) => b.get(B))
        .bind(B, () => undefined as never)
        .start(),
    "BEAN_NOT_AN_OBJECT A → B: its factory returned undefined. A bean is an object; is a return missing?",
  ],
  "an async factory that gives null": [
    () =>
      Beans.builder()
        .bindAsync(A, async () => null as never)
        .startAsync(),
    "BEAN_NOT_AN_OBJECT A: its factory resolved to null. A bean is an object; is a return missing?",
  ],
  "a factory that gives a promise": [
    () =>
      Beans.builder()
        .bind(A, () => Promise.reject(new Error("late")) as never)
        .start(),
    "BEAN_PROMISE A: its factory returned a promise. Use bindAsync and await startAsync().",
  ],
  "a factory that gives a thenable": [
    () =>
      Beans.builder()
        .bind(A, () => ({ then: () => undefined }) as never)
        .start(),
    "BEAN_PROMISE A: its factory returned a promise. Use bindAsync and await startAsync().",
  ],
  "an instance that is a promise": [
    () => Beans.builder().bindInstance(A, Promise.resolve({}) as never),
    "BEAN_PROMISE A: bindInstance was given a promise. Use bindAsync and await startAsync().",
  ],
  "an instance that is none": [
    () => Beans.builder().bindInstance(A, undefined as never),
    "BEAN_NOT_AN_OBJECT A: bindInstance was given undefined. A bean is an object; is a return missing?",
  ],
  "a factory that throws": [
    () =>
      Beans.builder()
        .bind(A, (b) => b.get(B))
        .bind(B, () => {
          throw new Error("rejected");
        })
        .start(),
    "BEAN_FACTORY A → B: its factory threw: rejected",
  ],
  "an async factory that rejects": [
    () =>
      Beans.builder()
        .bindAsync(A, () => Promise.reject(new Error("rejected")))
        .startAsync(),
    "BEAN_FACTORY A: its factory threw: rejected",
  ],
  "an async factory that throws at once": [
    () =>
      Beans.builder()
        .bindAsync(A, () => {
          throw new Error("rejected");
        })
        .startAsync(),
    "BEAN_FACTORY A: its factory threw: rejected",
  ],
  "asking after close": [
    async () => {
      const beans = Beans.builder()
        .bind(A, () => ({}))
        .start();
      await beans.close();
      beans.get(A);
    },
    "BEAN_CLOSED A: the container is closed. Ask for beans before close(), or start another container.",
  ],
  "a type that is undefined": [
    () => Beans.builder().bind(undefined as never, () => ({}) as never),
    "BEAN_TYPE undefined: a bean is bound by an interface token or a class. If this is an import, the modules probably import each other.",
  ],
  "a token without a name": [
    () => Interface(" "),
    'BEAN_TYPE Interface: a token needs a name: Interface<Clock>("Clock").',
  ],
  "a token whose name is no text": [
    () => Interface(7 as never),
    'BEAN_TYPE Interface: a token needs a name: Interface<Clock>("Clock").',
  ],
  "an unknown stereotype": [
    () => Interface("A", { stereotype: "handler" as never }),
    "BEAN_TYPE A: handler is no stereotype. Use one of controller, service, repository, component, bean.",
  ],
};

describe("BeanError", () => {
  for (const [title, [act, expected]] of Object.entries(table)) {
    it(`${title} is named`, async () => assert.equal(await faultOf(act), expected));
  }

  it("rejects a text, a symbol, an object and a function as a type", async () => {
    const keys = [
      "A",
      null,
      Symbol("A"),
      { name: "A" },
      () => ({}),
      async function later() {},
      Object.assign(function bare() {}, { prototype: null }),
    ];
    const told = await Promise.all(keys.map((key) => faultOf(() => Beans.builder().bind(key as never, () => ({})))));
    assert.deepEqual(
      told.map((text) => text.split(" ")[0]),
      keys.map(() => "BEAN_TYPE"),
    );
  });

  it("carries the factory's error as its cause", () => {
    const cause = new Error("rejected");
    const builder = Beans.builder().bind(A, () => {
      throw cause;
    });
    assert.throws(
      () => builder.start(),
      (error: BeanError) => error.cause === cause && error.chain.join() === "A",
    );
    assert.throws(
      () => Beans.builder().start().get(A),
      (error: BeanError) => error.name === "BeanError" && !("cause" in error),
    );
  });

  it("has exactly the codes that are covered above and in the guide", () => {
    const codes = Object.keys(beanErrorCodes).toSorted();
    assert.deepEqual([...new Set(Object.values(table).map(([, text]) => text.split(" ")[0]))].toSorted(), codes);
    let root = new URL(".", import.meta.url);
    while (!existsSync(new URL("docs/beans.md", root)) && root.pathname !== "/") root = new URL("..", root);
    const guide = readFileSync(new URL("docs/beans.md", root), "utf8");
    assert.deepEqual([...new Set(guide.match(/BEAN_[A-Z_]+/g))].toSorted(), codes);
  });
});
