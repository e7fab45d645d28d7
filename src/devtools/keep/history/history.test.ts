/** History on a real disk: what is written, what is read again, and which file contents are harmless. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { runOf } from "../../run/search/runs.testkit.ts";
import type { Trace, StartUp } from "../../run/shapes.ts";
import { History, type HistorySettings } from "./history.ts";
import { readHistoryLine, runText, sessionText } from "./lines.ts";

const folder = mkdtempSync(join(tmpdir(), "history-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `${(files += 1)}`, "runs.jsonl");
const session = (instance: string, app: string | null = "shop") => ({
  instance,
  startedAt: 1,
  app,
  commit: null,
  branch: null,
});

/** A history, and its warnings. */
function open(
  file: string,
  instance: string,
  options: Partial<HistorySettings> & { app?: string | null; now?: () => number } = {},
) {
  const { app, now, ...bounds } = options;
  const history = new History(
    { file, bytes: 1e7, runs: 1_000, runsPerSecond: 200, ...bounds },
    session(instance, app),
    now,
  );
  const lines: string[] = [];
  history.warnBy((line) => lines.push(line));
  const add = (...sequences: readonly number[]): void => {
    for (const sequence of sequences) history.add(added(instance, sequence));
  };
  const keys = async (): Promise<readonly string[]> => (await history.runs()).map(({ key }) => key);
  return { history, lines, add, keys };
}

/** A history with a file that cannot be written until `unblock` is called, because a folder has its name. */
function blocked() {
  const file = newFile();
  mkdirSync(file, { recursive: true });
  return { file, ...open(file, "one"), unblock: () => rmSync(file, { recursive: true }) };
}

const trace = (instance: string, sequence: number): Trace => runOf({ instance, sequence, path: `/orders/${sequence}` });
const added = (instance: string, sequence: number, bytes = 1_000) => ({
  bytes,
  text: () => JSON.stringify(trace(instance, sequence)),
});
const line = (instance: string, sequence: number): string => runText(JSON.stringify(trace(instance, sequence)), 0);

const failed = (instance: string): StartUp => ({
  instance,
  startedAt: 5,
  durationUs: 9,
  beans: [],
  droppedBeans: 0,
  hooks: [],
  notBuilt: ["Mailer"],
  chain: ["A"],
  error: { name: "Error", message: "no" },
});

