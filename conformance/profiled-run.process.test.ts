/**
 * A profiled run: the lines that took the processor's time, each at its call.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Beans, Framework, Interface } from "framework";
import { Devtools, type ProfiledLine, type ReplayProblem, type RunProfile, type Trace } from "@framework/devtools";

interface Work {
  plain(ms: number): number;
  later(ms: number): Promise<number>;
  parse(times: number): number;
}
const Work = Interface<Work>("Work");
const Other = Interface<Work>("Other");

/** Burns the processor's time in one line. */
const work: Work = {
  plain(ms) {
    let sum = 0;
    for (const end = performance.now() + ms; performance.now() < end;) sum += Math.sqrt(sum + 1); // plain line
    return sum;
  },
  async later(ms) {
    await setTimeout(1);
    let sum = 0;
    for (const end = performance.now() + ms; performance.now() < end;) sum += Math.sqrt(sum + 1); // later line
    await null;
    return sum;
  },
  parse(times) {
    const text = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, name: `item ${id}` })));
    let length = 0;
    for (let at = 0; at < times; at += 1) length += (JSON.parse(text) as unknown[]).length; // parse line
    return length;
  },
};

let app: Framework;

before(async () => {
  const devtools = Devtools.create();
  const beans = Beans.builder()
    .bind(Work, () => work)
    .bind(Other, () => ({ ...work }))
    .instrument(devtools.recorder())
    .start();
  app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } });
  app.beans(beans);
  app.get("/work", async (ctx) => {
    const [one, other] = [ctx.get(Work), ctx.get(Other)];
    const both = Promise.all([one.later(60), other.later(30)]);
    one.plain(50);
    other.parse(60);
    await both;
    return "done";
  });
  app.get("/never", () => new Promise<string>(() => undefined));
  devtools.install(app, beans);
  await app.start(0);
});
after(() => app.stop({ graceMs: 0 }));

/** The newest run with that text, as soon as there is one. */
async function newest(text = ""): Promise<Trace> {
  for (;;) {
    const traces = (await (await fetch(`${app.url}/framework/dev/api/requests`)).json()) as Trace[];
    const found = traces.find((one) => JSON.stringify(one).includes(text));
    if (found !== undefined) return found;
  }
}

async function profiled(): Promise<{ readonly of: Trace; readonly response: Response }> {
  await (await fetch(`${app.url}/work`)).text();
  const of = await newest();
  const header = `${of.instance}.${of.sequence};beans=;profile=1`;
  return { of, response: await fetch(`${app.url}/work`, { headers: { "X-Framework-Replay": header } }) };
}

/** The time of one call. */
const ofCall = ({ lines }: RunProfile, call: number | null): number =>
  lines.filter((line) => line.call === call).reduce((sum, { us }) => sum + us, 0);

describe("a profiled run", () => {
  it("REPLAY-027: gives the time of each loop to its line and its call, though eight more run beside it", async () => {
    await (await fetch(`${app.url}/work`)).text();
    const others = Array.from({ length: 8 }, () => fetch(`${app.url}/work`).then((response) => response.text()));
    const { response } = await profiled();
    assert.equal(await response.text(), "done");
    await Promise.all(others);
    const { profile, calls, replayOf } = await newest('"profile"');
    assert.ok(profile);
    assert.deepEqual(
      [replayOf?.beans, calls.map(({ bean, method }) => `${bean}.${method}`)],
      [[], ["Work.later", "Other.later", "Work.plain", "Other.parse"]],
    );
    const times = [0, 1, 2, 3].map((call) => ofCall(profile, call));
    assert.ok(times.reduce((sum, us) => sum + us, 0) >= 0.95 * profile.ownUs, `${times.join()} of ${profile.ownUs}`);
    // A machine with other work gives the sampler little of the processor, so a call may have few samples, and none of another's.
    for (const [call, name, text] of [
      [0, "later", "later line"],
      [1, "later", "later line"],
      [2, "plain", "plain line"],
      [3, "parse", "parse line"],
    ] as const) {
      const own: readonly ProfiledLine[] = profile.lines.filter((line) => line.call === call && line.file !== "");
      assert.deepEqual([...new Set(own.map((line) => line.name))].slice(0, 1), own.length === 0 ? [] : [name]);
      const inLoop = await sumOf(own, async ({ file, line }) => (await sourceLine(file, line)).includes(text));
      const all = await sumOf(own, () => true);
      // While coverage is measured, V8 keeps the code that it has optimized, whose lines it does not know.
      const isKnown = process.env["NODE_V8_COVERAGE"] === undefined && all >= 20_000;
      assert.ok(!isKnown || inLoop >= 0.7 * all, JSON.stringify(own));
    }
    assert.ok(profile.stacks.every(({ call }) => call === null || (call >= 0 && call <= 3)));
    assert.ok(profile.allocations.some(({ name, bytes }) => name === "parse" && bytes > 100_000));
  });

  it("rejects a second one while one runs, and is possible again after that", async () => {
    const never = new AbortController();
    await fetch(`${app.url}/never`, { signal: AbortSignal.timeout(20) }).catch(() => undefined);
    const of = await newest("/never");
    const headers = { "X-Framework-Replay": `${of.instance}.${of.sequence};beans=;profile=1` };
    const first = fetch(`${app.url}/never`, { headers, signal: never.signal }).catch(() => undefined);
    await setTimeout(50);
    const { response } = await profiled();
    const { detail } = (await response.json()) as ReplayProblem;
    assert.deepEqual(
      [response.status, detail],
      [409, "another run is being profiled: send it again when that is over"],
    );
    never.abort();
    await first;
    for (;;) {
      const again = await profiled();
      await again.response.text();
      if (again.response.status === 200) break;
    }
  });
});

async function sourceLine(file = "", line = 0): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return (await readFile(file, "utf8").catch(() => "")).split("\n")[line - 1] ?? "";
}

/** The time of the lines for which it is true. */
async function sumOf(
  lines: readonly ProfiledLine[],
  isCounted: (line: ProfiledLine) => boolean | Promise<boolean>,
): Promise<number> {
  let sum = 0;
  for (const line of lines) if (await isCounted(line)) sum += line.us;
  return sum;
}
