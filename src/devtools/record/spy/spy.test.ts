/**
 * The spy, with the recorder after it: an application cannot detect it.
 */
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { BeanInfo } from "framework";
import { ErrorInfos } from "../../capture/error-info.ts";
import { beginRecording, Recorder, type Recording } from "../recorder.ts";
import { noRedaction } from "../../capture/redact.ts";
import { Snapshotter } from "../../capture/snapshot.ts";
import type { Json } from "../../run/shapes.ts";

const runs = Number(process.env["FC_RUNS"] ?? 500);
const memo = Promise.resolve(7);

class Base {
  inherited(): string {
    return "inherited";
  }
  get [Symbol.toStringTag](): string {
    return "Fancy";
  }
}
class Bean extends Base {
  #count = 1;
  readonly data = { a: 1 };
  readonly arrow = (): number => this.#count;
  get size(): number {
    return this.#count;
  }
  set size(value: number) {
    this.#count = value;
  }
  more(): this {
    this.#count++;
    return this;
  }
  async later(value: unknown): Promise<unknown> {
    return value;
  }
  memo(): Promise<number> {
    return memo;
  }
  *[Symbol.iterator](): Generator<number> {
    yield this.#count;
  }
  *numbers(): Generator<number> {
    yield this.#count;
  }
  fail(): never {
    throw new TypeError("x");
  }
  async failLater(): Promise<never> {
    throw new TypeError("y");
  }
  override toString(): string {
    return `Bean ${this.#count}`;
  }
}

const info: BeanInfo = { id: "Bean", name: "Bean", type: Bean, stereotype: "bean", isInterface: true };
const names = new WeakMap<object, Json>();
const snapshots: Snapshotter = new Snapshotter({
  limits: { stringChars: 16_384, depth: 8, items: 100, nodes: 5_000, snapshotBytes: 262_144 },
  redactor: noRedaction,
  forms: new Map(),
  nameOf: (value) => names.get(value),
  quietly: (run) => recorder.quietly(run),
});
const errors = new ErrorInfos(snapshots, undefined);
const recorder: Recorder = new Recorder({ maxCalls: 500, snapshots, errors, names });
const recording = (): Recording => beginRecording(performance.now(), 500_000);

/** The raw bean, its wrapper, and the wrapper within a request. */
const ways: Readonly<Record<string, { make<T extends object>(bean: T): T; run<R>(action: () => R): R }>> = {
  raw: { make: (bean) => bean, run: (action) => action() },
  "spied outside a request": { make: (bean) => recorder.decorate(bean, info), run: (action) => action() },
  "spied within a request": {
    make: (bean) => recorder.decorate(bean, info),
    run: (action) => recorder.run(recording(), action),
  },
};

const outcome = async (action: () => unknown): Promise<unknown> => {
  try {
    const value = action();
    return value instanceof Promise ? ["promise", await value] : ["value", value];
  } catch (error) {
    return ["throws", String(error)];
  }
};

const facts: Readonly<Record<string, (bean: Bean) => unknown>> = {
  "private fields": (bean) => bean.more().size,
  "returning this": (bean) => bean.more() === bean,
  "the same promise twice": (bean) => bean.memo() === bean.memo(),
  "an arrow member": (bean) => bean.arrow(),
  "a setter": (bean) => ((bean.size = 9), bean.size),
  iteration: (bean) => [...bean],
  "a generator": (bean) => [...bean.numbers()],
  "a late member": (bean) => (Object.assign(bean, { late: () => 3 }), (bean as unknown as { late(): number }).late()),
  keys: (bean) => Object.keys(bean),
  JSON: (bean) => JSON.stringify(bean),
  inspection: (bean) => inspect(bean),
  text: (bean) => String(bean),
  "the tag": (bean) => Object.prototype.toString.call(bean),
  instanceof: (bean) => bean instanceof Bean && bean instanceof Base,
  "the constructor": (bean) => bean.constructor === Bean,
  "a function's name and length": (bean) => [bean.later.name, bean.later.length],
  "one function for one method": (bean) => bean.later === bean.later,
  "a stubbed method": (bean) => ((bean.inherited = () => "stub"), bean.inherited()),
  "a synchronous throw": (bean) => bean.fail(),
  "a rejection": (bean) => bean.failLater(),
  "a synchronous result": (bean) => typeof bean.inherited(),
  "an asynchronous result": (bean) => bean.later(5),
  "which members are enumerable": (bean) => Object.prototype.propertyIsEnumerable.call(bean, "data"),
  "awaiting the bean": async (bean) => (await bean) === bean,
};

