/**
 * Planted causes: runs of a made-up application, generated from a seed, each with one cause, and runs with none.
 *
 *   seed ──▶ a healthy run: a tree of beans, statements, requests, log lines, names and times of its own
 *        ──▶ the same with one cause planted ──▶ explain() has to name it at the right call
 */
import fc from "fast-check";
import type { Call, ErrorInfo, Json, Leaf, Trace } from "../shapes.ts";
import { callOf, httpOf, logOf, sqlOf, traceOf } from "../traces.testkit.ts";

/** What a variation draws from its seed. */
export interface Dice {
  /** A whole number between both, inclusive. */
  int(from: number, to: number): number;
  pick<T>(of: readonly [T, ...T[]]): T;
  /** A name that no other draw of this variation gave. */
  name(): string;
}

/** The dice of a seed. */
export function diceOf(seed: number): Dice {
  const draws = fc.sample(fc.integer({ min: 0, max: 1_000_000_000 }), { seed, numRuns: 2_000 });
  let at = 0;
  const int = (from: number, to: number): number => from + ((draws[at++ % draws.length] ?? 0) % (to - from + 1));
  const taken = new Set<string>();
  return {
    int,
    pick: (of) => of[int(0, of.length - 1)] ?? of[0],
    name() {
      let name = "";
      do name = `${names[int(0, names.length - 1)] ?? "A"}${suffixes[int(0, suffixes.length - 1)] ?? ""}`;
      while (taken.has(name));
      taken.add(name);
      return name;
    },
  };
}

const names = "Order Cart User Price Stock Rate Tax Mail Seat Quote Review Campaign Report Invoice Coupon Label".split(
  " ",
);
const suffixes = ["Service", "Repository", "Client", "Store", "Gateway", "Cache", "Policy", "Index"];
const methods = ["find", "load", "take", "list", "sum", "check", "send", "make"] as const;

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

/** A run while it is built. Times are in microseconds. */
export class Draft {
  readonly dice: Dice;
  readonly calls: Changeable<Call>[] = [];
  readonly leaves: Leaf[] = [];
  more: Partial<Trace> = {};
  #atUs: number;
  #value = 1_000;
  #passedOn: Json | undefined;

  constructor(dice: Dice) {
    this.dice = dice;
    this.#atUs = dice.int(50, 400);
  }

  get nowUs(): number {
    return this.#atUs;
  }

  wait(us: number): void {
    this.#atUs += us;
  }

  back(toUs: number): void {
    this.#atUs = toUs;
  }

  /** A value that is nowhere else in the run. */
  value(): string {
    this.#value += this.dice.int(1, 9);
    return `v-${this.#value}`;
  }

  /** A call around what `inside` does. */
  call(parent: Call | null, inside: (call: Changeable<Call>) => void, more: Partial<Call> = {}): Changeable<Call> {
    const call: Changeable<Call> = callOf(this.calls.length, parent?.id ?? null, this.dice.name(), {
      method: this.dice.pick(methods),
      args: [this.value()],
      result: { id: this.value() },
      async: true,
      depth: parent === null ? 0 : parent.depth + 1,
      startUs: this.#atUs,
      ...more,
    });
    this.calls.push(call);
    inside(call);
    if (call.durationUs !== null) call.durationUs = this.#atUs - call.startUs;
    return call;
  }

  sql(parent: Call | null, us: number, statement?: string, parameters: readonly Json[] = [this.value()]): Leaf {
    const text = statement ?? `select * from t${this.leaves.length} where id = $1`;
    const leaf = sqlOf(this.leaves.length, parent?.id ?? null, text, { startUs: this.#atUs, durationUs: us });
    this.leaves.push({ ...leaf, detail: { ...leaf.detail, parameters } } as Leaf);
    this.#atUs += us;
    return this.leaves.at(-1) ?? leaf;
  }

  http(parent: Call | null, us: number, url: string, status: number | null = 200): Leaf {
    const leaf = httpOf(this.leaves.length, parent?.id ?? null, null, { startUs: this.#atUs, durationUs: us });
    this.leaves.push({ ...leaf, name: `GET ${url}`, detail: { ...leaf.detail, url, status } } as Leaf);
    this.#atUs += us;
    return this.leaves.at(-1) ?? leaf;
  }

  log(parent: Call | null, level: string, message: string): void {
    this.leaves.push({ ...logOf(this.leaves.length, parent?.id ?? null, message, level), startUs: this.#atUs });
  }

  /** Some work of a service that does nothing wrong: a few calls below each other, each with a statement or two of its own. */
  noise(parent: Call | null, us: number): void {
    const { dice } = this;
    const pieces = dice.int(2, 3);
    // Each call takes what the one before returned, as real code does.
    let last: Json = this.#passedOn ?? this.value();
    for (let at = 0; at < pieces; at += 1) {
      const each = Math.floor(us / pieces);
      const call = this.call(
        parent,
        (own) => {
          this.wait(Math.floor(each * 0.1));
          this.sql(own, Math.floor(each * 0.4));
          if (dice.int(0, 2) === 0) this.log(own, "info", `did ${this.value()}`);
          this.call(own, (inner) => {
            this.http(inner, Math.floor(each * 0.3), `http://${dice.name().toLowerCase()}/x/${this.value()}`);
            this.wait(Math.floor(each * 0.1));
          });
          this.wait(Math.floor(each * 0.1));
        },
        { args: [last], result: { id: this.value() } },
      );
      last = call.result;
    }
    this.#passedOn = last;
  }

  trace(): Trace {
    const { calls, leaves, dice } = this;
    this.wait(dice.int(50, 300));
    const path = `/${dice.name().toLowerCase()}/7`;
    return traceOf(calls, {
      path,
      route: path.replace("7", "{id}"),
      sequence: 9,
      durationUs: this.#atUs,
      leaves,
      ...this.more,
    });
  }
}

/** A run with noise before and after something, under one entry call of some depth. */
export function draftOf(seed: number, plant: (draft: Draft, at: Changeable<Call>) => void): Draft {
  const dice = diceOf(seed);
  const draft = new Draft(dice);
  const depth = dice.int(0, 3);
  const inside = (left: number) => (call: Changeable<Call>) => {
    draft.wait(dice.int(20, 200));
    if (left > 0) return void draft.call(call, inside(left - 1));
    draft.noise(call, dice.int(2_000, 6_000));
    plant(draft, call);
    draft.noise(call, dice.int(2_000, 6_000));
  };
  draft.call(null, inside(depth));
  return draft;
}

/** An error. */
export const errorOf = (name: string, message: string): ErrorInfo => ({ name, message });
