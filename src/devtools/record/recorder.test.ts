/** The recorder alone: the content of a recording, its bounds, and the calls that it leaves out (TRACE). */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { BeanError, type BeanGraph, type BeanInfo } from "framework";
import type { Call, Json } from "../run/shapes.ts";
import { bytesOf, ErrorInfos } from "../capture/error-info.ts";
import { beginRecording, Recorder, type RecorderTools, type Recording } from "./recorder.ts";
import { plainSnapshots } from "../capture/plain-snapshots.testkit.ts";
import type { Snapshotter } from "../capture/snapshot.ts";
import { createRedactor } from "../capture/redact.ts";
import type { Replay } from "./replay/replay.ts";
import { Stacks } from "../capture/stacks.ts";
import type { StartLog } from "./start-log.ts";

const info: BeanInfo = { id: "Bean#2", name: "Bean", type: Object, stereotype: "service", isInterface: true };

/** A recorder with all its tools. */
function recorderWith(more: Partial<RecorderTools> = {}, stacks?: Stacks): Recorder {
  const { names = new WeakMap<object, Json>() } = more;
  const snapshots = plainSnapshots(createRedactor({}), {
    nameOf: (value) => names.get(value),
    quietly: (run) => recorder.quietly(run),
  });
  const errors = new ErrorInfos(snapshots, stacks);
  const recorder: Recorder = new Recorder({ maxCalls: 500, snapshots, errors, names, ...more });
  return recorder;
}

const open = (budget = 100_000): Recording => beginRecording(50, budget);

/** Each read of the clock is a millisecond later than the one before. */
function tickingClock(t: TestContext): void {
  let now = 50;
  t.mock.method(performance, "now", () => (now += 1));
}

class Bean {
  next: Bean | undefined;
  plain(): string {
    return "plain";
  }
  nest(depth: number): string {
    return this.next === undefined ? `at ${depth}` : this.next.nest(depth + 1);
  }
  self(): this {
    return this;
  }
  async later(value: unknown): Promise<unknown> {
    return value;
  }
  fail(message: string, cause?: unknown): never {
    throw new RangeError(message, { cause });
  }
  again(error: unknown): never {
    throw error;
  }
  *rows(count: number): Generator {
    for (let id = 0; id < count; id += 1) yield { id, password: "hunter2" };
    if (count === 2) throw new RangeError("no third");
  }
  async failLater(): Promise<never> {
    throw new TypeError("late");
  }
}

const methods = (calls: readonly Call[]): string[] => calls.map(({ method }) => method);

