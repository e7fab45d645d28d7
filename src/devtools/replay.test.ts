/**
 * Recorded beans in a test: their results, and the messages of `check`.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, Interface } from "framework";
import { recordedBeans, type RecordedCall, type RecordedOptions, type RecordedRun } from "./replay.ts";

interface Stock {
  left(item: string, options?: object): number;
  later(item: string): Promise<unknown>;
}
const Stock = Interface<Stock>("StockRepository");
class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}

const call = (method: string, args: RecordedCall["args"], more: Partial<RecordedCall> = {}): RecordedCall => ({
  bean: "StockRepository",
  method,
  args,
  result: 7,
  error: null,
  async: false,
  endUs: 1,
  ...more,
});

/** The recorded bean and its check. The real one must not be called. */
function recorded(calls: readonly RecordedCall[], options?: RecordedOptions, run: Partial<RecordedRun> = {}) {
  const { decorator, check } = recordedBeans({ beans: ["StockRepository"], calls, ...run }, options);
  const real: Stock = { left: () => assert.fail("for real"), later: () => assert.fail("for real") };
  const beans = Beans.builder()
    .bind(Stock, () => real)
    .instrument(decorator)
    .start();
  return { stock: beans.get(Stock), check };
}

describe("recordedBeans", () => {
  it("returns the recorded result, and passes the check when every call was made", async () => {
    const date = { $date: "2026-01-02T00:00:00.000Z" };
    const calls = [call("left", ["tea"]), call("later", ["tea"], { result: { date }, async: true })];
    const { stock, check } = recorded(calls);
    assert.equal(stock.left("tea"), 7);
    const later = stock.later("tea");
    assert.deepEqual([later instanceof Promise, await later], [true, { date: new Date("2026-01-02") }]);
    check();
  });

  it("throws the recorded error", () => {
    const error = {
      name: "NotFoundError",
      message: "gone",
      fields: { $class: "NotFoundError", $from: "framework", name: "NotFoundError", status: 404 },
    };
    const { stock, check } = recorded([call("left", ["tea"], { error, result: null })]);
    assert.throws(() => stock.left("tea"), { name: "NotFoundError", message: "gone", status: 404 });
    check();
  });

  it("throws at a call that was not recorded, and the check repeats it if the error was swallowed", () => {
    const { stock, check } = recorded([call("left", ["tea"])]);
    assert.throws(() => stock.left("milk"), /^ReplayEnded: the replay has ended: no call of StockRepository\.left\(\)/);
    assert.throws(check, /^Error: the recording was left: .* args\[0\] was "tea", and is "milk"$/);
  });

  it("notices a recorded call that is not made", () => {
    const { check } = recorded([call("left", ["tea"])]);
    assert.throws(check, /^Error: StockRepository\.left\(\) was recorded, and has not been called$/);
  });

  it("notices a bean that is missing or cannot be wrapped", () => {
    const gone = recorded([], {}, { beans: ["PriceRepository"] });
    assert.throws(gone.check, /^Error: the bean PriceRepository was recorded, and there is none of that name/);
    class Bound {
      readonly left = 1;
    }
    const { decorator, check } = recordedBeans({ beans: ["Bound"], calls: [] });
    Beans.builder()
      .bind(Bound, () => new Bound())
      .instrument(decorator)
      .start();
    assert.throws(check, /bound as an interface$/);
  });

  it("compares arguments with the recorded ones in full, secrets and long ones too", () => {
    const long = { password: "hunter2", list: Array.from({ length: 300 }, () => "x".repeat(20_000)) };
    const { stock, check } = recorded([call("left", ["tea", long])]);
    assert.equal(stock.left("tea", structuredClone(long)), 7);
    check();
  });

  it("shows and makes values with the given forms", () => {
    const snapshot = [[Money, (money: Money) => ({ cents: money.cents })]] as unknown as RecordedOptions["snapshot"];
    const make = (shown: Readonly<Record<string, unknown>>): Money => new Money(Number(shown["cents"]));
    const price = { $class: "Money", cents: 5 };
    const { stock, check } = recorded([call("left", ["tea", price], { result: price })], {
      snapshot,
      revive: [[Money, make]],
    });
    const left: unknown = stock.left("tea", new Money(5));
    assert.deepEqual(left instanceof Money && left.cents, 5);
    check();
  });

  it("rejects a bad option by its name", () => {
    const wrong = { revive: [[Money, 1]] } as unknown as RecordedOptions;
    assert.throws(() => recordedBeans({ beans: [], calls: [] }, wrong), /^RangeError: Devtools option revive is /);
    const twice = {
      revive: [
        [Money, () => ({})],
        [Money, () => ({})],
      ],
    } as unknown as RecordedOptions;
    assert.throws(() => recordedBeans({ beans: [], calls: [] }, twice), /one pair for each name of a class$/);
  });
});
