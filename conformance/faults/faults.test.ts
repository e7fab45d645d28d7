/** Tests that faults are found in a shape, change only their target, and are identified by their names. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Type } from "typebox";
import { recordOf } from "../../spec/forms.ts";
import { proves } from "../kit/case.ts";
import { sent, type Exchange } from "../kit/exchange.ts";
import type { Ran } from "../kit/run.ts";
import { Violation } from "../kit/violation.ts";
import { readClauses } from "../../spec/clauses.ts";
import type { Chapter } from "../kit/chapters.ts";
import { changesOf } from "./changes.ts";
import { conditionalFaults } from "./conditional.ts";
import { partition } from "./conditions.ts";
import type { Shape } from "./documents.ts";
import { nameOf, nothing, type Fault } from "./fault.ts";
import { fieldsOf, pathText, sitesOf } from "./fields.ts";
import { judgeAgain, judgeFault, leavesOpen } from "./judge.ts";
import { faultsOfMessages } from "./of-messages.ts";
import { faultsOfShape } from "./of-shapes.ts";
import { faultsOfStreams } from "./of-streams.ts";

const Run = Type.Object({
  more: Type.Optional(Type.Array(Type.String())),
  took: Type.Union([Type.Integer(), Type.Null()]),
  count: Type.Integer(),
  kind: Type.Union([Type.Literal("a"), Type.Literal("b")]),
  labels: recordOf(Type.String(), { pattern: "^[a-z]+$" }),
  parts: Type.Array(
    Type.Union([
      Type.Object({ is: Type.Literal("x"), ok: Type.Boolean() }),
      Type.Object({ is: Type.Literal("y"), n: Type.Number() }),
    ]),
  ),
});

const response = (body: string, more: Partial<Exchange> = {}): Exchange => ({
  sent: sent("GET", "/runs"),
  status: 200,
  headers: [["Content-Type", "application/json"]],
  body,
  ...more,
});

const shape: Shape = {
  name: "Run",
  chapter: "runs",
  schema: Run,
  holders: [{ matches: ({ sent: { path } }) => path === "/runs", at: ["[]"] }],
};

const runs = [
  { took: 5, count: 1, kind: "a", labels: { x: "1", y: "2" }, parts: [{ is: "x", ok: true }] },
  { took: null, count: 2, kind: "b", labels: { x: "3" }, parts: [] },
];

describe("fieldsOf", () => {
  it("finds every field, with its form and a sibling of the same form", () => {
    const found = fieldsOf(Run).map(({ path, form, sibling }) => [pathText(path), form, sibling]);
    assert.deepEqual(found, [
      [".more", "list", undefined],
      [".more[]", "text", undefined],
      [".took", "number", "count"],
      [".count", "number", "took"],
      [".kind", "choice", undefined],
      [".labels", "record", undefined],
      [".labels{}", "text", undefined],
      [".parts", "list", undefined],
      [".parts[]<is=x>.ok", "boolean", undefined],
      [".parts[]<is=y>.n", "number", undefined],
    ]);
  });
});

describe("sitesOf", () => {
  it("leads to each item and each member, and only to values of the kind", () => {
    const keys = (path: readonly string[]) => sitesOf(runs, path).map(({ owner, key }) => owner[key]);
    assert.deepEqual(keys(["[]", "labels", "{}"]), ["1", "2", "3"]);
    assert.deepEqual(keys(["[]", "parts", "[]", "<is=x>", "ok"]), [true]);
    assert.deepEqual(keys(["[]", "parts", "[]", "<is=y>", "n"]), []);
  });
});

describe("changesOf", () => {
  it("changes a number in every way, and a missing one only by making it up", () => {
    const field = fieldsOf(Run).find(({ path: [name] }) => name === "took");
    assert.ok(field);
    const changes = Object.entries(changesOf(field, [7]));
    const owner = { took: 5, count: 1 };
    const place = { owner, owners: [owner], at: 0, size: 2, neighbour: 9 };
    const changed = (value: unknown) =>
      Object.fromEntries(changes.map(([kind, change]) => [kind, change(value, place)]));
    assert.deepEqual(changed(5), {
      missing: undefined,
      null: null,
      zero: 0,
      "one more": 6,
      "×1,000": 5_000,
      "÷1,000": 0,
      "always the same": 7,
      "made up": 5,
      "that of count": 1,
      "its neighbour's": 9,
    });
    assert.deepEqual(
      Object.values(changed(null)).filter((value) => value !== null),
      [undefined, 7],
    );
  });
});

describe("faultsOfShape", () => {
  const seen = { exchanges: [response(JSON.stringify(runs))], steps: [] };
  const faults = faultsOfShape(shape, seen);
  const after = (name: string): unknown => {
    const fault = faults.find((one) => nameOf(one) === name);
    assert.ok(fault, name);
    return JSON.parse(fault.rewrite(response(JSON.stringify(runs))).body);
  };

  it("changes one field everywhere, and nothing else", () => {
    const [first, second] = runs;
    assert.deepEqual(after("Run.count: one more"), [
      { ...first, count: 2 },
      { ...second, count: 3 },
    ]);
    assert.deepEqual(after("Run.count: its neighbour's"), [
      { ...first, count: 2 },
      { ...second, count: 1 },
    ]);
    assert.deepEqual(after("Run.took: made up"), [first, { ...second, took: 5 }]);
    assert.deepEqual(after("Run.labels.y: missing"), [{ ...first, labels: { x: "1" } }, second]);
  });

  it("passes everything else unchanged, and reports fields that were never seen", () => {
    const other = response("[]");
    for (const fault of faults) assert.equal(fault.rewrite(other), other);
    assert.deepEqual(faults.filter(({ kind }) => kind === "unseen").map(nameOf), ["Run.more: unseen"]);
  });
});

describe("faultsOfMessages", () => {
  it("breaks the headers that a clause names, by status and by method, and the status", () => {
    const seen = [response("{}"), response("{}", { status: 404, headers: [["X-One", "1"]] })];
    const faults = faultsOfMessages(seen, new Map([["x-one", "runs"]]));
    const after = Object.fromEntries(
      faults.map((fault) => [
        nameOf(fault),
        seen.map((one) => fault.rewrite(one)).map(({ status, headers }) => [status, headers.length]),
      ]),
    );
    assert.deepEqual(after, {
      "header x-one, status 404: missing": [
        [200, 1],
        [404, 0],
      ],
      "header x-one, status 404: twice": [
        [200, 1],
        [404, 2],
      ],
      "header x-one, status 404: altered": [
        [200, 1],
        [404, 1],
      ],
      "header x-one, method GET: missing": [
        [200, 1],
        [404, 0],
      ],
      "header x-one, method GET: twice": [
        [200, 1],
        [404, 2],
      ],
      "header x-one, method GET: altered": [
        [200, 1],
        [404, 1],
      ],
      "header x-one: where it was not": [
        [200, 2],
        [404, 1],
      ],
      "status 200 of /runs: is 201": [
        [201, 1],
        [404, 1],
      ],
      "status 404 of /runs: is 400": [
        [200, 1],
        [400, 1],
      ],
      "text of /runs: empty": [
        [200, 1],
        [404, 1],
      ],
      "text of /runs: cut": [
        [200, 1],
        [404, 1],
      ],
    });
  });
});

describe("faultsOfStreams", () => {
  it("loses, repeats and renames items of a kind", () => {
    const item = { kind: "event", event: "tick", id: "1", data: "x" } as const;
    const faults = faultsOfStreams([{ sent: sent("GET", "/"), item, index: 0 }]);
    const after = (kind: string) =>
      faults.find((fault) => fault.kind === kind)?.rewriteItem({ sent: sent("GET", "/"), item, index: 0 });
    assert.deepEqual(after("lost"), []);
    assert.deepEqual(after("twice"), [item, item]);
    assert.deepEqual(after("under another name"), [{ ...item, event: "ticks" }]);
    assert.deepEqual(after("lost now and then"), [item]);
  });
});

describe("partition", () => {
  it("names each condition that some messages meet, without those that all meet and without duplicates", () => {
    const found = partition([1, 2, 3], {
      size: (one) => ["any", one > 1 ? "large" : "small"],
      odd: (one) => [one === 1 ? "one" : "other"],
    });
    assert.deepEqual(
      found.map(({ by, label, among }) => [by, label, [...among]]),
      [
        ["size", "small", [0]],
        ["size", "large", [1, 2]],
      ],
    );
  });
});

describe("conditionalFaults", () => {
  const clause = readClauses("x", "### ROUTE-001\nA response MUST carry `X-One`.\nwire\n");
  const rest = { outcome: "held", reason: undefined, comparison: undefined, failed: [], durationMs: 1 } as const;
  const found = proves("ROUTE-001", "carries it", () => Promise.resolve());
  const headers = [["X-One", "1"]] as const;
  const passed: readonly Exchange[] = [
    response("", { headers, sent: sent("GET", "/one") }),
    response("", { headers, sent: sent("HEAD", "/one") }),
    response("", { headers, sent: sent("GET", "/one"), earlier: 1 }),
  ];
  const ran: readonly Ran[] = [{ ...rest, case: found, exchanges: passed, steps: [] }];
  const chapters = (open: Chapter["unspecified"]): readonly Chapter[] => [
    { name: "runs", clauses: clause, unspecified: open },
  ];
  const chosen = (open: Chapter["unspecified"], each = Infinity) =>
    conditionalFaults(ran, chapters(open), { each, seed: 1 });
  const missing = (open: Chapter["unspecified"]) =>
    chosen(open).faults.filter(({ target, kind }) => target.startsWith("header") && kind === "missing");

  it("break a header only if a condition is met", () => {
    const seen = missing([]).map((fault) => [nameOf(fault), passed.map((one) => fault.rewrite(one).headers.length)]);
    assert.deepEqual(
      seen.toSorted(),
      [
        ["header x-one, method GET: missing", [0, 1, 0]],
        ["header x-one, method HEAD: missing", [1, 0, 1]],
        ["header x-one, once more: missing", [1, 1, 0]],
      ].toSorted(),
    );
  });

  it("leave out what a chapter leaves open unconditionally", () => {
    assert.deepEqual(missing([{ target: "header x-one", kinds: ["missing"], why: "" }]), []);
    const ofHead = missing([{ target: "header x-one, method HEAD", kinds: [], why: "" }]).map(nameOf);
    assert.deepEqual(ofHead, ["header x-one, once more: missing"]);
  });

  it("are a fixed number for each chapter and kind of condition, the same for the same seed", () => {
    const names = chosen([], 1).faults.map(nameOf);
    assert.deepEqual(chosen([], 1).faults.map(nameOf), names);
    const kinds = chosen([], 1).faults.map(({ chapter, when }) => `${chapter} ${when?.by ?? ""}`);
    assert.equal(new Set(kinds).size, kinds.length);
    assert.ok(names.length < chosen([]).faults.length);
  });
});

describe("leavesOpen", () => {
  const rows = [
    { target: "Run.took", kinds: ["one more"], why: "" },
    { target: "Run.parts…", kinds: [], why: "" },
  ];

  it("matches a field by its name and kinds, or all names with a prefix", () => {
    const open = (target: string, kind: string) => rows.map((row) => leavesOpen(row, { target, kind }));
    assert.deepEqual(
      [
        open("Run.took", "one more"),
        open("Run.took", "zero"),
        open("Run.parts[]<is=x>.ok", "zero"),
        open("Run", "zero"),
      ],
      [
        [true, false],
        [false, false],
        [false, true],
        [false, false],
      ],
    );
  });
});

describe("judgeFault", () => {
  const fault: Fault = {
    ...nothing,
    chapter: "runs",
    target: "header x-one",
    kind: "where it was not",
    rewrite: (exchange) => ({ ...exchange, headers: [] }),
  };

  /** The verdict on the fault if its case fails this many times. */
  async function fateOf(failures: number, isOpen: boolean): Promise<string> {
    let left = failures;
    const failing = proves("ROUTE-001", "fails for a while", () =>
      left-- > 0 ? Promise.reject(new Violation("it is late")) : Promise.resolve(),
    );
    const rest = { outcome: "held", reason: undefined, comparison: undefined, failed: [], steps: [] } as const;
    const seen: Ran[] = [{ ...rest, case: failing, exchanges: [response("{}")], durationMs: 1 }];
    const unspecified = isOpen ? [{ target: "header x-one", kinds: [], why: "" }] : [];
    const court = {
      seen,
      exhaustive: false,
      timeoutMs: 100,
      subjects: new Map([["default" as const, new URL("http://127.0.0.1:9")]]),
      chapters: [{ name: "runs", clauses: [], unspecified }],
    };
    return (await judgeAgain(await judgeFault(fault, court), court)).fate;
  }

  it("counts a fault as noticed after one failure, or after two if its chapter leaves it open", async () => {
    const fates = [await fateOf(1, false), await fateOf(0, false), await fateOf(1, true), await fateOf(2, true)];
    assert.deepEqual(fates, ["noticed", "survived", "unspecified", "noticed"]);
  });
});