describe("a recording", () => {
  it("TRACE-019 TRACE-026: has the bean, parameters, arguments, result and times of a call", (t) => {
    tickingClock(t);
    const recorder = recorderWith();
    const [outer, inner] = [new Bean(), new Bean()];
    outer.next = recorder.decorate(inner, { ...info, id: "Inner", name: "Inner", stereotype: "repository" });
    const recording = open();
    const bean = recorder.decorate(outer, info);
    recorder.run(recording, () => [bean.nest(7), bean.plain()]);
    const common = { error: null, async: false } as const;
    const own = { ...common, bean: "Bean#2", declaredBy: "Bean", stereotype: "service" };
    const { calls, leaves } = recorder.finish(recording);
    assert.deepEqual(calls, [
      {
        ...own,
        id: 0,
        parentId: null,
        depth: 0,
        method: "nest",
        args: [7],
        params: ["depth"],
        result: "at 8",
        startUs: 1e3,
        durationUs: 3e3,
      },
      {
        ...common,
        id: 1,
        parentId: 0,
        depth: 1,
        bean: "Inner",
        declaredBy: "Inner",
        stereotype: "repository",
        method: "nest",
        args: [8],
        params: ["depth"],
        result: "at 8",
        startUs: 2e3,
        durationUs: 1e3,
      },
      {
        ...own,
        id: 2,
        parentId: null,
        depth: 0,
        method: "plain",
        args: [],
        params: undefined,
        result: "plain",
        startUs: 5e3,
        durationUs: 1e3,
      },
    ]);
    assert.deepEqual([leaves, recorder.finish(recording)], [[], { calls: [], leaves: [] }]);
  });

  it("TRACE-021 TRACE-022: has the settled result of a promise, or its error, after it was awaited", async (t) => {
    tickingClock(t);
    const recorder = recorderWith();
    const recording = open();
    const bean = recorder.decorate(new Bean(), info);
    await recorder.run(recording, async () => {
      assert.equal(await bean.later(5), 5);
      await bean.failLater().catch(() => undefined);
    });
    const shown = recorder
      .finish(recording)
      .calls.map((call) => [call.async, call.result, call.error, call.durationUs]);
    assert.deepEqual(shown, [
      [true, 5, null, 1_000],
      [true, null, { name: "TypeError", message: "late" }, 1_000],
    ]);
  });

  it("TRACE-116: has what a generator yielded, the first hundred values, and its error", () => {
    const recorder = recorderWith();
    const recording = open();
    const bean = recorder.decorate(new Bean(), info);
    const late = recorder.run(recording, () => {
      assert.equal([...bean.rows(101)].length, 101);
      assert.throws(() => [...bean.rows(2)], RangeError);
      const left = bean.rows(1);
      return left;
    });
    const [many, failed, unread] = recorder.finish(recording).calls;
    assert.equal([...late].length, 1);
    const { $yielded: list = [] } = (many?.result ?? {}) as { readonly $yielded?: readonly Json[] };
    assert.deepEqual([list.length, list[0], list[100]], [101, { id: 0, password: "[redacted]" }, { $truncated: 1 }]);
    assert.deepEqual([failed?.result, failed?.error?.name], [null, "RangeError"]);
    assert.deepEqual(unread?.result, { $stream: "Generator" });
  });

  it("is not changed by promises that settle after its end", async () => {
    const recorder = recorderWith();
    const recording = open();
    const bean = recorder.decorate(new Bean(), info);
    const [value, failure] = recorder.run(recording, () => [bean.later(5), bean.failLater()] as const);
    const { calls } = recorder.finish(recording);
    const before = structuredClone(calls);
    const { budget } = recording;
    await value;
    await failure.catch(() => undefined);
    assert.deepEqual([calls, recording.budget, recording.thrown], [before, budget, undefined]);
  });

  it("counts calls that it does not keep, over the bound and after its end", () => {
    const recorder = recorderWith({ maxCalls: 1 });
    const bean = recorder.decorate(new Bean(), info);
    const recording = open();
    assert.deepEqual(recording.dropped, { count: 0, leaves: 0 });
    recorder.run(recording, () => [bean.plain(), bean.plain(), bean.plain()]);
    assert.equal(recording.dropped.count, 2);
    assert.equal(recorder.finish(recording).calls.length, 1);
    recorder.run(recording, () => bean.plain());
    assert.deepEqual([recording.dropped, recorder.failures], [{ count: 3, leaves: 0 }, 0]);
  });

  it("counts each call, its arguments and its result, and shows only as much as there is room for", () => {
    const recorder = recorderWith();
    const bean = recorder.decorate({ echo: (text: string) => text, none: () => true }, info);
    const recording = open(10_000);
    assert.equal(
      recorder.run(recording, () => bean.none()),
      true,
    );
    const one = 10_000 - recording.budget;
    assert.ok(one > 240 && one < 400, `${one}`);
    recorder.run(recording, () => bean.echo("x".repeat(1_000)));
    const two = 10_000 - recording.budget - one;
    assert.ok(two > 240 + 2_000 && two < 240 + 2_400, `${two}`);
    recorder.run(recording, () => Array.from({ length: 20 }, () => bean.echo("y".repeat(1_000))));
    assert.ok(recording.budget < 0 && recording.budget > -20 * 1_000, `${recording.budget}`);
    const { calls } = recorder.finish(recording);
    const last = calls.at(-1);
    assert.equal(calls.length, 22);
    assert.ok(JSON.stringify(last).length < 600, JSON.stringify(last));
  });

  it("TRACE-030 TRACE-041: knows by the end the secrets that its calls have hidden", () => {
    const recorder = recorderWith();
    const bean = recorder.decorate(
      {
        take: (user: object) => Object.keys(user).length,
        give: () => ({ password: "hunter2-result" }),
        fail: () => {
          throw Object.assign(new Error("no"), { token: "hunter2-error" });
        },
      },
      info,
    );
    const [recording, other] = [open(), open()];
    recorder.run(recording, () => {
      bean.take({ password: "hunter2-argument" });
      recorder.run(other, () => bean.take({ a: 1 }));
      bean.give();
      assert.throws(() => bean.fail());
    });
    const { secrets } = recording;
    assert.deepEqual(
      ["argument", "result", "error"].map((what) => secrets.text(`hunter2-${what}`)),
      ["[redacted]", "[redacted]", "[redacted]"],
    );
    assert.ok(other.secrets.isEmpty);
    assert.doesNotMatch(JSON.stringify(recorder.finish(recording).calls), /hunter2/);
  });

  it("TRACE-022: shows other data of a thrown value, and counts it", () => {
    const snapshots = plainSnapshots(createRedactor({}));
    const recorder = recorderWith();
    const bean = recorder.decorate(new Bean(), info);
    const recording = open(1_000);
    const errors = [Object.assign(new Error("no"), { code: "E_NO" }), "a text", null];
    recorder.run(recording, () =>
      errors.map((error) =>
        assert.throws(
          () => bean.again(error),
          (seen) => seen === error,
        ),
      ),
    );
    const { calls } = recorder.finish(recording);
    assert.deepEqual(
      calls.map(({ result, error }) => [result, error]),
      [
        [null, { name: "Error", message: "no", fields: { code: "E_NO" } }],
        [null, { name: "string", message: "a text" }],
        [null, { name: "null", message: "null" }],
      ],
    );
    // Each call and its arguments; name and message of each error, and the fields of the first.
    const given = errors.map((error) => snapshots.takeAll([error]).bytes + 240);
    const named = ["Errorno", "stringa text", "nullnull"].map((text) => 2 * text.length);
    const { bytes: fields = 0 } = snapshots.errorFields(errors[0], 1_000, recorder.seenErrors) ?? {};
    assert.ok(fields > 0);
    assert.equal(
      1_000 - recording.budget,
      [...given, ...named, fields].reduce((sum, size) => sum + size, 0),
    );
  });
});