describe("History", () => {
  it("returns the written runs after a restart, the newest first, trace by trace", async () => {
    const file = newFile();
    const first = open(file, "one");
    first.add(1, 2);
    await first.history.close();
    const second = open(file, "two");
    second.add(1);
    const runs = await second.history.runs();
    assert.deepEqual(
      runs.map(({ key }) => key),
      ["two.1", "one.2", "one.1"],
    );
    assert.deepEqual(
      runs.map(({ document }) => document.path),
      ["/orders/1", "/orders/2", "/orders/1"],
    );
    const texts = await Promise.all(runs.map((run) => second.history.textOf(run)));
    assert.deepEqual(
      texts.map((text) => JSON.parse(text ?? "null")),
      [trace("two", 1), trace("one", 2), trace("one", 1)],
    );
    assert.deepEqual(second.history.sessions(), [{ ...session("one"), skipped: 0 }]);
    await second.history.close();
    assert.deepEqual([first.lines, second.lines], [[], []]);
  });

  it("returns runs of every kind, without a damaged one", async () => {
    const file = newFile();
    mkdirSync(join(file, ".."), { recursive: true });
    const kinds = [undefined, "trace", "background", "websocket"] as const;
    const damaged = { ...trace("one", 5), leaves: [null] };
    const runs = [...kinds.map((kind, at) => ({ ...trace("one", at + 1), kind })), damaged];
    writeFileSync(file, runs.map((run) => `${runText(JSON.stringify(run), 0)}\n`).join(""));
    const { history, lines, keys } = open(file, "two");
    assert.deepEqual(await keys(), ["one.4", "one.3", "one.2", "one.1"]);
    assert.deepEqual(lines, [`devtools: ${file} has lines that are no runs, which are not read`]);
    await history.close();
  });

  /** Checks a file with a cut last line, for every cut; `at` is the position in that line. */
  async function wherever(check: (file: string, at: number) => Promise<void>): Promise<void> {
    const whole = [sessionText(session("one")), line("one", 1), line("one", 2)].join("\n");
    const lastAt = whole.lastIndexOf("\n") + 1;
    const cuts = fc.integer({ min: lastAt, max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(cuts, async (cut) => {
        const file = newFile();
        mkdirSync(join(file, ".."), { recursive: true });
        writeFileSync(file, whole.slice(0, cut));
        await check(file, cut - lastAt);
      }),
      { numRuns: 40 },
    );
  }

  it("drops a last line that a crash has cut, at any position", () =>
    wherever(async (file, at) => {
      const { history, keys, lines } = open(file, "two");
      assert.deepEqual(await keys(), ["one.1"]);
      await history.close();
      // A cut so early that the line's owner is unknown is reported.
      assert.ok(at < 7 || lines.length === 0, lines.join());
    }));

  it("reads lines after one that a crash has cut, at any position", () =>
    wherever(async (file) => {
      const { history, add, keys } = open(file, "two");
      add(1);
      assert.equal((await keys())[0], "two.1");
      await history.close();
      const third = open(file, "three");
      await third.keys();
      assert.deepEqual(
        third.history.sessions().map(({ instance }) => instance),
        ["one", "two"],
      );
      await third.history.close();
    }));

  /** A file with lines of each kind that is not read, and two runs among them. */
  function mixed(): { readonly file: string; readonly text: string } {
    const file = newFile();
    mkdirSync(join(file, ".."), { recursive: true });
    const text = [
      "not JSON",
      "[]",
      "{}",
      "null",
      '{"v":1,"run":{"instance":"x"}}',
      '{"v":1,"run":null}',
      '{"v":"1"}',
      "",
      "\u0000",
      '{"v":2,"run":"of later"}',
      '{"v":3}',
      sessionText(session("other", "blog")),
      line("other", 1),
      sessionText(session("more", null)),
      line("more", 1),
      sessionText(session("one")),
      line("one", 1),
      "x".repeat(300_000),
      line("one", 2),
      '{"v":1,"run":{"instance":"one","sequ',
    ]
      .map((one) => `${one}\n`)
      .join("");
    writeFileSync(file, text);
    return { file, text };
  }

  it("leaves unread lines in place", async () => {
    const { file, text } = mixed();
    const { history, keys } = open(file, "two");
    assert.deepEqual(await keys(), ["one.2", "one.1"]);
    assert.equal(readFileSync(file, "utf8"), text);
    await history.close();
  });

  it("reports each kind of line that it does not read, once", async () => {
    const { file } = mixed();
    const { history, lines, keys } = open(file, "two");
    await keys();
    await keys();
    const told = ["has lines that are no runs", "has lines of a later version", "has runs of blog too"];
    assert.deepEqual(
      lines,
      told.map((what) => `devtools: ${file} ${what}, which are not read`),
    );
    await history.close();
  });

  it("reports runs of an application without a name, and counts none of its failed starts", async () => {
    const file = newFile();
    const other = open(file, "other", { app: null });
    other.history.addFailedStart(failed("other"));
    const { history, lines, keys } = open(file, "two");
    assert.deepEqual([await keys(), history.failedStart], [[], undefined]);
    assert.deepEqual(lines, [`devtools: ${file} has runs of an application without a name too, which are not read`]);
    await history.close();
  });

  it("reads any bytes without an error, and every run among them", async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('{"v":1,', "{", "\n\n", '"', '{"v":1,"session":{}}', "9".repeat(400))
        .map((one) => Buffer.from(one)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.array(piece, { maxLength: 8 }), async (before, behind) => {
        const file = newFile();
        mkdirSync(join(file, ".."), { recursive: true });
        writeFileSync(file, Buffer.concat([...before, Buffer.from(`\n${line("one", 1)}\n`), ...behind]));
        const { history, keys } = open(file, "two");
        assert.deepEqual(await keys(), ["one.1"]);
        await history.close();
      }),
      { numRuns: 60 },
    );
  });

  it("reports once that a file cannot be written", async () => {
    const { history, lines, add } = blocked();
    add(1, 2);
    assert.deepEqual([await history.flush(), await history.flush()], [false, false]);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /^devtools: runs are kept in memory alone: .*runs\.jsonl cannot be written: EISDIR/);
    add(3);
    await history.close();
    assert.equal(lines.length, 1);
  });

  it("keeps runs for a file that cannot be written, and writes them when it can", async () => {
    const { history, add, keys, unblock } = blocked();
    add(1, 2);
    assert.equal(await history.flush(), false);
    unblock();
    add(3);
    assert.deepEqual(await keys(), ["one.3", "one.2", "one.1"]);
    await history.close();
  });

  it("tries again automatically, and writes later runs too", async (t) => {
    const { file, history, add, unblock } = blocked();
    t.mock.timers.enable({ apis: ["setTimeout"] });
    add(1);
    assert.equal(await history.flush(), false);
    unblock();
    t.mock.timers.tick(5_000);
    while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.reset();
    assert.deepEqual([await history.flush(), (await history.runs()).length], [true, 1]);
    await history.close();
  });

  it("reads runs that were added during a write, and writes a batch once", async () => {
    const file = newFile();
    const before = process.listenerCount("exit");
    const { history, add, keys } = open(file, "one");
    assert.equal(await history.flush(), true);
    add(1);
    const first = history.flush();
    add(2);
    assert.deepEqual(await keys(), ["one.2", "one.1"]);
    assert.deepEqual([await first, process.listenerCount("exit")], [false, before]);
    add(3);
    history.writeNow();
    history.writeNow();
    const written = readFileSync(file, "utf8").split("\n");
    assert.deepEqual(
      written.filter((text) => text !== "").map((text) => readHistoryLine(text).kind),
      ["session", "run", "run", "session", "run"],
    );
    assert.deepEqual(await keys(), ["one.3", "one.2", "one.1"]);
    await history.close();
  });

  it("ends with runs that were added during a write, by its timer or at its end", async () => {
    const file = newFile();
    const before = process.listenerCount("exit");
    const { history, add } = open(file, "one");
    add(1);
    const first = history.flush();
    add(2);
    assert.deepEqual([await first, process.listenerCount("exit")], [false, before + 1]);
    assert.deepEqual([await history.flush(), process.listenerCount("exit")], [true, before]);
    add(3);
    const second = history.flush();
    add(4);
    await history.close();
    assert.equal(await second, false);
    const again = open(file, "two");
    assert.deepEqual(await again.keys(), ["one.4", "one.3", "one.2", "one.1"]);
    await again.history.close();
  });

  it("writes at the end of the process what could not be written before", async () => {
    const { history, add, keys, unblock } = blocked();
    add(1, 2);
    assert.equal(await history.flush(), false);
    unblock();
    history.writeNow();
    assert.deepEqual(await keys(), ["one.2", "one.1"]);
    await history.close();
  });

  it("on a disk that fills up within a line, reports it once, and reads whole runs again", async () => {
    const file = newFile();
    const module = new URL("./history.js", import.meta.url).href;
    const program = `
      import { History } from ${JSON.stringify(module)};
      const session = ${JSON.stringify(session("one"))};
      const history = new History({ file: ${JSON.stringify(file)}, bytes: 1e6, runs: 999, runsPerSecond: 999 }, session);
      const lines = [];
      history.warnBy((line) => lines.push(line));
      const run = ${JSON.stringify(trace("one", 0))};
      for (let sequence = 1; sequence <= 50; sequence += 1)
        history.add({ bytes: 1_000, text: () => JSON.stringify({ ...run, sequence }) });
      console.log(JSON.stringify([await history.flush(), await history.flush(), lines]));
    `;
    // Files may have 16 blocks, after which the disk is full for a writer.
    const node = [process.execPath, "--conditions=modules", "--input-type=module", "-e", program];
    const { stdout } = spawnSync("sh", ["-c", 'ulimit -f 16; exec "$@"', "sh", ...node], { encoding: "utf8" });
    const [first, second, lines] = JSON.parse(stdout) as [boolean, boolean, readonly string[]];
    assert.deepEqual([first, second, lines.length], [false, false, 1]);
    assert.match(lines[0] ?? "", /cannot be written: EFBIG/);
    const { history, add, keys } = open(file, "two");
    add(1);
    const [newest, ...former] = await keys();
    assert.ok(former.length > 5 && former.length < 50, `${former.length} runs`);
    assert.deepEqual([newest, former], ["two.1", former.map((_, at) => `one.${former.length - at}`)]);
    await history.close();
  });

  /** Writes 200 runs, four at a time, and calls `afterEach` each time. */
  async function fill(
    { history, add }: Pick<ReturnType<typeof open>, "history" | "add">,
    afterEach: (last: number) => void | Promise<void>,
  ): Promise<void> {
    for (let last = 4; last <= 200; last += 4) {
      add(last - 3, last - 2, last - 1, last);
      await history.flush();
      await afterEach(last);
    }
  }
  const tight: readonly { runs?: number; bytes?: number }[] = [{ runs: 40 }, { bytes: 40_000 }];

  it("stays within the bounds of runs and of bytes, both of its files together", async () => {
    for (const bounds of tight) {
      const file = newFile();
      const opened = open(file, "one", bounds);
      const sizes: number[] = [];
      await fill(opened, () => {
        const older = file.replace(".jsonl", ".1.jsonl");
        sizes.push(statSync(file).size + (existsSync(older) ? statSync(older).size : 0));
      });
      const kept = await opened.keys();
      if (bounds.runs !== undefined) assert.ok(kept.length <= bounds.runs, `${kept.length}`);
      if (bounds.bytes !== undefined) assert.ok(Math.max(...sizes) <= bounds.bytes, `${Math.max(...sizes)}`);
      await opened.history.close();
    }
  });

  it("loses only the oldest, when half of its bounds are full", async () => {
    for (const bounds of tight) {
      const file = newFile();
      const opened = open(file, "one", bounds);
      const { history, keys } = opened;
      await fill(opened, async (last) => assert.equal((await keys())[0], `one.${last}`));
      const kept = await keys();
      assert.deepEqual(
        kept,
        Array.from(kept, (_, at) => `one.${200 - at}`),
      );
      assert.ok(kept.length >= 12, `${kept.length}`);
      await history.close();
      const again = open(file, "two", bounds);
      assert.deepEqual(await again.keys(), kept);
      assert.equal(again.history.sessions()[0]?.instance, "one");
      await again.history.close();
    }
  });

  it("returns no more runs than may be kept, the newest of a file that others have filled", async () => {
    const file = newFile();
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, Array.from({ length: 9 }, (_, at) => `${line("one", at + 1)}\n`).join(""));
    const { history, keys } = open(file, "two", { runs: 4 });
    assert.deepEqual(await keys(), ["one.9", "one.8", "one.7", "one.6"]);
    assert.equal(history.find("one.9")?.document.path, "/orders/9");
    assert.equal(history.find("two.1"), undefined);
    await history.close();
  });

  it("HISTORY-004: is undefined for a run if its place has another content now", async () => {
    const file = newFile();
    const { history, lines, add } = open(file, "one");
    add(1);
    const [run = assert.fail()] = await history.runs();
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll("/orders/1", "/orders/2"));
    assert.equal(JSON.parse((await history.textOf(run)) ?? "null")?.path, "/orders/2");
    const others = [text.replace('"sequence":1', '"sequence":2'), text.replaceAll('"run"', '"nur"')];
    for (const other of [...others, text.slice(0, -9), ""]) {
      writeFileSync(file, other);
      assert.equal(await history.textOf(run), undefined, other);
    }
    assert.deepEqual(lines, []);
    await history.close();
  });

  it("reports an unreadable folder once, for a list and for one run", async () => {
    const file = newFile();
    const both = [open(file, "one"), open(file, "two")] as const;
    both[0].add(1);
    const [run = assert.fail()] = await both[0].history.runs();
    rmSync(join(file, ".."), { recursive: true });
    writeFileSync(join(file, ".."), "");
    assert.deepEqual([await both[0].history.textOf(run), await both[0].history.textOf(run)], [undefined, undefined]);
    assert.deepEqual([await both[1].keys(), await both[1].keys()], [[], []]);
    for (const { lines, history } of both) {
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? "", /^devtools: .*runs\.jsonl cannot be read: ENOTDIR/);
      await history.close();
    }
  });

  it("reads lines that others write, and files that were deleted or emptied", async () => {
    const file = newFile();
    const [one, two] = [open(file, "one"), open(file, "two")];
    one.add(1);
    assert.deepEqual(await one.keys(), ["one.1"]);
    two.add(1);
    await two.history.flush();
    assert.deepEqual(await one.keys(), ["two.1", "one.1"]);
    truncateSync(file);
    one.add(2);
    assert.deepEqual(await one.keys(), ["one.2"]);
    rmSync(file);
    assert.deepEqual([await one.keys(), one.history.find("one.2")], [[], undefined]);
    one.add(3);
    assert.deepEqual(await one.keys(), ["one.3"]);
    await Promise.all([one.history.close(), two.history.close()]);
  });

  for (const gone of ["the older", "the newer"])
    it(`finds a run of a deleted file in the other file: ${gone} is gone`, async () => {
      const file = newFile();
      const older = file.replace(".jsonl", ".1.jsonl");
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(older, `${line("one", 1)}\n${line("one", 2)}\n`);
      writeFileSync(file, `${line("one", 2)}\n${line("one", 3)}\n`);
      const { history, keys } = open(file, "two");
      assert.deepEqual(await keys(), ["one.3", "one.2", "one.1"]);
      rmSync(gone === "the older" ? older : file);
      const [left, lost] = gone === "the older" ? [["one.3", "one.2"], "one.1"] : [["one.2", "one.1"], "one.3"];
      assert.deepEqual([await keys(), history.find(lost)], [left, undefined]);
      const found = history.find("one.2");
      assert.ok(found !== undefined && (await history.textOf(found))?.includes("/orders/2"));
      await history.close();
    });

  it("counts a run once that a failed write has left twice", async () => {
    const file = newFile();
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, [line("one", 1), line("one", 2), line("one", 1)].map((one) => `${one}\n`).join(""));
    const { history, keys } = open(file, "two");
    assert.deepEqual((await keys()).toSorted(), ["one.1", "one.2"]);
    await history.close();
  });

  it("writes a burst whole and then at its rate, and counts the others", async () => {
    let now = 0;
    const { history, add, keys } = open(newFile(), "one", { runs: 10_000, runsPerSecond: 10, now: () => now });
    add(...Array.from({ length: 700 }, (_, at) => at + 1));
    now = 500;
    add(...Array.from({ length: 20 }, (_, at) => at + 2_000));
    const kept = await keys();
    assert.deepEqual([kept.length, history.skipped, kept[0]], [505, 215, "one.2004"]);
    const huge = added("one", 3_000, 20_000_000);
    now = 10_000;
    assert.equal(history.add(huge), false);
    assert.equal(history.skipped, 216);
    await history.close();
    assert.deepEqual([history.add(added("one", 4_000)), history.skipped], [false, 216]);
  });

  it("skips runs while more than 16 MiB wait, and takes more after they are written", async () => {
    const { history, keys } = open(newFile(), "one");
    const large = (sequence: number): boolean => history.add(added("one", sequence, 8_388_608));
    assert.deepEqual([large(1), large(2), large(3)], [true, true, false]);
    assert.equal(await history.flush(), true);
    assert.deepEqual([large(4), large(5), large(6), history.skipped], [true, true, false, 2]);
    history.writeNow();
    assert.deepEqual([large(7), large(8), large(9)], [true, true, false]);
    assert.equal((await keys()).length, 6);
    await history.close();
  });

  it("makes lines for 3 ms, and lets others run before the next", async (t) => {
    const { history } = open(newFile(), "one");
    let now = 1_000;
    t.mock.method(performance, "now", () => now);
    const order: string[] = [];
    for (const [at, took] of [1, 2, 2.5, 1].entries())
      history.add({
        bytes: 1_000,
        text: () => {
          order.push(`made ${at}`);
          setImmediate(() => order.push(`behind ${at}`));
          now += took;
          return JSON.stringify(trace("one", at));
        },
      });
    await history.close();
    assert.deepEqual(order.slice(0, 6), ["made 0", "made 1", "behind 0", "behind 1", "made 2", "made 3"]);
  });

  it("goes by its own clock", async () => {
    const { history } = open(newFile(), "one", { runsPerSecond: 0.001 });
    const kept = Array.from({ length: 501 }, (_, at) => history.add(added("one", at)));
    assert.deepEqual([kept.indexOf(false), history.skipped], [500, 1]);
    await history.close();
  });

  it("allows the next run when its time has come, and not before", async () => {
    let now = 0;
    const { history, add } = open(newFile(), "one", { runsPerSecond: 10, now: () => now });
    add(...Array.from({ length: 500 }, (_, at) => at + 1));
    const next = (at: number): boolean => {
      now = at;
      return history.add(added("one", at));
    };
    assert.deepEqual([99, 100, 101, 300, 301].map(next), [false, true, false, true, true]);
    now = 1_000_000;
    const more = Array.from({ length: 501 }, (_, at) => history.add(added("one", 2_000 + at)));
    assert.deepEqual([more.filter(Boolean).length, more.at(-1)], [500, false]);
    await history.close();
  });

  it("an ended session still has its number of skipped runs", async () => {
    const file = newFile();
    const one = open(file, "one", { now: () => 0 });
    one.add(...Array.from({ length: 510 }, (_, at) => at + 1));
    await one.history.close();
    const two = open(file, "two", { runs: 5_000 });
    await two.keys();
    assert.deepEqual(
      two.history.sessions().map(({ skipped }) => skipped),
      [10],
    );
    await two.history.close();
  });

  it("only its owner may read the file", async () => {
    const file = newFile();
    const { history, add } = open(file, "one");
    add(1);
    await history.close();
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it("git ignores a new .framework folder", async () => {
    const file = join(folder, "project", ".framework", "runs.jsonl");
    const { history, add } = open(file, "one");
    add(1);
    await history.close();
    assert.equal(readFileSync(join(file, "..", ".gitignore"), "utf8"), "*\n");
  });

  it("writes runs in a batch, after the code that added them", async () => {
    const file = newFile();
    const { history, lines } = open(file, "one");
    const order: string[] = [];
    const run = (sequence: number) => ({
      bytes: 1_000,
      text: () => {
        order.push(`written ${sequence}`);
        return JSON.stringify(trace("one", sequence));
      },
    });
    history.add(run(1));
    await Promise.resolve();
    history.add(run(2));
    order.push("added");
    assert.equal(existsSync(file), false);
    while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
    await history.close();
    assert.deepEqual([order, lines], [["added", "written 1", "written 2"], []]);
  });

  it("writes waiting runs when the process ends, also by an uncaught error", () => {
    const file = newFile();
    const module = new URL("./history.js", import.meta.url).href;
    const program = `
      import { History } from ${JSON.stringify(module)};
      const session = ${JSON.stringify(session("one"))};
      const history = new History({ file: ${JSON.stringify(file)}, bytes: 1e6, runs: 100, runsPerSecond: 1 }, session);
      history.add({ bytes: 1, text: () => ${JSON.stringify(JSON.stringify(trace("one", 1)))} });
      throw new Error("nobody catches this");
    `;
    const { status } = spawnSync(process.execPath, ["--conditions=modules", "--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    const written = readFileSync(file, "utf8")
      .split("\n")
      .filter((text) => text !== "")
      .map((text) => readHistoryLine(text).kind);
    assert.deepEqual([status, written], [1, ["session", "run"]]);
  });

  it("listens to the end of the process only while runs wait", async () => {
    const before = process.listenerCount("exit");
    const histories = Array.from({ length: 12 }, (_, at) => open(newFile(), `i${at}`));
    for (const { add } of histories) add(1);
    await histories[0]?.history.close();
    assert.equal(process.listenerCount("exit"), before + 1);
    await Promise.all(histories.map(({ history }) => history.close()));
    assert.equal(process.listenerCount("exit"), before);
  });

  it("keeps a failed start until a later process starts successfully", async () => {
    const file = newFile();
    const one = open(file, "one");
    one.history.addFailedStart(failed("one"));
    const two = open(file, "two");
    two.history.addStart(() => ({ ...failed("two"), error: null }));
    await two.keys();
    assert.deepEqual(two.history.failedStart, failed("one"));
    await two.history.close();
    const three = open(file, "three");
    await three.keys();
    assert.equal(three.history.failedStart, undefined);
    await Promise.all([one.history.close(), three.history.close()]);
  });

  it("does not read a line after its file was rotated twice, and finds one after one rotation", async () => {
    const file = newFile();
    const { history, add } = open(file, "one", { runs: 4 });
    add(1);
    const [run = assert.fail()] = await history.runs();
    add(2, 3);
    await history.flush();
    assert.equal(JSON.parse((await history.textOf(run)) ?? "null")?.sequence, 1);
    add(4, 5);
    await history.flush();
    assert.equal(await history.textOf(run), undefined);
    await history.close();
  });

  it("reports a file that cannot be read, and continues without it", async (t) => {
    if (process.getuid?.() === 0) return t.skip("root reads everything");
    const file = newFile();
    mkdirSync(join(file, ".."), { recursive: true });
    appendFileSync(file, "x");
    chmodSync(file, 0);
    const { history, keys, lines } = open(file, "one");
    assert.deepEqual([await keys(), lines.length], [[], 1]);
    await history.close();
  });
});
