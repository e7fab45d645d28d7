/**
 * Explain, time: each finding about time on the smallest run that has it, with its call and its cost.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Json, Leaf, Trace } from "../shapes.ts";
import { timeFindings } from "./explain-time.ts";
import type { FindingKind } from "./findings.ts";
import { callOf, sqlOf, traceOf } from "../traces.testkit.ts";

const ms = 1_000;

/** The findings of a kind, each with bean, leaf, cost and sentence. */
function found(kind: FindingKind, trace: Trace): readonly (readonly [string, number | null, number | null, string])[] {
  return timeFindings(trace)
    .filter((one) => one.kind === kind)
    .map(({ call, leafId, costUs, message }) => [call?.bean ?? "-", leafId, costUs, message]);
}

const run = (calls: readonly Call[], leaves: readonly Leaf[] = [], durationUs = 100 * ms): Trace =>
  traceOf(calls, { leaves, durationUs });

describe("repeated statements", () => {
  const alike = (from: number, parentIds: readonly (number | null)[], table = "a", durationUs = 10): Leaf[] =>
    parentIds.map((parentId, at) => sqlOf(from + at, parentId, `select ${at} from ${table}`, { durationUs }));

  it("are reported at the innermost call around all of them", () => {
    const calls = [callOf(0, null, "Web"), callOf(1, 0, "List"), callOf(2, 1, "Repo"), callOf(3, 1, "Repo")];
    assert.deepEqual(found("repeated-statement", run(calls, alike(3, [2, 2, 3]))), [
      ["List", 3, 20, 'List.run sends 3 similar statements; those after the first took 20 µs: "select 0 from a"'],
    ]);
  });

  it("are reported at the handler without a call around them", () => {
    assert.deepEqual(found("repeated-statement", run([callOf(1, null, "Web")], alike(3, [null, null, null]))), [
      ["-", 3, 20, 'the handler sends 3 similar statements; those after the first took 20 µs: "select 0 from a"'],
    ]);
  });

  it("are named three times at most, the most expensive ones", () => {
    const leaves = [1, 2, 3, 4].flatMap((n) => alike(10 * n, [null, null, null], `t${n}`, n));
    assert.deepEqual(
      found("repeated-statement", run([], leaves)).map(([, leafId, costUs]) => [leafId, costUs]),
      [
        [40, 8],
        [30, 6],
        [20, 4],
      ],
    );
  });
});

describe("repeated calls", () => {
  it("are reported at the innermost call around the equal ones, and no others", () => {
    for (const other of [{ bean: "Other" }, { method: "other" }, { args: [2] }]) {
      const calls = [
        callOf(0, null, "Web"),
        callOf(1, 0, "List"),
        callOf(2, 0, "Page"),
        ...[3, 4].map((id) => callOf(id, 1, "Repo", { args: [1], durationUs: 9 })),
        ...[5, 6].map((id) => callOf(id, 2, "Repo", { args: [1], durationUs: 5, ...other })),
      ];
      const [first, second] = found("repeated-call", run(calls));
      assert.deepEqual(first, [
        "List",
        null,
        9,
        "List.run makes 2 equal calls of Repo.run; those after the first took 9 µs",
      ]);
      assert.deepEqual(second?.slice(0, 3), ["Page", null, 5]);
    }
  });

  it("are reported at the call itself if the handler makes them, the three most expensive ones", () => {
    const calls = [1, 4, 2, 3].flatMap((n) =>
      [0, 1].map((at) => callOf(10 * n + at, null, `B${n}`, { args: [], durationUs: n })),
    );
    assert.deepEqual(
      found("repeated-call", run(calls)).map(([bean, , costUs, message]) => [bean, costUs, message.slice(0, 39)]),
      [
        ["B4", 4, "the handler makes 2 equal calls of B4.r"],
        ["B3", 3, "the handler makes 2 equal calls of B3.r"],
        ["B2", 2, "the handler makes 2 equal calls of B2.r"],
      ],
    );
  });
});

