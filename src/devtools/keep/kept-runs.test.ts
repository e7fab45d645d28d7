/** Kept runs: those in memory and on disk as one list, and the processes that recorded them (HISTORY). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Trace } from "../run/shapes.ts";
import type { FinishedTrace } from "../record/finished-trace.ts";
import { collectGarbage, finishedOf } from "./finished-traces.testkit.ts";
import type { History, HistoryRun } from "./history/history.ts";
import type { SessionLine } from "./history/lines.ts";
import { KeptRuns } from "./kept-runs.ts";
import { TraceStore } from "./store.ts";

const finished = (path: string, startedAt: number): FinishedTrace => finishedOf({ path, startedAt }, { bytes: 100 });

const onDisk = (instance: string, sequence: number, startedAt = 0): HistoryRun =>
  ({ key: `${instance}.${sequence}`, document: { instance, startedAt } }) as HistoryRun;

const session = (instance: string, startedAt: number): SessionLine => ({
  instance,
  startedAt,
  app: "shop",
  commit: null,
  branch: null,
});

/** Runs in memory and those of a history, with their keys as texts, except unreadable ones. */
function subject({
  capacity = 10,
  disk = [],
  sessions = [],
  unreadable = [],
}: {
  readonly capacity?: number;
  readonly disk?: readonly HistoryRun[];
  readonly sessions?: readonly SessionLine[];
  readonly unreadable?: readonly string[];
} = {}): { store: TraceStore; runs: KeptRuns; alone: KeptRuns; read: string[] } {
  const store = new TraceStore(capacity, 1_000_000);
  const read: string[] = [];
  const history = {
    runs: async () => disk,
    sessions: () => sessions,
    skipped: 7,
    find: (key: string) => disk.find((run) => run.key === key),
    textOf: async ({ key }: HistoryRun) => (read.push(key), unreadable.includes(key) ? undefined : `text of ${key}`),
  } as unknown as History;
  const own = session(store.instance, 50);
  return { store, runs: new KeptRuns(store, own, history), alone: new KeptRuns(store, own, undefined), read };
}

describe("KeptRuns.all", () => {
  it("has those in memory before those on disk, the newest first, and each once", async () => {
    const disk: HistoryRun[] = [];
    const { store, runs, alone } = subject({ disk });
    for (const path of ["/1", "/2"]) store.add(finished(path, 1));
    const keys = async (of: KeptRuns): Promise<string[]> => (await of.all()).map(({ key }) => key);
    const inMemory = [`${store.instance}.2`, `${store.instance}.1`];
    assert.deepEqual([await keys(alone), await keys(runs)], [inMemory, inMemory]);
    disk.push(onDisk(store.instance, 2), onDisk("former", 1));
    assert.deepEqual([await keys(runs), await runs.onDisk()], [[...inMemory, "former.1"], disk]);
    assert.deepEqual(await alone.onDisk(), []);
  });

  it("makes the document of a run once, and keeps none after it has left the ring", async () => {
    const { store, alone } = subject({ capacity: 2 });
    for (const path of ["/1", "/2"]) store.add(finished(path, 1));
    const [second, left] = (await alone.all()).map((run) => new WeakRef(run));
    store.add(finished("/3", 1));
    const [third, again, ...more] = await alone.all();
    assert.deepEqual([again === second?.deref(), more, third?.document.path], [true, [], "/3"]);
    await turn();
    collectGarbage();
    assert.equal(left?.deref(), undefined);
  });
});

