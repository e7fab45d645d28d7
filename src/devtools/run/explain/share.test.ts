/**
 * What runs share: 20 planted causes in five sets each, sets with nothing planted, and the figures of a small set.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Json, Leaf, Trace } from "../shapes.ts";
import { callOf, httpOf, logOf, sqlOf, traceOf } from "../traces.testkit.ts";
import { FACT_KINDS } from "./facts.ts";
import { diceOf, type Dice } from "./planted.testkit.ts";
import { whatTheyShare, type Shared } from "./share.ts";

type Run = { -readonly [K in keyof Trace]: Trace[K] };

/** A run of a shop, in which every value varies, and nothing has to do with whether it fails. */
function runOf(dice: Dice, sequence: number): Run {
  const user = `u-${dice.int(1, 400)}`;
  const region = dice.pick(["DE", "AT", "CH", "IT", "NL"]);
  const rate = callOf(1, 0, "Rates", { method: "of", args: [{ region }], params: ["order"], result: dice.int(1, 30) });
  const calls: Call[] = [
    callOf(0, null, "Orders", {
      method: "list",
      args: [user],
      params: ["user"],
      result: { id: `o-${sequence}`, gift: false },
    }),
    rate,
  ];
  if (dice.int(0, 1) === 0) calls.push(callOf(2, 0, "Stock", { method: "left", args: [dice.int(1, 9)], result: true }));
  if (dice.int(0, 2) === 0)
    calls.push(callOf(3, 0, "Mail", { method: "send", args: [user], result: { $undefined: true } }));
  const leaves: Leaf[] = [
    sqlOf(0, 0, "select * from orders where user_id = $1"),
    httpOf(1, 1, null),
    logOf(2, 0, `order ${sequence} of ${user}`),
    {
      ...sqlOf(3, 0, ""),
      kind: "cache",
      name: "GET",
      detail: { system: "redis", command: "GET", key: "rates", hit: dice.int(0, 4) > 0 },
    } as Leaf,
  ];
  if (dice.int(0, 3) === 0) leaves.push(sqlOf(4, 2, "select left from stock where id = $1 for update"));
  return {
    ...traceOf(calls, { sequence, leaves }),
    instance: dice.pick(["i1", "i2"]),
    method: "GET",
    route: dice.pick(["/orders/{id}", "/orders", "/carts/{id}"]),
    request: {
      pathParams: { id: String(dice.int(1, 99)) },
      query: { page: [String(dice.int(1, 3))], region: [region] },
      headers: { "user-agent": [dice.pick(["curl/8", "Firefox/140", "Chrome/150"])] },
      body: { currency: dice.pick(["EUR", "CHF"]), items: ["a", "b"].slice(dice.int(0, 1)) },
    },
  };
}

/** Sets another value of a call. */
function setCall(run: Run, bean: string, more: Partial<Call>): void {
  run.calls = run.calls.map((call) => (call.bean === bean ? { ...call, ...more } : call));
}
const addLeaf = (run: Run, leaf: Leaf): void =>
  void (run.leaves = [...run.leaves, { ...leaf, id: 50 + run.leaves.length }]);
const body = (run: Run, more: Readonly<Record<string, Json>>): void => {
  run.request = { ...run.request, body: { ...(run.request.body as Readonly<Record<string, Json>>), ...more } };
};

