/**
 * Lessons: what a tempting way of doing something costs a request, beside the way that the framework takes.
 * Measured like everything else, so that a new Node can prove a lesson out of date.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Batch, Case } from "./method/ns-per-op.ts";

/** One lesson: two ways, and what each was found to cost. */
export interface Lesson {
  readonly costly: Case;
  /** Absent where the better way is not to do it at all. */
  readonly instead?: Case | undefined;
  readonly rule: string;
}

const times =
  (run: (n: number) => unknown): Batch =>
  (count) => {
    let kept: unknown;
    for (let n = 0; n < count; n += 1) kept = run(n);
    return kept;
  };

const held = new WeakMap<object, number>();
const Given = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;
/** Puts a private field on the object it is given: what the framework's stamps are made of. */
class Stamped extends Given {
  readonly #value: number;
  constructor(object: object, value: number) {
    super(object);
    this.#value = value;
  }
  static of(object: object): number | undefined {
    return #value in object ? object.#value : undefined;
  }
}

function withoutStack(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new Error("nothing is registered here");
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** As deep as a request's stack is when a route is not found. */
const deep = (depth: number, run: () => unknown): unknown => (depth === 0 ? run() : deep(depth - 1, run));

const storage = new AsyncLocalStorage<object>();
const store = {};
const line = { time: "2026-01-01T00:00:00.000Z", method: "GET", path: "/orders/7", status: 200, durationUs: 431 };
const one = (id: string, title: string, run: Batch): Case => ({ id: `lesson-${id}`, title, run });

/** All lessons. */
export const lessons: readonly Lesson[] = [
  {
    costly: one(
      "weakmap",
      "a WeakMap entry on an object of each request",
      times((n) => held.set({ n }, n)),
    ),
    instead: one(
      "stamp",
      "a private field put on it from outside",
      times((n) => Stamped.of(new Stamped({ n }, n))),
    ),
    rule: "what belongs to a request is kept on the request",
  },
  {
    costly: one(
      "error",
      "an error with its stack",
      times(() => deep(10, () => new Error("nothing is registered here"))),
    ),
    instead: one(
      "quiet-error",
      "an error without",
      times(() => deep(10, withoutStack)),
    ),
    rule: "the router's own 404 and 405 are made without a stack",
  },
  {
    costly: one(
      "abort",
      "an AbortController",
      times(() => new AbortController().signal),
    ),
    rule: "made when `ctx.signal` is first read",
  },
  {
    costly: one(
      "als",
      "AsyncLocalStorage.run",
      times(() => storage.run(store, () => storage.getStore())),
    ),
    rule: "only when tracing or devtools ask for it",
  },
  {
    costly: one(
      "url",
      "new URL",
      times((n) => new URL(`/orders/${n & 7}?page=2`, "http://localhost").pathname),
    ),
    instead: one(
      "index",
      "indexOf and slice",
      times((n) => pathOf(`/orders/${n & 7}?page=2`)),
    ),
    rule: "the target stays a string",
  },
  {
    costly: one("await", "an async function that awaits", async (count) => {
      for (let n = 0; n < count; n += 1) await (async () => await Promise.resolve(n))();
    }),
    rule: "a chain of synchronous functions stays synchronous",
  },
  {
    costly: one(
      "list",
      "a call passed on with a list of its arguments",
      times((n) => passedAsList(n)),
    ),
    instead: one(
      "parameters",
      "with parameters",
      times((n) => passedOn(n)),
    ),
    rule: "a bean's stand-in takes the first arguments as parameters",
  },
  {
    costly: one(
      "stringify",
      "a log line by JSON.stringify",
      times(() => JSON.stringify(line)),
    ),
    instead: one(
      "template",
      "the same line by template",
      times(() => templated(line.path, line.durationUs)),
    ),
    rule: "a template, and one test for characters to escape",
  },
  {
    costly: one(
      "iso",
      "new Date().toISOString()",
      times(() => new Date().toISOString()),
    ),
    rule: "requests of one millisecond share the text",
  },
  {
    costly: one(
      "now",
      "performance.now()",
      times(() => performance.now()),
    ),
    rule: "taken twice a request, shared by log, metrics and span",
  },
];

/** Who is told of a call: nobody, mostly. */
const told: unknown[][] = [];
const self = { twice: (n: number): number => 2 * n };
const passedAsList = function (...args: number[]): unknown {
  if (told.length > 0) told.push(args);
  return Reflect.apply(self.twice, self, args as [number]);
};
const passedOn = function (a: number, ...more: number[]): unknown {
  if (told.length > 0) told.push([a, ...more]);
  return Reflect.apply(self.twice, self, [a]);
};

const pathOf = (target: string): string => target.slice(0, target.indexOf("?"));

const unsafe = /[^ !#-[\]-~]/;
function templated(path: string, us: number): string {
  const safe = unsafe.test(path) ? JSON.stringify(path) : `"${path}"`;
  return `{"time":"${line.time}","method":"${line.method}","path":${safe},"status":${line.status},"durationUs":${us}}`;
}