describe("KeptRuns.textOf", () => {
  it("is a run in memory, or on disk, or undefined", async () => {
    const disk = [onDisk("former", 1)];
    const { store, runs, alone, read } = subject({ disk });
    store.add(finished("/1", 1));
    const own = await alone.textOf(`${store.instance}.1`);
    assert.equal((JSON.parse(own ?? "") as Trace).path, "/1");
    assert.deepEqual([await runs.textOf("former.1"), await runs.textOf("former.2")], ["text of former.1", undefined]);
    for (const key of ["", ".", ".1", "1", "former.1", `${store.instance}.2`, `${store.instance}x1`])
      assert.equal(await alone.textOf(key), undefined, key);
    assert.deepEqual(read, ["former.1"]);
  });

  it("accepts no other spelling of a number", async () => {
    const { store, alone } = subject();
    store.add(finished("/1", 1));
    for (const sequence of ["01", "1e0", " 1", "1 ", "+1", "0x1", "1.0", `1${"0".repeat(15)}`])
      assert.equal(await alone.textOf(`${store.instance}.${sequence}`), undefined, sequence);
  });

  it("is on disk if it has left the ring", async () => {
    const disk: HistoryRun[] = [];
    const { store, runs } = subject({ capacity: 1, disk });
    for (const path of ["/1", "/2"]) store.add(finished(path, 1));
    disk.push(onDisk(store.instance, 1));
    assert.equal(await runs.textOf(`${store.instance}.1`), `text of ${store.instance}.1`);
  });
});

describe("KeptRuns.textOfAll", () => {
  const disk = [1, 2, 3, 4].map((sequence) => onDisk("former", sequence));

  it("leaves out unreadable runs, and ends before the characters are too many, except for the first", async () => {
    const { runs, alone, read } = subject({ disk, unreadable: ["former.2"] });
    const keys = async (maxChars: number): Promise<string[]> =>
      (await runs.textOfAll(disk, maxChars)).map(({ key }) => key);
    assert.deepEqual(await runs.textOfAll(disk.slice(0, 1), 0), [{ key: "former.1", text: "text of former.1" }]);
    assert.deepEqual([await keys(31), await keys(32)], [["former.1"], ["former.1", "former.3"]]);
    assert.deepEqual(await keys(1_000), ["former.1", "former.3", "former.4"]);
    read.length = 0;
    await keys(0);
    assert.deepEqual(read, ["former.1", "former.2", "former.3"]);
    assert.deepEqual(await alone.textOfAll(disk, 1_000), []);
  });
});

describe("KeptRuns.sessions", () => {
  it("are the processes of kept runs, this one first, then the latest, named or not", async () => {
    const disk = [onDisk("b", 2, 30), onDisk("b", 1, 20), onDisk("unnamed", 1, 25), onDisk("a", 1, 1)];
    const { store, runs } = subject({ disk, sessions: [session("a", 40), session("b", 19), session("gone", 60)] });
    store.add(finished("/1", 55));
    const own = { ...session(store.instance, 50), skipped: 7, current: true, runs: 1 };
    assert.deepEqual(await runs.sessions(), [
      own,
      { ...session("a", 40), current: false, runs: 1 },
      {
        instance: "unnamed",
        startedAt: 25,
        app: null,
        commit: null,
        branch: null,
        skipped: 0,
        current: false,
        runs: 1,
      },
      { ...session("b", 19), current: false, runs: 2 },
    ]);
  });

  it("are only this one without a history, also without a run", async () => {
    const { store, alone, runs } = subject({ sessions: [session("a", 40)] });
    const own = { ...session(store.instance, 50), skipped: 0, current: true, runs: 0 };
    assert.deepEqual(await alone.sessions(), [own]);
    assert.deepEqual(alone.sessionOf(store.instance), session(store.instance, 50));
    assert.deepEqual(
      [alone.sessionOf("a"), runs.sessionOf("a"), runs.sessionOf("b")],
      [undefined, session("a", 40), undefined],
    );
  });

  it("have the oldest run as the start of a process without its line", async () => {
    const { runs } = subject({ disk: [onDisk("x", 3, 30), onDisk("x", 2, 20), onDisk("x", 1, 10)] });
    assert.deepEqual(
      (await runs.sessions()).map((one) => [one.current, one.startedAt, one.runs]),
      [
        [true, 50, 0],
        [false, 10, 3],
      ],
    );
  });
});
