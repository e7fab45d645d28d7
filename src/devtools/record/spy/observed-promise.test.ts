/** Recording does not change the outcome of a bean's promises (DEV). */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import { observeSettling } from "./observed-promise.ts";

const main = fileURLToPath(new URL("observed-promise-cases.testkit.js", import.meta.url));

/** The results of one process, case by case: events of unhandled rejections, the callers' results, and the recording. */
async function outcomes(
  mode: "recorded" | "plain",
): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, mode]);
  return JSON.parse(stdout) as Record<string, Record<string, unknown>>;
}

describe("a bean's promise", () => {
  it("raises the same events and gives callers the same results, recorded or not, wherever it is handled", async () => {
    const [recorded, plain] = await Promise.all([outcomes("recorded"), outcomes("plain")]);
    const visible = (all: typeof plain): unknown =>
      Object.fromEntries(Object.entries(all).map(([name, { observed: _, ...rest }]) => [name, rest]));
    assert.ok(Object.keys(plain).length > 100);
    assert.deepEqual(visible(recorded), visible(plain));
    assert.ok(Object.values(recorded).every(({ isBeans }) => isBeans === true));
    const missed = Object.entries(recorded).flatMap(([name, { observed }]) => (observed === "settled" ? [] : [name]));
    assert.deepEqual(
      missed.filter((name) => !name.startsWith("by no code") && !name.includes("cannot be extended")),
      [],
    );
  });

  const exits: Readonly<Record<string, number>> = { "handled by the bean": 0, "handled by no code": 1 };
  for (const [how, code] of Object.entries(exits))
    it(`that is ${how} ends its process with ${code}, recorded or not`, async () => {
      for (const mode of ["recorded", "plain"]) {
        const run = promisify(execFile)(process.execPath, [main, mode, how]);
        const exit = await run.then(
          () => 0,
          (error: { readonly code: number }) => error.code,
        );
        assert.deepEqual([mode, exit], [mode, code]);
      }
    });
});

describe("observeSettling", () => {
  const noOne = { fulfilled: () => undefined, rejected: () => undefined };

  it("restores a promise when it is awaited, and does not change its inspection before", async () => {
    const promise = Promise.resolve(1);
    assert.equal(observeSettling(promise, noOne), true);
    assert.deepEqual([promise instanceof Promise, Object.keys(promise)], [true, []]);
    const shown = (value: unknown): string => inspect(value).replaceAll(/\d+/g, "n"); // ids of async_hooks
    assert.equal(shown(promise), shown(Promise.resolve(1)));
    assert.equal(await promise, 1);
    assert.equal(Object.getPrototypeOf(promise), Promise.prototype);
    assert.deepEqual(
      Reflect.ownKeys(promise).filter((key) => typeof key === "string"),
      [],
    );
  });

  it("tells every observer, late ones too, before the awaiting code", async () => {
    const order: string[] = [];
    const observer = (name: string): typeof noOne => ({ ...noOne, fulfilled: () => void order.push(name) });
    const promise = Promise.resolve(1);
    for (const name of ["first", "second"]) observeSettling(promise, observer(name));
    const waits = promise.then(() => void order.push("caller"));
    observeSettling(promise, observer("late"));
    await waits;
    await null;
    assert.deepEqual(order, ["first", "second", "caller", "late"]);
  });

  it("leaves promises alone that cannot be observed", async () => {
    const frozen = Object.freeze(Promise.resolve(1));
    const own = Object.assign(Promise.resolve(1), { constructor: Promise });
    assert.deepEqual([observeSettling(frozen, noOne), observeSettling(own, noOne)], [false, false]);
    const later = Promise.resolve(1);
    observeSettling(later, noOne);
    Object.freeze(later);
    assert.equal(await later, 1);
  });

  it("tells observers of a class that extends Promise, without running its constructor for them", async () => {
    let made = 0;
    class Counted<T> extends Promise<T> {
      constructor(executor: (resolve: (value: T) => void, reject: (error: unknown) => void) => void) {
        super(executor);
        made += 1;
      }
    }
    for (const rejects of [false, true]) {
      const seen: unknown[] = [];
      const observer = {
        fulfilled: (value: unknown) => seen.push(value),
        rejected: (error: unknown) => seen.push(error),
      };
      const promise = new Counted<number>((resolve, reject) => (rejects ? reject(1) : resolve(1)));
      const before = made;
      assert.deepEqual([observeSettling(promise, observer), observeSettling(promise, observer)], [true, true]);
      assert.ok(promise instanceof Counted);
      const waits = promise.then(String, String);
      assert.deepEqual([waits instanceof Counted, made - before], [true, 1]);
      assert.deepEqual([await waits, seen], ["1", [1, 1]]);
      assert.deepEqual([Object.getPrototypeOf(promise) === Counted.prototype, promise.constructor], [true, Counted]);
    }
  });

  it("has its original constructor for every reader", () => {
    const promise = Promise.resolve(1);
    const other = Promise.resolve(2);
    for (const one of [promise, other]) observeSettling(one, noOne);
    assert.equal(Object.getPrototypeOf(promise), Object.getPrototypeOf(other));
    const child = Object.create(promise) as Promise<number>;
    assert.deepEqual([child.constructor, Reflect.get(promise, "constructor", 7)], [Promise, Promise]);
    assert.notEqual(Object.getPrototypeOf(promise), Promise.prototype);
    assert.equal(promise.constructor, Promise);
    assert.equal(Object.getPrototypeOf(promise), Promise.prototype);
  });

  it("a rejection that is only observed, and handled later, reaches observer and handler", async () => {
    const seen: unknown[] = [];
    const promise = Promise.reject(new RangeError("no"));
    observeSettling(promise, { ...noOne, rejected: (error) => void seen.push(error) });
    const caught = await promise.catch((error: unknown) => error);
    assert.deepEqual(seen, [caught]);
  });

  it("allows a constructor to be set", () => {
    const promise: { constructor: unknown } = Promise.resolve(1);
    observeSettling(promise as unknown as Promise<unknown>, noOne);
    promise.constructor = Array;
    assert.equal(promise.constructor, Array);
  });
});