/** A generated member: its place, its work and its end. */
interface Member {
  readonly name: string;
  readonly place: "own" | "prototype" | "inherited" | "getter" | "arrow";
  readonly ends:
    | "argument"
    | "this"
    | "itself"
    | "private"
    | "throw"
    | "resolve"
    | "reject"
    | "thenable"
    | "state"
    | "generator";
}

const member: fc.Arbitrary<Member> = fc.record({
  name: fc.constantFrom("find", "save", "then", "toJSON", "valueOf", "call", "__proto__", "0", "size"),
  place: fc.constantFrom("own", "prototype", "inherited", "getter", "arrow"),
  ends: fc.constantFrom(
    "argument",
    "this",
    "itself",
    "private",
    "throw",
    "resolve",
    "reject",
    "thenable",
    "state",
    "generator",
  ),
});

const identity = (bean: object): object => bean;
const noThis = Object.freeze({});

/** The code of a member, which depends on `this`. */
function behaviourOf(
  ends: Member["ends"],
  secrets: WeakMap<object, number>,
): (this: object, ...args: unknown[]) => unknown {
  const lazy = { then: () => assert.fail("a thenable was run") };
  const does: Record<Member["ends"], (self: object, args: unknown[]) => unknown> = {
    argument: (_self, args) => args[0],
    this: (self) => self,
    itself: (self) => typeof self,
    private: (self) => secrets.get(self),
    throw: (_self, args) => {
      throw args[0];
    },
    resolve: (_self, args) => Promise.resolve([args.length]),
    reject: (_self, args) => Promise.reject(args[0]),
    thenable: () => lazy,
    state: (self) => {
      const count = Number(Reflect.get(self, "count") ?? 0) + 1;
      Reflect.set(self, "count", count); // Has no effect on a frozen bean.
      return count;
    },
    generator: function* (_self, args) {
      yield* args;
    },
  };
  return function (this: object, ...args: unknown[]) {
    return does[ends](this ?? noThis, args);
  };
}

/** A bean of a class with these members. Its private state is found only by its identity. */
function generatedBean(members: readonly Member[]): object {
  const secrets = new WeakMap<object, number>();
  // oxlint-disable-next-line typescript/no-extraneous-class -- its members are made up below
  class Upper {}
  class Lower extends Upper {}
  const bean = new Lower();
  secrets.set(bean, 7);
  for (const { name, place, ends } of members) {
    const run = behaviourOf(ends, secrets);
    const holder =
      place === "own" || place === "arrow" ? bean : place === "inherited" ? Upper.prototype : Lower.prototype;
    const value = place === "arrow" ? (...args: unknown[]): unknown => run.call(bean, ...args) : run;
    const shape = place === "getter" ? { get: () => value } : { value, writable: true };
    Object.defineProperty(holder, name, { ...shape, configurable: true, enumerable: place === "own" });
  }
  return bean;
}

/** One step of a bean's life, with the way and the value of its result. */
type Step = readonly [how: string, value: unknown];

/** Calls every member twice, and returns the results; a result that is the bean itself is written as "bean". */
async function history(
  members: readonly Member[],
  args: readonly unknown[],
  wrap: typeof identity,
  run: <T>(action: () => T) => T,
): Promise<readonly Step[]> {
  const bean = wrap(generatedBean(members));
  const named = (value: unknown): unknown => (value === bean ? "bean" : value);
  const steps: Step[] = [];
  for (const { name, place, ends } of [...members, ...members]) {
    try {
      const result: unknown = run(() => {
        const method: unknown = Reflect.get(bean, name, bean);
        // A function that a getter returns is not the bean's method, so it gets no bean as `this`.
        return typeof method === "function"
          ? Reflect.apply(method, place === "getter" ? undefined : bean, args)
          : method;
      });
      if (result instanceof Promise) steps.push(["promise", named(await result)]);
      else if (ends === "generator" && typeof result === "object" && result !== null && Symbol.iterator in result)
        steps.push(["iterator", [...(result as Iterable<unknown>)]]);
      else
        steps.push([
          "value",
          typeof result === "object" && result !== null && "then" in result ? "thenable" : named(result),
        ]);
    } catch (error) {
      steps.push(["throws", error instanceof Error ? error.message : named(error)]);
    }
  }
  // A member that a bean adds to itself later is reachable through its wrapper, but not listed by it.
  const keys = Object.keys(bean).filter((key) => key !== "count");
  steps.push(["keys", keys.join()]);
  return steps;
}

