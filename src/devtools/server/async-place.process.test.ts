/** Async place: whatever the program does, it says what an AsyncLocalStorage says. */
import assert from "node:assert/strict";
import { AsyncLocalStorage, AsyncResource, executionAsyncId } from "node:async_hooks";
import { spawnSync } from "node:child_process";
import { describe, it, mock } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AsyncPlace } from "./async-place.ts";

interface Place {
  readonly value: number;
}
const place = new AsyncPlace<Place>();
const storage = new AsyncLocalStorage<Place>();
/** Both at once, so that they have to agree everywhere. */
const run = <R>(value: number, work: () => R): R => {
  const here = { value };
  return place.run(here, () => storage.run(here, work));
};

let looks = 0;
function look(): void {
  looks += 1;
  assert.equal(place.now(), storage.getStore());
}

/** Numbers from 0 below 1, the same ones each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

type Step = (next: () => Promise<void>, value: number) => unknown;

/** What a program can do between here and there. `next` goes on with it. */
const steps: readonly Step[] = [
  (next, value) => run(value, next),
  (next, value) => run(value, () => run(value + 1, next)),
  async (next) => {
    await Promise.resolve();
    look();
    await next();
  },
  (next) => new Promise<void>((resolve) => void setTimeout(() => resolve(next()), 0)),
  (next) => new Promise<void>((resolve) => void setImmediate(() => resolve(next()))),
  (next) => new Promise<void>((resolve) => process.nextTick(() => resolve(next()))),
  (next) => new Promise<void>((resolve) => queueMicrotask(() => resolve(next()))),
  (next, value) => run(value, () => new AsyncResource("test")).runInAsyncScope(next),
  (next, value) => {
    const bound = run(value, () => AsyncResource.bind(look));
    return run(value + 1, () => {
      bound();
      look();
      return next();
    });
  },
  (next, value) => {
    const within = run(value, () => AsyncLocalStorage.snapshot());
    within(look);
    look();
    return next();
  },
  (next, value) => {
    assert.throws(() => {
      run(value, () => {
        look();
        throw new Error("thrown");
      });
    }, /thrown/);
    return next();
  },
  (next, value) => Promise.all([run(value, next), next()]),
  async (next, value) => {
    const { promise, resolve } = withResolvers();
    const waiting = run(value, () => promise.then(look));
    resolve();
    await waiting;
    await next();
  },
];

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Before Node 24 a store hangs on the resource of the running code. */
const isKept = Number.parseInt(process.versions.node, 10) < 24;
/** How often the runtime is asked for the store while `work` runs. */
function asks(work: () => unknown): number {
  const asked = mock.method(AsyncLocalStorage.prototype, "getStore");
  try {
    work();
    return asked.mock.callCount();
  } finally {
    asked.mock.restore();
  }
}

/** What is said where the code runs in no resource of its own: as the module is loaded. */
const atTop = run(7, () => {
  const value = (): number | undefined => place.now()?.value;
  return [value(), run(8, value), value(), executionAsyncId(), asks(value), asks(value)];
});

/** Goes `left` steps on, looking before and behind each. */
async function go(left: number, random: () => number): Promise<void> {
  look();
  if (left === 0) return;
  const step = steps[Math.floor(random() * steps.length)];
  const going = step?.(() => go(left - 1, random), Math.floor(random() * 1_000));
  look();
  await going;
  look();
}

describe("AsyncPlace", () => {
  it("says what an AsyncLocalStorage says, whatever 300 programs do side by side", async () => {
    await Promise.all(Array.from({ length: 300 }, (_, seed) => go(6, numbers(seed + 1))));
    assert.ok(looks > 5_000, `${looks} looks`);
    assert.equal(place.now(), undefined);
  });

  it("asks each time where the code has no resource of its own", () => {
    const [first, inner, last, id = Number.NaN, ...asked] = atTop;
    assert.deepEqual([first, inner, last, ...asked], [7, 8, 7, 1, 1]);
    assert.ok(id < 2, `the module was loaded in the resource ${id}`);
  });

  it("knows nothing outside, and hands on arguments, results and errors", () => {
    const own = new AsyncPlace<{ readonly at: string }>();
    assert.equal(own.now(), undefined);
    const told = (one: number, two: number): string => `${own.now()?.at} ${one + two}`;
    for (const at of ["a", "b"]) assert.equal(own.run({ at }, told, 1, 2), `${at} 3`);
    assert.throws(() => own.run({ at: "a" }, () => assert.fail("no")), /no/);
    assert.equal(own.now(), undefined);
  });

  it("knows what runs in a resource of its own from what runs around it", async () => {
    const own = new AsyncPlace<{ readonly at: string }>();
    await turn();
    own.run({ at: "outer" }, () => {
      const other = new AsyncResource("test");
      assert.notEqual(other.asyncId(), executionAsyncId());
      own.run({ at: "inner" }, () => {
        assert.equal(own.now()?.at, "inner");
        other.runInAsyncScope(() => assert.equal(own.now()?.at, "outer"));
        assert.equal(own.now()?.at, "inner");
      });
      assert.equal(own.now()?.at, "outer");
    });
    assert.equal(own.now(), undefined);
  });

  it("asks once in a turn and no more for what it was told, where the runtime keeps stores on resources", () => {
    const own = new AsyncPlace<object>();
    const plain = new AsyncLocalStorage<object>();
    const now = (): unknown => own.now();
    const inTurn = (work: () => void): void => new AsyncResource("test").runInAsyncScope(work);
    inTurn(() => {
      own.run({}, () => assert.equal(asks(now), 1));
      assert.deepEqual([asks(now), asks(now)], isKept ? [1, 0] : [1, 1]);
      const ofRuntime = asks(() => plain.run({}, () => undefined));
      assert.equal(asks(() => own.run({}, () => undefined)) - ofRuntime, isKept ? 0 : 1);
      own.run({}, () => assert.equal(asks(now), isKept ? 0 : 1));
      assert.equal(asks(now), isKept ? 0 : 1);
    });
    inTurn(() => assert.deepEqual([asks(now), asks(now)], isKept ? [1, 0] : [1, 1]));
  });

  it("says so at the start of a CommonJS program too", () => {
    const program = `
      const { AsyncPlace } = require(${JSON.stringify(fileURLToPath(new URL("async-place.js", import.meta.url)))});
      const place = new AsyncPlace();
      const now = () => place.now()?.at;
      console.log(JSON.stringify([now(), place.run({ at: 7 }, () => [now(), place.run({ at: 8 }, now), now()]), now()]));
    `;
    const { stdout } = spawnSync(
      process.execPath,
      ["--experimental-require-module", "--input-type=commonjs", "-e", program],
      { encoding: "utf8" },
    );
    assert.equal(stdout, "[null,[7,8,7],null]\n");
  });
});