describe("calls in sequence", () => {
  /** Calls of one call, one after another, each with its milliseconds. */
  function inARow(
    parent: { readonly id: number | null; readonly args?: readonly Json[] },
    calls: readonly (Partial<Call> & { readonly ms: number | null })[],
  ): readonly Call[] {
    let startUs = 0;
    const inner = calls.map(({ ms: time, ...more }, at) => {
      const call = callOf(10 * ((parent.id ?? 0) + 1) + at, parent.id, `C${at}`, {
        args: [],
        async: true,
        startUs,
        durationUs: time === null ? null : time * ms,
        ...more,
      });
      startUs += (time ?? 0) * ms;
      return call;
    });
    const { id, args = [] } = parent;
    return id === null ? inner : [callOf(id, null, `P${id}`, { durationUs: 90 * ms, args }), ...inner];
  }
  const named = (calls: readonly Call[], durationUs = 20 * ms): readonly string[] =>
    found("sequence", run(calls, [], durationUs)).map(
      ([bean, , costUs, message]) => `${bean} ${costUs} ${/returned: (.*)/.exec(message)?.[1]}`,
    );

  it("cost the time of all calls except the longest, in any recorded order", () => {
    const [parent, ...inner] = inARow({ id: 0 }, [{ ms: 4 }, { ms: 6 }, { ms: 5 }]);
    assert.ok(parent);
    assert.deepEqual(found("sequence", run([parent, ...inner.toReversed()])), []);
    assert.deepEqual(named([parent, ...inner.toReversed()]), [
      "P0 9000 C0.run 4.00 ms, C1.run 6.00 ms, C2.run 5.00 ms",
    ]);
  });

  it("are reported at the handler without a call around them", () => {
    const [[bean, leafId, costUs, message] = assert.fail()] = found(
      "sequence",
      run(inARow({ id: null }, [{ ms: 4 }, { ms: 6 }]), [], 20 * ms),
    );
    assert.deepEqual(
      [bean, leafId, costUs, message],
      [
        "-",
        null,
        4_000,
        "the handler makes 2 calls one after another, and none takes what another returned: C0.run 4.00 ms, C1.run 6.00 ms",
      ],
    );
  });

  it("are sorted by cost, the highest first", () => {
    const calls = [4, 6, 5].flatMap((time, id) => inARow({ id }, [{ ms: time }, { ms: 7 }]));
    assert.deepEqual(
      named(calls).map((text) => text.slice(0, 7)),
      ["P1 6000", "P2 5000", "P0 4000"],
    );
  });

  it("are reported from half a millisecond and a tenth of the run", () => {
    const [enough, less] = [
      inARow({ id: null }, [{ ms: 4 }, { ms: 2 }]),
      inARow({ id: null }, [{ ms: 0.5 }, { ms: 0.5 }]),
    ];
    assert.deepEqual(
      [named(enough, 20 * ms).length, named(enough, 20 * ms + 10).length, named(less, 2 * ms).length],
      [1, 0, 1],
    );
    assert.deepEqual(named(inARow({ id: null }, [{ ms: 0.499 }, { ms: 0.499 }]), 2 * ms), []);
    assert.deepEqual(named(inARow({ id: null }, [{ ms: 9 }])), []);
  });

  it("list six calls at most, for at most three callers", () => {
    const six = inARow(
      { id: 0 },
      Array.from({ length: 6 }, () => ({ ms: 1 })),
    );
    const seven = inARow(
      { id: 1 },
      Array.from({ length: 7 }, () => ({ ms: 1 })),
    );
    const names = Array.from({ length: 6 }, (_, at) => `C${at}.run 1.00 ms`).join(", ");
    const others = [inARow({ id: 2 }, [{ ms: 3 }, { ms: 3 }]), inARow({ id: 3 }, [{ ms: 4 }, { ms: 4 }])].flat();
    assert.deepEqual(named([...others, ...six, ...seven]), [
      `P1 6000 ${names} and 1 more`,
      `P0 5000 ${names}`,
      "P3 4000 C0.run 4.00 ms, C1.run 4.00 ms",
    ]);
  });

  const dependent: Readonly<Record<string, readonly [Json, Json]>> = {
    "a text": [{ id: "p-1" }, ["p-1"]],
    "a number": [[{ n: 42 }], { n: 42 }],
    "a number below zero": [-2, -2],
  };
  for (const [what, [result, arg]] of Object.entries(dependent))
    it(`are not reported if a call takes ${what} that the one before returned`, () =>
      assert.deepEqual(
        named(
          inARow({ id: 0 }, [
            { ms: 5, result },
            { ms: 5, args: [arg] },
          ]),
        ),
        [],
      ));

  const everywhere: Readonly<Record<string, Json>> = {
    "a letter": "a",
    "the empty text": "",
    one: 1,
    zero: 0,
    "minus one": -1,
    "a flag": true,
    null: null,
    "a list of nothing": [],
  };
  for (const [what, value] of Object.entries(everywhere))
    it(`are reported if they only share ${what}, which is everywhere`, () =>
      assert.equal(
        named(
          inARow({ id: 0 }, [
            { ms: 5, result: value },
            { ms: 5, args: [value] },
          ]),
        ).length,
        1,
      ));

  it("are reported with less certainty if a call takes a value that is everywhere and that another returned", () => {
    const said = (args: readonly Json[], around: readonly Json[] = []): string | undefined => {
      const calls = inARow({ id: 0, args: around }, [
        { ms: 5, result: { id: 1, ok: true, of: "a" } },
        { ms: 5, args },
      ]);
      return /, and (.*):/.exec(found("sequence", run(calls, [], 20 * ms))[0]?.[3] ?? "")?.[1];
    };
    const sure = "none takes what another returned";
    assert.deepEqual([said([2]), said([]), said([null]), said([{ n: 1 }], [1])], [sure, sure, sure, sure]);
    const unsure = `as far as values tell ${sure}`;
    assert.deepEqual([said([{ n: 1 }]), said([true]), said(["a"])], [unsure, unsure, unsure]);
  });

  const notWhole: Readonly<Record<string, Json>> = {
    redacted: { token: "[redacted]" },
    cut: { rows: [1, { $truncated: 5 }] },
    private: { $class: "User", $private: true },
  };
  for (const [what, value] of Object.entries(notWhole)) {
    it(`end at a call with ${what} arguments, which can begin the next ones`, () => {
      const calls = inARow({ id: 0 }, [{ ms: 5 }, { ms: 5, args: [value] }, { ms: 5 }]);
      assert.deepEqual(named(calls), ["P0 5000 C1.run 5.00 ms, C2.run 5.00 ms"]);
      assert.deepEqual(named(calls.slice(0, 3)), []);
    });

    it(`end at a call that takes an unknown value after a ${what} result`, () => {
      const after = (...args: readonly Json[]): number =>
        named(
          inARow({ id: 0, args: ["ada"] }, [
            { ms: 5, result: value },
            { ms: 2, args: ["ada"] },
            { ms: 5, args },
          ]),
        ).map((text) => text.split(",").length)[0] ?? 0;
      assert.deepEqual([after(), after("ada"), after("p-1"), after(0), after(true)], [3, 3, 2, 2, 2]);
    });
  }

  it("can take an unknown value if the cut result came before the row", () => {
    const calls = inARow({ id: 0 }, [
      { ms: 1, result: { $truncated: 5 } },
      { ms: 5, args: ["p-1"] },
      { ms: 5, args: ["p-2"] },
    ]);
    assert.deepEqual(named(calls), ["P0 5000 C1.run 5.00 ms, C2.run 5.00 ms"]);
  });

  it("can take the arguments of the call around them, and of a call among them", () => {
    const around = inARow({ id: 0, args: [{ id: "p-1" }] }, [
      { ms: 5, result: "p-1" },
      { ms: 5, args: ["p-1"] },
    ]);
    const own = inARow({ id: 0 }, [
      { ms: 5, args: ["p-1"], result: ["p-1"] },
      { ms: 5, args: ["p-1"] },
    ]);
    assert.deepEqual([named(around).length, named(own).length], [1, 1]);
  });

  it("can take a value that was known before the row", () => {
    const calls = inARow({ id: 0 }, [
      { ms: 1, result: "key-1" },
      { ms: 5, args: ["key-1"], result: "key-1" },
      { ms: 5, args: ["key-1"] },
    ]);
    assert.deepEqual(named(calls), ["P0 5000 C1.run 5.00 ms, C2.run 5.00 ms"]);
  });

  it("end at a call that is not async, that overlaps, or that has not returned", () => {
    const between = (more: Partial<Call> & { readonly ms: number | null }): readonly string[] =>
      named(inARow({ id: 0 }, [{ ms: 5 }, more, { ms: 5 }]));
    assert.deepEqual([between({ ms: 5, async: false }), between({ ms: null })], [[], []]);
    assert.deepEqual(between({ ms: 5 }), ["P0 10000 C0.run 5.00 ms, C1.run 5.00 ms, C2.run 5.00 ms"]);
    const overlapping = inARow({ id: 0 }, [{ ms: 5 }, { ms: 5, startUs: 4_999 }, { ms: 5 }]);
    assert.deepEqual(named(overlapping), ["P0 5000 C1.run 5.00 ms, C2.run 5.00 ms"]);
  });

  it("are the longest row, the first of two with the same time", () => {
    const sync = { ms: 1, async: false };
    const rows = (a: number, b: number): readonly string[] =>
      named(inARow({ id: 0 }, [{ ms: a }, { ms: a }, sync, { ms: b }, { ms: b }]), 20 * ms);
    assert.deepEqual(
      [rows(5, 3), rows(3, 5), rows(4, 4)],
      [
        ["P0 5000 C0.run 5.00 ms, C1.run 5.00 ms"],
        ["P0 5000 C3.run 5.00 ms, C4.run 5.00 ms"],
        ["P0 4000 C0.run 4.00 ms, C1.run 4.00 ms"],
      ],
    );
  });
});

