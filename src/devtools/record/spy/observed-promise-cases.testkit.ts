/**
 * A process with beans that return promises of every kind, and callers that handle them in every way.
 *
 *   node observed-promise-cases.testkit.js recorded|plain        every case, as JSON
 *   node observed-promise-cases.testkit.js recorded|plain <how>  one case, with no listener for unhandled rejections
 */
import { fileURLToPath } from "node:url";
import { ErrorInfos } from "../../capture/error-info.ts";
import { beginRecording, Recorder } from "../recorder.ts";
import { createRedactor } from "../../capture/redact.ts";
import { Snapshotter } from "../../capture/snapshot.ts";

const [, , mode, alone] = process.argv;
const limits = { stringChars: 1_000, depth: 8, items: 100, nodes: 1_000, snapshotBytes: 10_000 };
const snapshots = new Snapshotter({
  limits,
  redactor: createRedactor({}),
  forms: new Map(),
  nameOf: () => undefined,
  quietly: (run) => run(),
});
const recorder = new Recorder({ maxCalls: 500, snapshots, errors: new ErrorInfos(snapshots, undefined) });

class Task<T> extends Promise<T> {
  static made = 0;

  constructor(executor: ConstructorParameters<typeof Promise<T>>[0]) {
    super(executor);
    Task.made += 1;
  }
}

/** A promise of each kind that settles a little later. */
const kinds: Readonly<Record<string, (fails: boolean) => Promise<unknown>>> = {
  "an async function's": async (fails) => {
    await new Promise(setImmediate);
    if (fails) throw new Error("no");
    return "yes";
  },
  "one with own properties": (fails) => Object.assign(settled(fails), { cancel: () => "cancelled" }),
  "one of a subclass": (fails) =>
    new Task((resolve, reject) => void setImmediate(() => (fails ? reject(new Error("no")) : resolve("yes")))),
  "one that settled before": (fails) => (fails ? Promise.reject(new Error("no")) : Promise.resolve("yes")),
  "one that cannot be extended": (fails) => Object.preventExtensions(settled(fails)),
};

function settled(fails: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => void setImmediate(() => (fails ? reject(new Error("no")) : resolve("yes"))));
}

const ignore = (): undefined => undefined;

/** The ways in which a caller uses the promise. */
const callers: Readonly<Record<string, (promise: Promise<unknown>) => Promise<unknown> | undefined>> = {
  "by await": async (promise) => await promise,
  "by then": (promise) => promise.then(String, String),
  "by catch": (promise) => promise.catch(String),
  "by finally": (promise) => promise.finally(ignore),
  "by Promise.all": (promise) => Promise.all([promise, null]),
  "by Promise.allSettled": async (promise) => (await Promise.allSettled([promise])).length,
  "by Promise.race": (promise) => Promise.race([promise, new Promise(ignore)]),
  "by a return": (promise) => (async () => promise)(),
  "by resolve": (promise) => new Promise((resolve) => resolve(promise)),
  "by no code": ignore,
  "by a caller later": (promise) => new Promise((resolve) => void setTimeout(resolve, 5)).then(() => promise),
};

interface Outcome {
  readonly events: string[];
  result: unknown;
  own: readonly PropertyKey[];
  made: number;
  isBeans: boolean;
  observed: string;
}

/** One case, with the bean's promise, whether the bean handles it, and the caller's way. */
async function one(
  make: () => Promise<unknown>,
  handled: boolean,
  use: (promise: Promise<unknown>) => Promise<unknown> | undefined,
) {
  const outcome: Outcome = { events: [], result: undefined, own: [], made: 0, isBeans: false, observed: "" };
  events = outcome.events;
  let inside: Promise<unknown> | undefined;
  const bean = {
    act(): Promise<unknown> {
      inside = make();
      if (handled) inside.catch(ignore);
      return inside;
    },
  };
  const info = { id: "Bean", name: "Bean", isInterface: true, stereotype: "bean", implementation: "Bean" } as const;
  const recording = beginRecording(performance.now(), 1_000_000);
  const called = mode === "recorded" ? recorder.decorate(bean, info as never) : bean;
  const promise = recorder.run(recording, () => called.act());
  const before = Task.made;
  outcome.own = Reflect.ownKeys(promise);
  try {
    outcome.result = await use(promise);
  } catch (error) {
    outcome.result = String(error);
  }
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => void setTimeout(resolve, 2));
  outcome.made = Task.made - before;
  const [call] = recorder.finish(recording).calls;
  outcome.isBeans = promise === inside;
  outcome.observed = call?.durationUs === null ? "not seen" : "settled";
  return outcome;
}

let events: string[] = [];

async function main(): Promise<void> {
  process.on("unhandledRejection", (error) => void events.push(`unhandled ${String(error)}`));
  process.on("rejectionHandled", () => void events.push("handled later"));
  const outcomes: Record<string, Outcome> = {};
  for (const [caller, use] of Object.entries(callers))
    for (const [kind, make] of Object.entries(kinds))
      for (const [fails, handled] of [
        [false, false],
        [true, false],
        [true, true],
      ] as const) {
        const name = `${caller}: ${kind}${fails ? ", rejected" : ""}${handled ? ", handled by the bean" : ""}`;
        outcomes[name] = await one(() => make(fails), handled, use);
      }
  process.stdout.write(JSON.stringify(outcomes));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (alone === undefined) await main();
  else await one(() => settled(true), alone === "handled by the bean", ignore);
}