describe("the parameters of a call", () => {
  it("are named if there were arguments", () => {
    const recorder = recorderWith();
    const bean = recorder.decorate({ find: (id?: number) => id ?? 0 }, info);
    const recording = open();
    recorder.run(recording, () => [bean.find(), bean.find(1)]);
    const named = recorder.finish(recording).calls.map(({ params }) => params);
    assert.deepEqual(named, [undefined, ["id"]]);
  });
});

describe("Recorder.finish", () => {
  const stacks = new Stacks(process.cwd(), (text) => text);

  it("TRACE-047: adds stacks to the errors, each at its first call", () => {
    const recorder = recorderWith({}, stacks);
    const bean = recorder.decorate(new Bean(), info);
    const recording = open();
    const thrown = Object.assign(new Error("no"), { code: 7 });
    recorder.run(recording, () => {
      assert.throws(() => bean.again(thrown));
      assert.throws(() => bean.again(thrown));
      assert.throws(() => bean.fail("other"));
      assert.throws(() => bean.again("a text"));
      bean.plain();
    });
    assert.deepEqual([...(recording.thrown?.keys() ?? [])].map(String), ["Error: no", "RangeError: other"]);
    const { budget } = recording;
    const { calls } = recorder.finish(recording);
    assert.deepEqual(
      calls.map(({ error }) => [error?.message, (error?.stack?.length ?? 0) > 0, error?.fields]),
      [
        ["no", true, { code: 7 }],
        ["no", false, { code: 7 }],
        ["other", true, undefined],
        ["a text", false, undefined],
        [undefined, false, undefined],
      ],
    );
    assert.ok("fields" in (calls[0]?.error ?? {}) && !("fields" in (calls[2]?.error ?? {})));
    const whole = [calls[0]?.error, calls[2]?.error].reduce((sum, error) => sum + (error ? bytesOf(error) : 0), 0);
    assert.equal(budget - recording.budget, whole);
  });

  it("leaves out a stack without room, and takes a smaller one after it", () => {
    const recorder = recorderWith({}, stacks);
    const bean = recorder.decorate(new Bean(), info);
    const recording = open();
    const small = new Error("small");
    small.stack = "Error: small\n    at f (/a.js:1:1)";
    recorder.run(recording, () => {
      assert.throws(() => bean.fail("large", new Error("cause", { cause: new Error("another") })));
      assert.throws(() => bean.again(small));
    });
    recording.budget = 2 * (5 + 5) + 160 + 2_048;
    const { calls } = recorder.finish(recording);
    assert.deepEqual(
      calls.map(({ error }) => [error?.message, error?.stack?.length ?? 0]),
      [
        ["large", 0],
        ["small", 1],
      ],
    );
    assert.equal(recording.budget, 0);
  });

  it("keeps name and message if stacks cannot be read", () => {
    const errors = { withExcerpts: () => assert.fail("no"), of: () => ({}) } as unknown as ErrorInfos;
    const recorder = recorderWith({ errors });
    const bean = recorder.decorate(new Bean(), info);
    const recording = open();
    recorder.run(recording, () => assert.throws(() => bean.fail("no"), RangeError));
    assert.deepEqual(
      recorder.finish(recording).calls.map(({ error }) => error),
      [{ name: "RangeError", message: "no" }],
    );
    assert.equal(recorder.failures, 1);
  });
});