describe("slow leaves", () => {
  const leafOf = (id: number, kind: Leaf["kind"], parentId: number | null, more: Partial<Leaf>): Leaf =>
    ({ ...sqlOf(id, parentId, "select 1"), kind, name: `${kind} ${id}`, ...more }) as Leaf;

  it("are the three longest from a fifth of the run, except spans and log lines", () => {
    const times = (durationUs: number, startUs: number): Partial<Leaf> => ({ startUs, durationUs });
    const leaves = [
      leafOf(1, "http", null, times(20 * ms, 0)),
      leafOf(2, "sql", 0, times(30 * ms, 20 * ms)),
      leafOf(3, "cache", 0, times(25 * ms, 50 * ms)),
      leafOf(4, "sql", 0, times(22 * ms, 75 * ms)),
      leafOf(5, "span", 0, times(90 * ms, 0)),
      leafOf(6, "log", 0, times(90 * ms, 0)),
      leafOf(7, "sql", 0, times(20 * ms - 1, 97 * ms)),
    ];
    assert.deepEqual(found("slow", run([callOf(0, null, "Web")], leaves)), [
      ["Web", 2, 30 * ms, 'SQL below Web.run took 30.0 ms, 30 % of the run: "select 1"'],
      ["Web", 3, 25 * ms, "cache below Web.run took 25.0 ms, 25 % of the run: cache 3"],
      ["Web", 4, 22 * ms, 'SQL below Web.run took 22.0 ms, 22 % of the run: "select 1"'],
    ]);
    assert.deepEqual(found("slow", run([], leaves.slice(0, 1))), [
      ["-", 1, 20 * ms, "HTTP below the handler took 20.0 ms, 20 % of the run: http 1"],
    ]);
    assert.deepEqual(found("slow", run([], [leafOf(1, "http", 9, times(499, 0))], 500)), []);
    assert.deepEqual(found("slow", run([], [leafOf(1, "http", 9, times(500, 0))], 500)).length, 1);
  });

  it("name the number of concurrent leaves of the same kind", () => {
    const beside = (...others: readonly (readonly [Leaf["kind"], number, number | null])[]): string =>
      found(
        "slow",
        run(
          [],
          [
            leafOf(0, "sql", null, { startUs: 100, durationUs: 50 * ms }),
            ...others.map(([kind, startUs, durationUs], at) => leafOf(at + 1, kind, null, { startUs, durationUs })),
          ],
        ),
      )[0]?.[3] ?? "";
    const end = 100 + 50 * ms;
    const alone = 'SQL below the handler took 50.0 ms, 50 % of the run: "select 1"';
    assert.equal(beside(["sql", 0, 100], ["sql", end, 5], ["http", 200, 5], ["sql", 0, null]), alone);
    const others = (n: string): string => alone.replace("run:", `run, while ${n} ran, which may have held it up:`);
    assert.equal(beside(["sql", 0, 101]), others("1 other"));
    assert.equal(beside(["sql", end - 1, 5], ["sql", 200, null]), others("2 others"));
  });
});