/** Each cause: what it does to a run, and the fact that has to be named. */
const causes: Readonly<Record<string, readonly [plant: (run: Run, dice: Dice) => void, fact: RegExp]>> = {
  "a query parameter": [
    (run) => void (run.request = { ...run.request, query: { region: ["FR"] } }),
    /query\.region\[\] of the request is FR/,
  ],
  "a nested value of the body": [
    (run) => body(run, { card: { type: { name: "amex" } } }),
    /body\.card\.type\.name .* is amex/,
  ],
  "a path parameter": [
    (run) => void (run.request = { ...run.request, pathParams: { id: "0" } }),
    /params\.id of the request is 0/,
  ],
  "a client": [
    (run) => void (run.request = { ...run.request, headers: { "user-agent": ["bot/1"] } }),
    /header user-agent is bot\/1/,
  ],
  "a long list": [
    (run) => body(run, { items: Array.from({ length: 30 }, (_, at) => at) }),
    /body\.items .* has ten items or more/,
  ],
  "an empty list": [(run) => body(run, { items: [] }), /body\.items .* is empty/],
  "an argument": [(run) => setCall(run, "Rates", { args: [{ region: "FR" }] }), /order\.region of Rates\.of is FR/],
  "an argument that is undefined": [
    (run) => setCall(run, "Orders", { args: [{ $undefined: true }] }),
    /user of Orders\.list is undefined/,
  ],
  "a result": [(run) => setCall(run, "Rates", { result: -1 }), /the result of Rates\.of is -1/],
  "a flag deep in a result": [
    (run) => setCall(run, "Orders", { result: { id: "x", options: { wrap: { gift: true } } } }),
    /the result\.options\.wrap\.gift of Orders\.list is true/,
  ],
  "a call": [
    (run) => void (run.calls = [...run.calls, callOf(9, 0, "Audit", { method: "note", args: [] })]),
    /Audit is called/,
  ],
  "a call that is missing": [
    (run) => void (run.calls = run.calls.filter(({ bean }) => bean !== "Rates")),
    /Rates is called/,
  ],
  "an error that was swallowed": [
    (run) => setCall(run, "Rates", { error: { name: "TimeoutError", message: "after 30 ms" }, result: null }),
    /Rates\.of throws TimeoutError/,
  ],
  "a statement": [
    (run) => addLeaf(run, sqlOf(0, 0, "lock table orders in exclusive mode")),
    /it sends lock table orders/,
  ],
  "a statement that failed": [
    (run) =>
      addLeaf(run, sqlOf(0, 0, "update stock set left = 1", { error: { name: "Error", message: "deadlock 4711" } })),
    /update stock set left = \? fails with Error: deadlock #/,
  ],
  "a statement in a loop": [
    (run) => {
      for (let n = 0; n < 15; n += 1) addLeaf(run, sqlOf(0, 0, `select * from lines where id = ${n}`));
    },
    /from lines where id = \?, ten times or more/,
  ],
  "a response of another service": [
    (run) => {
      const leaf = httpOf(0, 1, null);
      addLeaf(run, { ...leaf, detail: { ...leaf.detail, url: "http://tax/v1", status: 503 } } as Leaf);
    },
    /http:\/\/tax\/# and gets 503/,
  ],
  "a line of the log": [
    (run, dice) => addLeaf(run, logOf(0, 0, `pool waits for ${dice.int(1, 99)} clients`, "warn")),
    /it logs warn: pool waits for # clients/,
  ],
  "a route": [(run) => void (run.route = "/reports/{id}"), /the route is GET \/reports\/\{id\}/],
  "a process": [(run) => void (run.instance = "i3"), /the process is i3|the commit is c-of-i3/],
};

/** A set of runs of which those with the cause fail nine times in ten, and others once in thirty. */
function setOf(
  seed: number,
  plant: ((run: Run, dice: Dice) => void) | undefined,
): { readonly set: Trace[]; readonly rest: Trace[] } {
  const dice = diceOf(seed);
  const [set, rest]: [Trace[], Trace[]] = [[], []];
  const size = dice.int(40, 90);
  for (let sequence = 1; sequence <= size; sequence += 1) {
    const run = runOf(dice, sequence);
    const hasCause = dice.int(1, 3) === 1;
    if (hasCause) plant?.(run, dice);
    const fails = hasCause ? dice.int(1, 10) > 1 : dice.int(1, 30) === 1;
    run.status = fails ? 500 : 200;
    (fails ? set : rest).push(run);
  }
  return { set, rest };
}

