import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { observeGenerator, type GeneratorObserver } from "./observed-generator.ts";

interface Observed extends GeneratorObserver {
  readonly seen: unknown[];
}

function observer(): Observed {
  const seen: unknown[] = [];
  return { seen, yielded: (value) => seen.push(value), failed: (error) => seen.push(`failed: ${String(error)}`) };
}

function* counted(fails = false): Generator<number, string, unknown> {
  try {
    yield 1;
    yield 2;
    if (fails) throw new RangeError("no");
    return "end";
  } finally {
    yield 3;
  }
}

async function* awaited(fails = false): AsyncGenerator<number, string, unknown> {
  yield await Promise.resolve(1);
  if (fails) throw new RangeError("no");
  yield 2;
  return "end";
}

describe("observeGenerator", () => {
  it("reports what a generator yields, and its consumer receives the same", async () => {
    const [plain, later] = [observer(), observer()];
    const [one, two] = [counted(), awaited()];
    assert.deepEqual([observeGenerator(one, plain), observeGenerator(two, later)], [true, true]);
    const items: unknown[] = [...one];
    for await (const item of two) items.push(item);
    assert.deepEqual(
      [items, plain.seen, later.seen],
      [
        [1, 2, 3, 1, 2],
        [1, 2, 3],
        [1, 2],
      ],
    );
  });

  it("reports an error that the consumer receives too", async () => {
    const [plain, later] = [observer(), observer()];
    const [one, two] = [counted(true), awaited(true)];
    observeGenerator(one, plain);
    observeGenerator(two, later);
    assert.throws(() => [...one], RangeError);
    await assert.rejects(async () => {
      for await (const item of two) assert.equal(item, 1);
    }, RangeError);
    assert.deepEqual(
      [plain.seen, later.seen],
      [
        [1, 2, 3, "failed: RangeError: no"],
        [1, "failed: RangeError: no"],
      ],
    );
  });

  it("passes on what is sent, thrown and returned into it", () => {
    const { seen, ...rest } = observer();
    const one = counted();
    observeGenerator(one, { ...rest });
    const steps = [one.next("a"), one.return("early"), one.next()];
    assert.deepEqual(steps, [
      { value: 1, done: false },
      { value: 3, done: false },
      { value: "early", done: true },
    ]);
    assert.deepEqual(seen, [1, 3]);
    const other = counted();
    observeGenerator(other, observer());
    other.next();
    assert.deepEqual(other.throw(new Error("x")), { value: 3, done: false });
  });

  it("leaves the object as it was: its class, its keys, how it prints, and its prototype once it has ended", () => {
    const [one, other] = [counted(), counted()];
    const prototype: unknown = Object.getPrototypeOf(one);
    observeGenerator(one, observer());
    assert.deepEqual(
      [one instanceof counted, Reflect.ownKeys(one).filter((key) => typeof key === "string"), inspect(one)],
      [true, [], inspect(other)],
    );
    assert.equal([...one].length, 3);
    assert.equal(Object.getPrototypeOf(one), prototype);
  });

  it("does not observe what is no generator, a frozen one, one with its own steps, or one that it observes already", () => {
    const twice = counted();
    observeGenerator(twice, observer());
    const given = [{ next: () => 1 }, Object.freeze(counted()), Object.assign(counted(), { next: () => 1 }), twice];
    assert.deepEqual(
      given.map((one) => observeGenerator(one, observer())),
      [false, false, false, false],
    );
    assert.throws(() => twice.next.call({} as never), TypeError);
  });
});
