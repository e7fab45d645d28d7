/**
 * Signals: what is followed, when it runs, and that no value is ever seen half changed.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { batch, computed, effect, signal } from "./signals.ts";

describe("effect", () => {
  test("runs now and when something that it read has another value", () => {
    const name = signal("a");
    const seen: string[] = [];
    effect(() => void seen.push(name.value));
    for (const next of ["a", "b", "b", "c"]) name.value = next;
    assert.deepEqual(seen, ["a", "b", "c"]);
  });

  test("runs once for several changes of a batch, and not where they take each other back", () => {
    const [a, b] = [signal(1), signal(2)];
    const seen: number[] = [];
    effect(() => void seen.push(a.value + b.value));
    const given = batch(() => {
      a.value = 10;
      batch(() => (b.value = 20));
      assert.deepEqual(seen, [3]);
      return "given";
    });
    assert.deepEqual([given, seen], ["given", [3, 30]]);
  });

  test("follows what its last run read, and no more", () => {
    const [isNamed, name] = [signal(true), signal("a")];
    const seen: string[] = [];
    effect(() => void seen.push(isNamed.value ? name.value : "nobody"));
    isNamed.value = false;
    name.value = "b";
    isNamed.value = true;
    assert.deepEqual(seen, ["a", "nobody", "b"]);
  });

  test("ends when told, and ends alone", () => {
    const name = signal("a");
    const seen: string[] = [];
    const stop = effect(() => void seen.push(`first ${name.value}`));
    effect(() => void seen.push(`second ${name.value}`));
    stop();
    name.value = "b";
    assert.deepEqual(seen, ["first a", "second a", "second b"]);
  });

  test("may change signals, also those of effects that have run", () => {
    const [from, to] = [signal(1), signal(0)];
    const seen: number[] = [];
    effect(() => void seen.push(to.value));
    effect(() => {
      to.value = from.value * 2;
    });
    from.value = 5;
    assert.deepEqual(seen, [0, 2, 10]);
  });

  test("does not follow what an effect begun within it reads", () => {
    const [outer, inner] = [signal(0), signal(0)];
    const seen: string[] = [];
    effect(() => {
      seen.push(`outer ${outer.value}`);
      if (outer.value === 0) effect(() => void seen.push(`inner ${inner.value}`));
    });
    inner.value = 1;
    outer.value = 1;
    assert.deepEqual(seen, ["outer 0", "inner 0", "inner 1", "outer 1"]);
  });

  test("is told apart from those that change each other without end", () => {
    const [a, b] = [signal(0), signal(0)];
    const stop = effect(() => {
      b.value = a.value + 1;
    });
    assert.throws(
      () =>
        effect(() => {
          a.value = b.value + 1;
        }),
      /^Error: Signals change each other without end$/,
    );
    stop();
    const seen: number[] = [];
    const other = signal(1);
    effect(() => void seen.push(other.value));
    other.value = 2;
    assert.deepEqual(seen, [1, 2]);
  });

  test("throws to who made the change, and runs with the next one", () => {
    const count = signal(0);
    const seen: number[] = [];
    const stop = effect(() => {
      if (count.value === 1) throw new Error("broken");
      seen.push(count.value);
    });
    assert.throws(() => {
      count.value = 1;
    }, /^Error: broken$/);
    count.value = 2;
    stop();
    assert.throws(
      () =>
        effect(() => {
          throw new Error("at once");
        }),
      /^Error: at once$/,
    );
    count.value = 3;
    assert.deepEqual(seen, [0, 2]);
  });
});

describe("computed", () => {
  test("is computed when it is read, and at most once a change", () => {
    const count = signal(1);
    let runs = 0;
    const double = computed(() => (runs++, count.value * 2));
    assert.equal(runs, 0);
    assert.deepEqual([double.value, double.value, double.peek(), runs], [2, 2, 2, 1]);
    signal(0).value = 1;
    assert.deepEqual([double.value, runs], [2, 1]);
    count.value = 2;
    count.value = 3;
    assert.deepEqual([double.value, runs], [6, 2]);
  });

  test("stops a change that does not change it", () => {
    const count = signal(1);
    const seen: boolean[] = [];
    const isLarge = computed(() => count.value > 2);
    effect(() => void seen.push(isLarge.value));
    for (const next of [2, 3, 4]) count.value = next;
    assert.deepEqual(seen, [false, true]);
  });

  test("is computed with all of a change, never with half of it", () => {
    const count = signal(1);
    const [one, two] = [computed(() => count.value + 1), computed(() => count.value * 10)];
    const seen: string[] = [];
    const both = computed(() => `${one.value} ${two.value}`);
    effect(() => void seen.push(both.value));
    count.value = 2;
    assert.deepEqual(seen, ["2 10", "3 20"]);
  });

  test("does not compute what it would not read any more", () => {
    const list = signal<readonly string[] | null>(["a"]);
    const first = computed(() => {
      if (list.value === null) throw new Error("no list");
      return list.value[0];
    });
    const shown = computed(() => (list.value === null ? "none" : first.value));
    const seen: unknown[] = [];
    effect(() => void seen.push(shown.value));
    list.value = null;
    assert.deepEqual(seen, ["a", "none"]);
  });

  test("throws what its function throws, each time it is read", () => {
    const isBroken = signal(true);
    const value = computed(() => {
      if (isBroken.value) throw new Error("broken");
      return "whole";
    });
    for (let i = 0; i < 2; i++) assert.throws(() => value.value, /^Error: broken$/);
    isBroken.value = false;
    assert.equal(value.value, "whole");
  });
});

describe("peek and subscribe", () => {
  test("peek does not follow; subscribe follows its signal alone", () => {
    const [name, other] = [signal("a"), signal(1)];
    const seen: string[] = [];
    effect(() => void seen.push(`effect ${name.peek()}`));
    const stop = name.subscribe((value) => void seen.push(`${value} ${other.value}`));
    name.value = "b";
    other.value = 2;
    stop();
    name.value = "c";
    assert.deepEqual(seen, ["effect a", "a 1", "b 1"]);
  });
});

describe("signals", () => {
  test("are what computing everything anew would give, after any changes, with each effect run once where it saw one", () => {
    const changes = fc.array(fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 4 }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(changes, (batches) => {
        const values = [0, 0, 0, 0];
        const signals = values.map((value) => signal(value));
        const at = (i: number): number => signals[i]?.value ?? 0;
        const sum = computed(() => at(0) + at(1));
        const picked = computed(() => at(sum.value % 4));
        const isEven = computed(() => picked.value % 2 === 0);
        const seen: string[] = [];
        effect(() => void seen.push(`${sum.value} ${isEven.value}`));
        const anew = (): string => {
          const total = (values[0] ?? 0) + (values[1] ?? 0);
          return `${total} ${(values[total % 4] ?? 0) % 2 === 0}`;
        };
        const wanted = [anew()];
        for (const one of batches) {
          batch(() => {
            for (const [i, value] of one) {
              values[i] = value;
              const changed = signals[i];
              if (changed) changed.value = value;
            }
          });
          if (anew() !== wanted.at(-1)) wanted.push(anew());
        }
        assert.deepEqual(seen, wanted);
      }),
    );
  });
});