const shared = ({ set, rest }: { readonly set: Trace[]; readonly rest: Trace[] }): Shared =>
  whatTheyShare(set, rest, { without: new Set(["status"]), commitOf: (instance) => `c-of-${instance}` });

describe("whatTheyShare", () => {
  for (const [index, [cause, [plant, wanted]]] of Object.entries(causes).entries())
    it(`names ${cause} first, in sets of any size`, () => {
      for (let variation = 0; variation < 5; variation += 1) {
        const { differences } = shared(setOf(100 * index + variation, plant));
        const [first] = differences;
        const found = first?.facts.map(({ text }) => text) ?? [];
        const isNamed = found.some((text) => wanted.test(text));
        assert.ok(isNamed, `${variation}: ${JSON.stringify(differences.map(({ facts }) => facts))}`);
      }
    });

  it("names nothing in 19 of 20 sets in which nothing was planted", () => {
    const alarms: string[] = [];
    const sets = 200;
    for (let seed = 0; seed < sets; seed += 1) {
      const { differences } = shared(setOf(50_000 + seed, undefined));
      if (differences.length > 0) alarms.push(`${seed}: ${JSON.stringify(differences[0])}`);
    }
    assert.ok(alarms.length <= sets / 20, alarms.join("\n"));
  });

  const small = (sequence: number, region: string, status: number): Trace => ({
    ...traceOf([callOf(0, null, "Rates", { args: [region], params: ["region"], result: region === "FR" ? null : 7 })], {
      sequence,
      status,
    }),
    request: { pathParams: {}, query: {}, headers: {}, body: null },
  });
  const failed = [1, 2, 3, 4, 5, 6].map((n) => small(n, "FR", 500));
  const worked = Array.from({ length: 14 }, (_, at) => small(10 + at, "DE", 200));

  it("has the counts of both sides, the lift, and the facts that always come together, causes first", () => {
    const { differences, same, ofSet, ofRest } = whatTheyShare(failed, worked);
    assert.deepEqual([ofSet, ofRest], [6, 14]);
    // 1 in 38,760 ways to draw 6 of 20, on two sides.
    assert.deepEqual(
      differences.map(({ facts, inSet, inRest, lift, p }) => [
        facts.map(({ text }) => text),
        inSet,
        inRest,
        lift,
        Math.round(1 / p),
      ]),
      [
        [["region of Rates.run is FR", "the result of Rates.run is null", "the status is 500"], 6, 0, null, 19_380],
        [["region of Rates.run is DE", "the result of Rates.run is 7", "the status is 200"], 0, 14, 0, 19_380],
      ],
    );
    assert.deepEqual(
      differences[0]?.runs,
      failed.map(({ sequence }) => `i1.${sequence}`),
    );
    assert.deepEqual(
      same.map(({ text }) => text),
      [
        "the route is GET /x/{id}",
        "body of the request is null",
        "the process is i1",
        "Rates is called",
        "Rates.run is called",
      ].toSorted((a, b) => order(same, a) - order(same, b)),
    );
  });

  it("leaves out the kinds that selected the runs, and is silent about few runs or none", () => {
    const kinds = whatTheyShare(failed, worked, { without: new Set(["status", "result"]) }).differences.map(
      ({ facts }) => facts.length,
    );
    assert.deepEqual(kinds, [1, 1]);
    for (const few of [[], failed.slice(0, 2)])
      assert.deepEqual(whatTheyShare(few, worked.slice(0, 4)).differences, []);
    assert.deepEqual(whatTheyShare(failed, []).differences, []);
  });

  it("sorts facts from causes to effects", () => {
    assert.deepEqual([FACT_KINDS[0], FACT_KINDS.at(-1)], ["route", "status"]);
  });
});

const order = (same: Shared["same"], text: string): number => same.findIndex((one) => one.text === text);