describe("own time", () => {
  it("is the time in no call and no leaf below, the three longest from a fifth of the run", () => {
    const times = (startUs: number, durationUs: number): Partial<Call> => ({
      startUs: startUs * ms,
      durationUs: durationUs * ms,
    });
    const calls = [
      callOf(0, null, "A", times(0, 20)),
      callOf(1, null, "B", times(20, 30)),
      callOf(2, null, "C", times(50, 24)),
      callOf(3, null, "D", times(74, 26)),
    ];
    const log = { ...sqlOf(1, 1, "x", { durationUs: 9 * ms }), kind: "log" } as unknown as Leaf;
    const leaves = [sqlOf(0, 3, "select 1", { startUs: 80 * ms, durationUs: 1 * ms }), log];
    assert.deepEqual(found("own-time", run(calls, leaves)), [
      ["B", null, 30 * ms, "B.run took 30.0 ms itself, in nothing that it called"],
      ["D", null, 25 * ms, "D.run took 25.0 ms itself, in nothing that it called"],
      ["C", null, 24 * ms, "C.run took 24.0 ms itself, in nothing that it called"],
    ]);
    assert.deepEqual(
      found("own-time", run(calls.slice(0, 2), [], 100 * ms)).map(([bean, , costUs]) => [bean, costUs]),
      [
        ["B", 30 * ms],
        ["A", 20 * ms],
        ["-", 50 * ms],
      ],
    );
  });

  it("is the rest besides concurrent calls and leaves, and counts each moment once", () => {
    const ownOf = (...leaves: readonly (readonly [startUs: number, durationUs: number | null])[]): number | null =>
      found(
        "own-time",
        run(
          [
            callOf(0, null, "A", { startUs: 0, durationUs: 100 * ms }),
            callOf(1, 0, "B", { startUs: 0, durationUs: 9 * ms }),
          ],
          leaves.map(([startUs, durationUs], at) => sqlOf(at, 0, "select 1", { startUs, durationUs })),
        ),
      )[0]?.[2] ?? null;
    const ten = Array.from({ length: 10 }, () => [0, 30 * ms] as const);
    assert.deepEqual([ownOf(...ten), ownOf([0, 20 * ms], [10 * ms, 20 * ms])], [70 * ms, 70 * ms]);
    assert.deepEqual(
      [ownOf([0, 5 * ms]), ownOf([95 * ms, 20 * ms]), ownOf([60 * ms, null])],
      [91 * ms, 86 * ms, 51 * ms],
    );
  });

  it("names the steps outside of recorded calls, if the run has them, the longest first", () => {
    const phases = [
      { kind: "middleware", name: "Auth", startUs: 0, durationUs: 30 * ms },
      { kind: "parsing", name: "JSON body", startUs: 30 * ms, durationUs: 40 * ms },
    ] as const;
    const [[, , , message] = assert.fail()] = found("own-time", {
      ...run([callOf(0, null, "Web", { startUs: 80 * ms, durationUs: 10 * ms })]),
      phases,
    }).slice(-1);
    assert.equal(
      message,
      "90.0 ms were outside of recorded calls: parsing JSON body 40.0 ms, middleware Auth 30.0 ms, other 20.0 ms",
    );
  });

  it("is outside of recorded calls from a fifth of the run, if there is a call", () => {
    const outside = (durationUs: number): number =>
      found("own-time", run([callOf(0, null, "A", { startUs: 0, durationUs })], [], 10 * ms)).filter(
        ([bean]) => bean === "-",
      ).length;
    assert.deepEqual([outside(8 * ms), outside(8 * ms + 1)], [1, 0]);
    assert.deepEqual(found("own-time", run([])), []);
  });
});