function sameHistory(one: readonly Step[], other: readonly Step[]): boolean {
  const same = (a: unknown, b: unknown): boolean =>
    Object.is(a, b) ||
    (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => Object.is(item, b[i])));
  return (
    one.length === other.length && one.every(([how, value], i) => how === other[i]?.[0] && same(value, other[i]?.[1]))
  );
}

/** A bean that reports its own state. */
class Store {
  label = "new";
  declare readonly sealed: string;
  spare?: string = "spare";
  readonly #log: string[] = [];
  constructor() {
    Object.defineProperty(this, "sealed", { value: "sealed", enumerable: true });
  }
  act(): string {
    return "acted";
  }
  get fixed(): number {
    return 1;
  }
  get checked(): string {
    return this.#log.join();
  }
  set checked(value: string) {
    if (value === "") throw new RangeError("nothing to check");
    this.#log.push(value);
  }
  seen(): unknown {
    return [this.label, this.act(), this.checked, inspect(Object.entries(this)), Object.isFrozen(this)];
  }
}
const members = (store: Store): Record<string, unknown> => store as unknown as Record<string, unknown>;
const frozen: unique symbol = Symbol("frozen");

/** Changes to a bean from outside. */
const changes: Readonly<Record<string, (store: Store) => unknown>> = {
  "a field is assigned": (store) => (store.label = "changed"),
  "a method is assigned": (store) => ((store.act = () => "replaced"), store.act()),
  "a method is assigned twice": (store) => ((store.act = () => "a"), store.act(), (store.act = () => "b"), store.act()),
  "a new member is assigned": (store) => (members(store)["late"] = 1),
  "a symbol is assigned": (store) => Reflect.set(store, frozen, 1) && Reflect.get(store, frozen),
  "toJSON is assigned": (store) => ((members(store)["toJSON"] = () => "text"), JSON.stringify(store)),
  "a setter is called": (store) => (store.checked = "x"),
  "a setter throws": (store) => (store.checked = ""),
  "a member without a setter is assigned": (store) => (members(store)["fixed"] = 2),
  "a read-only member is assigned": (store) => (members(store)["sealed"] = "open"),
  "a field is deleted": (store) => [delete store.spare, "spare" in store, store.spare],
  "an own method is deleted": (store) => ((store.act = () => "own"), delete members(store)["act"], store.act()),
  "a field is deleted and assigned again": (store) => (delete store.spare, (store.spare = "again"), store.spare),
  "a method of the class is deleted": (store) => [delete members(store)["act"], store.act()],
  "Object.assign": (store) => Object.assign(store, { label: "b", act: () => "assigned" }) === store,
  "Reflect.set": (store) => Reflect.set(store, "label", "c"),
  "own members are listed": (store) => [Object.keys(store), { ...store }],
  "members are assigned and then listed": (store) => (
    (members(store)["late"] = 1),
    (store.label = "x"),
    Object.entries(store)
  ),
  "an object that inherits from it gets a new member": (store) => {
    const child = Object.create(store) as Store;
    members(child)["late"] = 1;
    return [Object.keys(child), "late" in store, members(store)["late"]];
  },
  "an object inherits from it": (store) => {
    const child = Object.create(store) as Store;
    child.label = "child";
    return [Object.keys(child), child.label, store.label];
  },
};

/** Changes to a frozen one. */
const rejections: Readonly<Record<string, (store: Store) => unknown>> = {
  "a frozen field is assigned": (store) => (store.label = "changed"),
  "a frozen method is assigned": (store) => (store.act = () => "replaced"),
  "a frozen field is deleted": (store) => assert.throws(() => delete store.spare, TypeError),
  "a new member is rejected": (store) => (members(store)["late"] = 1),
};