describe("a bean that returns itself", () => {
  it("returns its wrapper: recorded, over the bound of calls, and if recording fails", () => {
    const fails = (): never => assert.fail("no");
    for (const more of [{}, { maxCalls: 0 }, { snapshots: new Proxy({} as Snapshotter, { get: fails }) }]) {
      const recorder = recorderWith(more);
      const bean = recorder.decorate(new Bean(), info);
      const recording = open();
      assert.equal(
        recorder.run(recording, () => bean.self()),
        bean,
      );
    }
  });
});

describe("a failure of the recorder", () => {
  it("is counted for arguments, results and errors, and does not change the call", async () => {
    let works = false;
    const snapshots = plainSnapshots(createRedactor({}));
    const get = (target: Snapshotter, name: string): unknown => {
      const member: unknown = works ? Reflect.get(target, name) : assert.fail("no");
      return typeof member === "function" ? member.bind(target) : member;
    };
    const failing = recorderWith({ snapshots: new Proxy(snapshots, { get }) });
    const bean = failing.decorate(new Bean(), info);
    const recording = open();
    const seen: unknown[] = [];
    await failing.run(recording, async () => {
      seen.push(bean.plain(), failing.failures);
      works = true;
      const value = bean.later(5);
      const failure = bean.failLater();
      works = false;
      seen.push(await value, failing.failures, await failure.catch(String), failing.failures);
    });
    assert.deepEqual(seen, ["plain", 1, 5, 2, "TypeError: late", 3]);
    assert.deepEqual(
      failing.finish(recording).calls.map(({ method, args, result, error }) => [method, args, result, error]),
      [
        ["plain", [], { $pending: true }, null],
        ["later", [5], null, null],
        ["failLater", [], null, { name: "Error", message: "" }],
      ],
    );
  });
});

describe("Recorder.quietly", () => {
  it("records nothing within, and continues after it, also if that throws", () => {
    const recorder = recorderWith();
    const bean = recorder.decorate(new Bean(), info);
    const recording = open();
    recorder.run(recording, () => {
      const nested = (): string => recorder.quietly(() => bean.plain()) + bean.plain();
      assert.deepEqual([recorder.quietly(nested), recorder.where()?.recording], ["plainplain", recording]);
      assert.throws(() => recorder.quietly(() => bean.fail("no")), RangeError);
      bean.self();
    });
    assert.deepEqual(methods(recorder.finish(recording).calls), ["self"]);
  });
});

describe("Recorder.asked", () => {
  it("remembers each bean that is requested outside of any call, once", () => {
    const recorder = recorderWith();
    const bean = recorder.decorate({ ask: () => recorder.asked("within") }, info);
    const recording = open();
    recorder.asked("before");
    recorder.run(recording, () => {
      for (const id of ["a", "b", "a"]) recorder.asked(id);
      bean.ask();
      recorder.quietly(() => recorder.asked("quiet"));
    });
    recorder.asked("behind");
    assert.deepEqual([recording.asked, open().asked], [["a", "b"], undefined]);
  });
});

