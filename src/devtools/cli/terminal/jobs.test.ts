/** The jobs of a running application in a terminal: their list, the replay of an attempt, and the retry of a dead letter. */
import assert from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import { after, before, describe, it } from "node:test";
import type { Trace } from "../../index.ts";
import { runProgram } from "./program.ts";
import { secret, Subject } from "./subject.testkit.ts";

let subject: Subject;
before(async () => {
  subject = await Subject.withJobs();
});
after(() => subject.stop());

async function run(...args: readonly string[]): Promise<readonly [code: number, out: string, err: string]> {
  const to = { out: "", err: "" };
  const code = await runProgram(args, {
    env: { FRAMEWORK_DEVTOOLS_TOKEN: secret, FRAMEWORK_DEVTOOLS_URL: subject.url },
    folder: "/nowhere",
    output: {},
    pipe: { input: Readable.from([]), output: new Writable() },
    signal: new AbortController().signal,
    print: (text) => void (to.out += text),
    printError: (text) => void (to.err += text),
  });
  return [code, to.out, to.err];
}

describe("framework-devtools jobs", () => {
  it("lists the figures and the dead letters, and no text of theirs controls the terminal", async () => {
    const [code, out] = await run("jobs");
    const lines = out.split("\n").map((line) => line.replace(/replay \S+/, "replay …"));
    assert.deepEqual(
      [code, lines],
      [
        0,
        [
          "job   waiting  active  dead  oldest",
          "mail        0       0     1",
          "",
          `dead  mail ${subject.letter}`,
          String.raw`      no \u{1b}]0;owned\u{7}`,
          "      replay …",
          "",
        ],
      ],
    );
    const [, json] = await run("jobs", "--json");
    assert.equal((JSON.parse(json) as { engine: string }).engine, "memory");
  });

  it("says that an application has none", async () => {
    const bare = await Subject.start();
    const [code, , err] = await run("jobs", "--url", bare.url);
    await bare.stop();
    assert.deepEqual(
      [code, err],
      [2, "framework-devtools: the application has no jobs: app.work gives it an engine\n"],
    );
  });
});

describe("framework-devtools replay", () => {
  it("replays an attempt with what it recorded, and a request too", async () => {
    const [, listed] = await run("runs", "is:dead", "--json");
    const { instance, sequence } = JSON.parse(listed) as Trace;
    const [code, out, err] = await run("replay", `${instance}.${sequence}`, "--json");
    assert.deepEqual([code, err], [0, ""]);
    const { kind, job, replayOf, calls } = JSON.parse(out) as Trace;
    assert.deepEqual([kind, job?.outcome, replayOf?.beans], ["job", "failed", ["Rows"]]);
    assert.deepEqual(
      calls.map(({ bean }) => bean),
      ["Rows"],
    );
    await run("send", "GET", "/shop/orders/7");
    const [, again] = await run("replay", "last", "--json");
    assert.deepEqual((JSON.parse(again) as Trace).replayOf?.beans, ["Rows"]);
  });

  it("names the attempt and the search for what sent it", async () => {
    const [, out] = await run("runs", "job:mail");
    assert.match(out, /RUN mail attempt 1 of 1: a dead letter/);
    const [, tree] = await run("run", subject.letter);
    assert.ok(tree.includes(`what sent it: runs 'message="${subject.letter}"'`), tree);
  });
});

describe("framework-devtools retry", () => {
  it("puts a dead letter back into its engine, and says why it cannot", async () => {
    assert.deepEqual(await run("retry", "mail", subject.letter), [0, `mail ${subject.letter} is tried again\n`, ""]);
    const [code, , err] = await run("retry", "nothing", "7");
    assert.deepEqual([code, err], [2, "framework-devtools: this process does no job nothing\n"]);
  });
});