describe("a wrapper is changed like the bean", () => {
  for (const [what, change] of Object.entries({ ...changes, ...rejections })) {
    it(`when ${what}`, async () => {
      const seen = await Promise.all(
        Object.values(ways).map(async ({ make, run }) => {
          const bean = new Store();
          if (what in rejections) Object.freeze(bean);
          const store = make(bean);
          const came = await outcome(() => run(() => change(store)));
          return [came, bean.seen(), store.seen()];
        }),
      );
      assert.deepEqual(seen.slice(1), [seen[0], seen[0]]);
    });
  }
});

describe("Recorder.decorate", () => {
  for (const [what, fact] of Object.entries(facts)) {
    it(`does not change ${what}`, async () => {
      const seen = await Promise.all(
        Object.values(ways).map(({ make, run }) => outcome(() => run(() => fact(make(new Bean()))))),
      );
      assert.deepEqual(seen.slice(1), [seen[0], seen[0]]);
    });
  }

  it("a wrapper returns and throws the same as the bean, for any value, and does not call thenables", async () => {
    let ran = 0;
    const thenable = { then: () => void ran++ };
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.constantFrom("return", "throw", "resolve", "reject"), async (value, how) => {
        const make = (): { act(given: unknown): unknown } => ({
          act(given) {
            if (how === "throw") throw given;
            return how === "return" ? given : how === "resolve" ? Promise.resolve(given) : Promise.reject(given);
          },
        });
        const seen = await Promise.all(
          Object.values(ways).map(async ({ make: wrap, run }) => {
            try {
              const result = run(() => wrap(make()).act(value));
              return result instanceof Promise ? ["promise", await result] : ["value", result];
            } catch (error) {
              return ["throws", error];
            }
          }),
        );
        for (const [kind, got] of seen) assert.ok(kind === seen[0]?.[0] && Object.is(got, seen[0]?.[1]));
      }),
      { numRuns: runs },
    );
    assert.equal(
      recorder.run(recording(), () => recorder.decorate({ lazy: () => thenable }, info).lazy()),
      thenable,
    );
    assert.equal(ran, 0);
  });

  it("replaces any class, member by member, without a difference", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(member, { minLength: 1, maxLength: 6, selector: ({ name }) => name }),
        fc.array(fc.anything(), { maxLength: 3 }),
        async (members, args) => {
          const seen = await Promise.all(
            Object.values(ways).map(({ make: wrap, run }) => history(members, args, wrap as typeof identity, run)),
          );
          for (const other of seen.slice(1))
            assert.ok(sameHistory(seen[0] ?? [], other), inspect({ members, seen }, { depth: 6 }));
        },
      ),
      { numRuns: runs },
    );
  });

  it("a rejection that no code handles still raises unhandledRejection", async () => {
    const { run, make } = ways["spied within a request"] ?? assert.fail();
    const seen: unknown[] = [];
    const before = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", (error) => seen.push(error));
    const bean = make(new Bean());
    void run(() => bean.failLater());
    run(() => bean.failLater()).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
    assert.deepEqual(seen.map(String), ["TypeError: y"]);
  });

  it("calls over the bound and after the end are counted, and running ones are pending", async () => {
    const small = new Recorder({ maxCalls: 2, snapshots, errors });
    const bean = small.decorate(new Bean(), info);
    const open = recording();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const late = small.run(open, async () => {
      bean.inherited();
      void small.decorate({ wait: () => gate }, info).wait();
      bean.inherited();
      await gate;
      bean.inherited();
    });
    const calls = small.finish(open).calls;
    release();
    await late;
    assert.deepEqual(
      calls.map(({ result, durationUs }) => [result, durationUs === null]),
      [
        ["inherited", false],
        [{ $pending: true }, true],
      ],
    );
    assert.equal(open.dropped.count, 2);
  });

  it("a bean bound as a class is returned unchanged", () => {
    const bean = new Bean();
    assert.equal(recorder.decorate(bean, { ...info, isInterface: false }), bean);
    assert.notEqual(recorder.decorate(bean, info), bean);
  });

  it("a synchronous method stays synchronous", () => {
    const { make, run } = ways["spied within a request"] ?? assert.fail();
    const bean = make(new Bean());
    assert.deepEqual([run(() => bean.inherited()), bean.size], ["inherited", 1]);
    assert.throws(() => run(() => bean.fail()), TypeError);
  });

  it("a recorder that fails changes neither results nor errors", async () => {
    const fails = (): never => {
      throw new Error("the recorder failed");
    };
    const failing = new Recorder({ maxCalls: 500, snapshots: new Proxy(snapshots, { get: fails }), errors });
    const bean = failing.decorate(new Bean(), info);
    const seen = await failing.run(recording(), () =>
      Promise.all(
        [() => bean.inherited(), () => bean.fail(), () => bean.later(5), () => bean.failLater()].map(outcome),
      ),
    );
    assert.deepEqual(seen, [
      ["value", "inherited"],
      ["throws", "TypeError: x"],
      ["promise", 5],
      ["throws", "TypeError: y"],
    ]);
    assert.ok(failing.failures > 0);
  });

  it("a bean's calls on itself are not recorded", () => {
    class Self {
      outer(): string {
        return this.inner();
      }
      inner(): string {
        return "inner";
      }
    }
    const bean = recorder.decorate(new Self(), info);
    const open = recording();
    assert.equal(
      recorder.run(open, () => bean.outer() + bean.inner()),
      "innerinner",
    );
    const methods = recorder.finish(open).calls.map(({ method, parentId }) => [method, parentId]);
    assert.deepEqual(methods, [
      ["outer", null],
      ["inner", null],
    ]);
  });

  it("TRACE-020: arguments have their values from the start of the call", () => {
    const bean = recorder.decorate({ add: (list: number[]) => list.push(2) }, info);
    const open = recording();
    recorder.run(open, () => bean.add([1]));
    assert.deepEqual(
      recorder.finish(open).calls.map(({ args, result }) => [args, result]),
      [[[[1]], 2]],
    );
  });

  it("runs no properties of a method", () => {
    const method = Object.assign((n: number): number => n + 1, {
      call: () => assert.fail("call"),
      apply: () => assert.fail("apply"),
    });
    const bean = { method, replaced: (n: number): number => n };
    const wrapper = recorder.decorate(bean, info);
    bean.replaced = new Proxy(bean.replaced, { get: (_target, key) => assert.fail(String(key)) });
    const results = (): number[] => [wrapper.method(1), wrapper.replaced(7)];
    assert.deepEqual(
      [results(), recorder.run(recording(), results)],
      [
        [2, 7],
        [2, 7],
      ],
    );
  });

  /** Beans that are not just instances of a class with methods, and operations on them. */
  const unusual: Readonly<Record<string, () => readonly [bean: object, use: (bean: never) => unknown]>> = {
    "a class is a member": () => {
      const Kind = class {
        named(): string {
          return "kind";
        }
      };
      return [{ Kind }, (bean: { Kind: typeof Kind }) => [bean.Kind === Kind, new bean.Kind().named()]];
    },
    "an empty class is a member": () => {
      // oxlint-disable-next-line typescript/no-extraneous-class -- it is what is looked at
      const Kind = class {};
      return [{ Kind }, (bean: { Kind: typeof Kind }) => [bean.Kind === Kind, new bean.Kind() instanceof Kind]];
    },
    "a function that constructs is a member": () => {
      function Old(): void {}
      (Old.prototype as { named: () => string }).named = () => "old";
      const use = (bean: { Old: typeof Old }): unknown => [bean.Old === Old, Reflect.construct(bean.Old, []).named()];
      return [{ Old }, use];
    },
    "a function without a usual prototype is a member": () => {
      const plain = (value: unknown): (() => number) => {
        const run = function (): number {
          return 7;
        };
        run.prototype = value;
        return run;
      };
      const bean = { none: plain(null), number: plain(1), empty: plain({}) };
      return [bean, (used: typeof bean) => [used.none(), used.number(), used.empty()]];
    },
    "it has no prototype": () => {
      const bean = Object.assign(Object.create(null) as { act: () => number }, { act: () => 7 });
      return [bean, (used: typeof bean) => [used.act(), Object.getPrototypeOf(bean), "toString" in used]];
    },
    "what it inherits is enumerable": () => {
      const bean = Object.assign(Object.create({ up: () => 1 }) as { up: () => number }, { own: () => 2 });
      return [bean, (used: typeof bean & { own: () => number }) => [Object.keys(used), used.up(), used.own()]];
    },
    "what it has is not": () => {
      const bean = Object.defineProperty({}, "act", { value: () => 7 }) as { act: () => number };
      return [
        bean,
        (used: typeof bean) => [Object.keys(used), Object.getOwnPropertyDescriptor(used, "act")?.configurable],
      ];
    },
    "it overrides what it inherits": () => {
      class Upper {
        act(): string {
          return "upper";
        }
      }
      class Lower extends Upper {
        override act(): string {
          return `lower, ${super.act()}`;
        }
      }
      return [new Lower(), (used: Lower) => used.act()];
    },
    "a method runs with another this, or none": () => {
      const bean = {
        who(this: unknown, ..._: unknown[]): string {
          return this === undefined ? "none" : Array.isArray(this) ? "a list" : "the bean";
        },
        toString(this: unknown): string {
          return Array.isArray(this) ? "a list" : "the bean";
        },
      };
      const use = ({ who, ...rest }: typeof bean): unknown => [
        Reflect.apply(who, undefined, []),
        Reflect.apply(who, [], [1]),
        Reflect.apply(who, [], [1, 2, 3]),
        rest.toString(),
        Reflect.apply(rest.toString, [], []),
      ];
      return [bean, use];
    },
    "a method is gone while it is held": () => {
      const bean: { act?: (...args: number[]) => string } = { act: () => "held" };
      const use = (used: typeof bean): unknown => {
        const { act } = used;
        delete bean.act;
        return [act?.(), act?.(1), act?.(1, 2), act?.(1, 2, 3)];
      };
      return [bean, use];
    },
    "methods return the bean": () => {
      const bean = {
        act(..._: number[]): object {
          return this;
        },
        valueOf(): object {
          return this;
        },
      };
      const use = (used: typeof bean): unknown =>
        [used.act(), used.act(1), used.act(1, 2), used.act(1, 2, 3), used.valueOf()].map((one) => one === used);
      return [bean, use];
    },
    "a method has members": () => {
      const act = Object.assign((a: number) => a, { note: "noted" });
      return [{ act }, (used: { act: typeof act }) => [used.act.note, used.act.length, used.act.name]];
    },
    "it is printed and serialised": () => [
      { a: 1, act: () => 7 },
      (used: object) => [inspect(used), JSON.stringify([used])],
    ],
  };
  for (const [what, make] of Object.entries(unusual))
    it(`changes nothing if ${what}`, async () => {
      const seen = await Promise.all(
        Object.values(ways).map(({ make: wrap, run }) => {
          const [bean, use] = make();
          const used = wrap(bean);
          return outcome(() => run(() => use(used as never)));
        }),
      );
      assert.deepEqual(seen.slice(1), [seen[0], seen[0]]);
      assert.equal((seen[0] as readonly unknown[])[0], "value", inspect(seen[0]));
    });

  it("records no call of methods that the language itself calls, or that every object has", async () => {
    const named = { toString: () => "s", toLocaleString: () => "l", valueOf: () => 7, toJSON: () => "j" };
    const bean = recorder.decorate({ ...named, [Symbol.iterator]: () => [1].values(), act: () => 1 }, info);
    // oxlint-disable-next-line unicorn/no-thenable -- it is what is looked at
    const thenable = recorder.decorate({ then: (resolve: (value: string) => void) => resolve("then") }, info);
    const open = recording();
    const seen = await recorder.run(open, async () => [
      bean.toString(),
      bean.toLocaleString(),
      bean.valueOf(),
      JSON.stringify(bean),
      [...bean],
      Object.hasOwn(bean, "act"),
      bean.hasOwnProperty("act"),
      bean.propertyIsEnumerable("act"),
      bean.act(),
      await thenable,
    ]);
    assert.deepEqual(seen, ["s", "l", 7, '"j"', [1], true, true, true, 1, "then"]);
    assert.deepEqual(
      recorder.finish(open).calls.map(({ method }) => method),
      ["act"],
    );
  });

  it("records no call of a member that every object has, added later or not", () => {
    const bean = recorder.decorate({} as Record<string, () => number>, info);
    const open = recording();
    bean["late"] = () => 7;
    recorder.run(open, () => [bean.hasOwnProperty("x"), bean["late"]?.(), String(bean)]);
    assert.deepEqual(
      recorder.finish(open).calls.map(({ method }) => method),
      [],
    );
    const grown: Record<string, () => number> = {};
    const wrapper = recorder.decorate(grown, info);
    grown["late"] = () => 7;
    recorder.run(open, () => wrapper["late"]?.());
    const again = recording();
    assert.deepEqual([recorder.run(again, () => wrapper["late"]?.()), wrapper["late"] === wrapper["late"]], [7, true]);
    assert.deepEqual(
      recorder.finish(again).calls.map(({ method }) => method),
      ["late"],
    );
    assert.deepEqual(["late" in wrapper, "later" in wrapper], [true, false]);
    grown["late"] = () => 8;
    assert.equal(wrapper["late"]?.(), 8);
  });

  it("has an assigned member like the bean, until it is deleted", () => {
    const bean: Record<string, unknown> = { act: () => 1 };
    const wrapper = recorder.decorate(bean, info);
    wrapper["late"] = 7;
    assert.deepEqual([Object.keys(wrapper), bean["late"]], [["act", "late"], 7]);
    delete wrapper["late"];
    assert.deepEqual(["late" in wrapper, "late" in bean, Object.keys(wrapper)], [false, false, ["act"]]);
    const child = Object.create(wrapper) as Record<string, unknown>;
    child["own"] = 1;
    assert.deepEqual([Object.hasOwn(child, "own"), "own" in bean, "own" in wrapper], [true, false, false]);
    Object.defineProperty(bean, "hidden", { value: 1, writable: true, enumerable: false, configurable: true });
    wrapper["hidden"] = 2;
    assert.deepEqual([bean["hidden"], wrapper["hidden"], Object.keys(wrapper)], [2, 2, ["act"]]);
  });

  it("has the constructor of the bean, also if that is a plain function", () => {
    function Old(this: { n: number }): void {
      this.n = 1;
    }
    const bean = Reflect.construct(Old, []) as { n: number };
    const wrapper = recorder.decorate(bean, info);
    assert.deepEqual([wrapper.constructor === Old, wrapper instanceof Old, wrapper.n], [true, true, 1]);
  });

  it("passes on any number of arguments, and their number", () => {
    const bean = { count: (...args: unknown[]) => args };
    const wrapper = recorder.decorate(bean, info);
    for (const args of [[], [undefined], [1, undefined], [1, 2, 3], [1, 2, 3, undefined]]) {
      assert.deepEqual(wrapper.count(...args), args);
      const open = recording();
      assert.deepEqual(
        recorder.run(open, () => wrapper.count(...args)),
        args,
      );
      assert.equal(recorder.finish(open).calls[0]?.args.length, args.length);
    }
  });

  it("runs no trap of a prototype that is a proxy", () => {
    const trap = (): never => assert.fail("a trap ran");
    const above = new Proxy(
      {},
      { has: trap, get: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap },
    );
    const bean = Object.assign(Object.create(above) as { act?: () => number }, { act: () => 7 });
    const wrapper = recorder.decorate(bean, info);
    assert.deepEqual([wrapper.act(), recorder.run(recording(), () => wrapper.act())], [7, 7]);
    assert.equal(JSON.stringify(wrapper), "{}");
  });

  it("is serialised by the toJSON of every object, if the application adds one", async () => {
    // oxlint-disable-next-line no-extend-native -- it is what is looked at
    Object.defineProperty(Object.prototype, "toJSON", { configurable: true, value: () => "every object's" });
    try {
      const seen = await Promise.all(
        Object.values(ways).map(({ make, run }) => outcome(() => run(() => JSON.stringify(make(new Bean()))))),
      );
      assert.deepEqual(seen.slice(1), [seen[0], seen[0]]);
    } finally {
      Reflect.deleteProperty(Object.prototype, "toJSON");
    }
  });

  it("returns a function or a proxy unchanged", () => {
    const callable = (): number => 1;
    const proxy = new Proxy({}, { ownKeys: () => assert.fail("a trap ran") });
    assert.equal(recorder.decorate(callable, info), callable);
    assert.equal(recorder.decorate(proxy, info), proxy);
  });
});

describe("Recorder.bind", () => {
  it("ties a callback that runs elsewhere to the request it was bound in", () => {
    const bean = recorder.decorate(new Bean(), info);
    const open = recording();
    const queued = recorder.run(open, () => recorder.bind(() => bean.inherited()));
    recorder.run(recording(), () => queued());
    assert.deepEqual(
      recorder.finish(open).calls.map(({ method }) => method),
      ["inherited"],
    );
  });
});