describe("the critical path", () => {
  const chain = (count: number): readonly Call[] =>
    Array.from({ length: count }, (_, id) =>
      callOf(id, id === 0 ? null : id - 1, `C${id}`, { startUs: id * 10, durationUs: 200 - 20 * id }),
    );

  it("has the calls that took time, eight at most, and is reported at the one with the most own time", () => {
    const names = (count: number): string => Array.from({ length: count }, (_, id) => `C${id}.run 20 µs`).join(" → ");
    const eight = chain(8).map((call, id) => (id === 7 ? { ...call, durationUs: 60 } : call));
    assert.deepEqual(
      [found("critical-path", run(eight)), found("critical-path", run(chain(9)))],
      [
        [["C7", null, 60, `the critical path by own time: ${names(7)} → C7.run 60 µs`]],
        [["C8", null, 40, `the critical path by own time: ${names(8)} …`]],
      ],
    );
  });

  it("leaves out calls that are not on it or took no time, and prefers the first of two equal ones as the heavier", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 0, durationUs: 10 }),
      callOf(1, null, "B", { startUs: 10, durationUs: 10 }),
      callOf(2, null, "C", { startUs: 20, durationUs: 0 }),
      callOf(3, null, "D", { startUs: 12, durationUs: 7 }),
      callOf(4, null, "E", { startUs: 20, durationUs: null }),
    ];
    assert.deepEqual(found("critical-path", run(calls.slice(0, 4))), [
      ["A", null, 10, "the critical path by own time: A.run 10 µs → B.run 10 µs"],
    ]);
    assert.equal(found("critical-path", run(calls))[0]?.[3].includes("E."), false);
    assert.deepEqual(found("critical-path", run([callOf(0, null, "C", { durationUs: 0 })])), []);
  });
});

describe("lines of code", () => {
  it("are named for a profiled run, with their call and their share of the processor's time", () => {
    const place = { file: "pdf.ts", line: 31 };
    const lines = [
      { call: 1, name: "render", ...place, us: 800 },
      { call: 1, name: "(garbage collector)", file: "", line: 0, us: 110 },
      { call: null, name: "show", ...place, us: 90 },
    ];
    const profile = { intervalUs: 200, ownUs: 1_000, otherUs: 0, lines, stacks: [], allocations: [] };
    const trace = { ...run([callOf(0, null, "Web"), callOf(1, 0, "Pdf")]), profile };
    assert.deepEqual(found("line", trace), [
      ["Pdf", null, 800, "Line 31 of pdf.ts, in render(), took 800 µs of the processor, which is 80 % of this run's"],
    ]);
    assert.deepEqual(found("line", run([callOf(0, null, "Web")])), []);
  });
});