describe("the beans of a recorder", () => {
  it("are those of an interface, each unwrapped, and all are shown by name", () => {
    const names = new WeakMap<object, Json>();
    const recorder = recorderWith({ names });
    const [bean, ofClass] = [new Bean(), new Bean()];
    assert.deepEqual([recorder.traces, recorder.decorated, [...recorder.beans()]], [true, false, []]);
    const wrapper = recorder.decorate(bean, info);
    recorder.decorate(ofClass, { ...info, id: "Class", isInterface: false });
    const beans = recorder.beans();
    assert.deepEqual([[...beans.keys()], beans.get("Bean#2") === bean, recorder.decorated], [["Bean#2"], true, true]);
    assert.deepEqual(
      [bean, wrapper, ofClass, {}].map((one) => names.get(one)),
      [{ $bean: "Bean#2" }, { $bean: "Bean#2" }, { $bean: "Class" }, undefined],
    );
  });

  it("do not stay alive through it", (t) => {
    t.mock.method(WeakRef.prototype, "deref", () => undefined);
    const recorder = recorderWith();
    recorder.decorate(new Bean(), info);
    assert.equal(recorder.beans().size, 0);
  });

  it("are reported to the start log", () => {
    const heard: unknown[] = [];
    const made = (error?: BeanError): void => void heard.push(["made", error]);
    const starts = {
      building: (...given: unknown[]) => (heard.push(given), made),
      failed: (...given: unknown[]) => void heard.push(given),
    } as unknown as StartLog;
    const recorder = recorderWith({ starts });
    const [error, graph] = [
      new BeanError("start-failed" as never, ["Bean"], "no"),
      { beans: [] } as unknown as BeanGraph,
    ];
    recorder.building(info, undefined)?.(error);
    recorder.startFailed(error, graph);
    assert.deepEqual(heard, [
      [info, undefined],
      ["made", error],
      [error, graph],
    ]);
    assert.equal(recorderWith().building(info, undefined), undefined);
    recorderWith().startFailed(error, graph);
  });
});

describe("Recorder.bind", () => {
  it("returns a function unchanged outside of a request", () => {
    const recorder = recorderWith();
    const callback = (): void => undefined;
    assert.equal(recorder.bind(callback), callback);
    recorder.run(open(), () => undefined);
    assert.equal(recorder.bind(callback), callback);
  });

  it("passes on this, the arguments and the result, and errors", async () => {
    const recorder = recorderWith();
    const bound = recorder.run(open(), () =>
      recorder.bind(function (this: unknown, ...given: readonly unknown[]): unknown {
        if (given.length === 0) throw new RangeError("none");
        return [this, ...given, recorder.where() !== undefined];
      }),
    );
    const self = {};
    await turn();
    assert.deepEqual(Reflect.apply(bound, self, [1, 2]), [self, 1, 2, true]);
    assert.throws(() => bound(), RangeError);
    assert.equal(recorder.where(), undefined);
  });
});

describe("a replay in a recording", () => {
  it("is asked for every call, also for one that is not kept, and its method is called", () => {
    const recorder = recorderWith({ maxCalls: 1 });
    const bean = new Bean();
    const wrapper = recorder.decorate(bean, info);
    const recording = open();
    const asked: unknown[] = [];
    recording.replay = {
      instead: (call: object) => {
        asked.push(call);
        return asked.length === 3 ? undefined : (): string => `replayed ${asked.length}`;
      },
    } as unknown as Replay;
    const seen = recorder.run(recording, () => [wrapper.nest(7), wrapper.nest(8), wrapper.nest(9)]);
    const common = { bean: "Bean#2", method: "nest", self: wrapper, code: Bean.prototype.nest };
    assert.deepEqual(seen, ["replayed 1", "replayed 2", "at 9"]);
    assert.deepEqual(asked, [
      { ...common, args: [7] },
      { ...common, args: undefined },
      { ...common, args: undefined },
    ]);
  });
});
