/**
 * A run and a graph in a terminal, compared with committed texts at 80 and 140 columns, in colour and without.
 *
 * `UPDATE_SNAPSHOTS=1 node scripts/test.mjs terminal/run-tree` writes them anew; look at the changes.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { BeanGraph, BeanNode, Call, Leaf, Trace } from "../../run/shapes.ts";
import { graphLines, graphMermaid, graphPicture } from "./graph-text.ts";
import { columnsOf, printable } from "./printable.ts";
import { documentOf } from "../../run/search/document.ts";
import { hitOf } from "../../run/search/match.ts";
import { runRow } from "./run-list.ts";
import { runTree, toneOf } from "./run-tree.ts";
import { screenOf, type Screen } from "./screen.ts";

const folder = new URL("../../../cli/terminal/snapshots/", import.meta.url);

/** Compares lines with a committed text. */
function assertSnapshot(name: string, lines: readonly string[]): void {
  const file = new URL(name, folder);
  const text = `${lines.join("\n")}\n`;
  if (process.env["UPDATE_SNAPSHOTS"] === "1") writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"), name);
}

const plain = (width: number): Screen => screenOf({}, {}, width);
const coloured = (width: number): Screen => screenOf({}, { FORCE_COLOR: "1" }, width);

function call(id: number, parentId: number | null, bean: string, more: Partial<Call> = {}): Call {
  const defaults = {
    depth: 0,
    declaredBy: bean,
    stereotype: "service",
    method: "find",
    args: [],
    result: null,
  } as const;
  return { ...defaults, error: null, startUs: id * 1_000, durationUs: 1_000, async: true, id, parentId, bean, ...more };
}

function sql(id: number, parentId: number, value: number): Leaf {
  const detail = { system: "sqlite", statement: "select *\nfrom stock where id = $1", parameters: [value], rows: 1 };
  const times = { startUs: parentId * 1_000 + 100, durationUs: 600 };
  return { id, parentId, kind: "sql", name: "SELECT", detail, error: null, ...times };
}

const error = {
  name: "TypeError",
  message: "card is \u001b[31mnot\u001b[0m\na card",
  stack: [
    { name: "Payments.charge", file: "src/payments.ts", line: 12, column: 9, own: true },
    { name: "next", file: "node_modules/x/index.js", line: 1, column: 1, own: false },
  ],
  excerpt: { file: "src/payments.ts", line: 12, from: 11, lines: ["charge(card) {", "  return card.number;", "}"] },
  causes: [{ name: "RangeError", message: "no number" }],
};

const trace: Trace = {
  instance: "0b5e9f53-3c0e-4a53-9a35-6c2f4f6d8a11",
  id: "r-1",
  sequence: 12,
  correlationId: null,
  method: "POST",
  path: "/orders/世界/\u009b2J",
  route: "/orders/{name}",
  status: 500,
  startedAt: Date.UTC(2026, 10, 2, 14, 3, 7),
  durationUs: 12_400,
  aborted: false,
  request: { pathParams: {}, query: {}, headers: {}, body: null },
  response: { headers: {}, body: null, bytes: 0 },
  calls: [
    call(0, null, "OrderController", {
      stereotype: "controller",
      method: "place",
      args: [{ $context: "POST /orders" }],
      durationUs: 11e3,
      error,
    }),
    call(1, 0, "StockRepository", { args: [1, { $date: "2026-11-02T00:00:00.000Z" }], result: { id: 1, left: 3 } }),
    call(2, 0, "StockRepository", { args: [2], result: { $undefined: true } }),
    call(3, 0, "StockRepository", { args: [2], result: { $undefined: true } }),
    call(4, 0, "Payments", { method: "charge", args: ["visa", [1, 2]], durationUs: 3_000, error }),
    call(8, 0, "Mailer", {
      method: "send",
      args: ["\u001b]0;owned\u0007"],
      durationUs: null,
      result: { $pending: true },
    }),
  ],
  droppedCalls: 2,
  leaves: [
    sql(0, 1, 1),
    sql(1, 2, 2),
    sql(2, 3, 2),
    {
      id: 3,
      parentId: 4,
      kind: "log",
      name: "warn",
      error: null,
      startUs: 4500,
      durationUs: 0,
      detail: { level: "warn", message: "no number\x1B[2J", fields: {} },
    },
    {
      id: 4,
      parentId: null,
      kind: "http",
      name: "GET 127.0.0.1:8081",
      startUs: 11500,
      durationUs: null,
      error: { name: "Error", message: "ECONNRESET" },
      detail: {
        method: "GET",
        url: "http://127.0.0.1:8081/parcels",
        status: null,
        run: null,
        requestHeaders: {},
        responseHeaders: {},
      },
    },
  ],
  droppedLeaves: 1,
  error,
  contractIssues: [{ pointer: "/total", message: "is no number" }],
};

function bean(
  id: string,
  stereotype: BeanNode["stereotype"],
  dependencies: readonly string[],
  traceable = true,
): BeanNode {
  const reason = traceable ? {} : ({ reason: "class" } as const);
  return { id, name: id, stereotype, implementation: id, traceable, dependencies, ...reason };
}

const nodes: readonly BeanNode[] = [
  bean("Database", "component", [], false),
  bean("OrderController", "controller", ["OrderService"]),
  bean("OrderRepository", "repository", ["Database"]),
  bean("OrderService", "service", ["StockRepository", "OrderRepository", "Mailer", "PricingService", "ReviewService"]),
  bean("StockRepository", "repository", ["Database"]),
  bean('Odd"]--><b>#;`', "bean", []),
  bean("\u001b[2JMailer", "component", []),
];
const graph: BeanGraph = {
  nodes,
  edges: nodes.flatMap(({ id, dependencies }) =>
    dependencies.filter((to) => nodes.some((node) => node.id === to)).map((to) => ({ from: id, to })),
  ),
  unspied: ["Database"],
};

describe("runTree", () => {
  for (const width of [80, 140])
    it(`is the committed text at ${width} columns`, () => {
      assertSnapshot(`run-${width}.txt`, runTree(trace, plain(width)));
      assertSnapshot(`run-${width}-colour.txt`, runTree(trace, coloured(width)));
    });

  it("has no line that is wider than the terminal, and no column too many in colour", () => {
    for (let width = 40; width <= 160; width += 8) {
      const wide = runTree(trace, plain(width)).filter((line) => columnsOf(line) > width);
      assert.deepEqual(wide, [], `at ${width}`);
      // eslint-disable-next-line no-control-regex -- the colours are what is taken away
      const stripped = runTree(trace, coloured(width)).map((line) => line.replace(/\u001b\[\d+m/g, "").trimEnd());
      assert.deepEqual(
        stripped,
        runTree(trace, plain(width)).map((line) => line.trimEnd()),
      );
    }
  });

  it("shows recorded values in characters that no terminal obeys", () => {
    for (const line of runTree(trace, plain(Infinity))) assert.equal(printable(line), line);
  });

  it("reports that no bean was called", () => {
    const none = {
      ...trace,
      calls: [],
      leaves: [],
      error: null,
      contractIssues: [],
      droppedCalls: 0,
      droppedLeaves: 0,
    };
    assert.deepEqual(runTree(none, plain(80)).slice(3), ["", "  no bean was called"]);
  });

  it("lists the steps outside of beans, also of a run without calls", () => {
    const phases = [
      { kind: "middleware", name: "Auth", startUs: 0, durationUs: 300 },
      { kind: "sending", name: "response", startUs: 300, durationUs: 40 },
    ] as const;
    const none = {
      ...trace,
      calls: [],
      leaves: [],
      error: null,
      contractIssues: [],
      droppedCalls: 0,
      droppedLeaves: 0,
    };
    const lines = runTree({ ...none, durationUs: 400, phases }, plain(70)).slice(4);
    assert.deepEqual(lines, [
      "    total      self",
      "  no bean was called",
      "             400 µs    outside of recorded calls",
      "             300 µs    ├─ middleware Auth",
      "              60 µs    ├─ other",
      "              40 µs    └─ sending",
    ]);
  });

  it("names calls that were tried again after they failed, and the time until the last attempt", () => {
    const busy = { name: "Error", message: "busy" };
    const [one] = trace.calls;
    assert.ok(one);
    const calls = [0, 1, 2].map((id) => ({
      ...one,
      id,
      parentId: null,
      depth: 0,
      bean: "Bank",
      method: "pay",
      args: [1],
      result: null,
      startUs: id * 1_000,
      durationUs: 900,
      error: id < 2 ? busy : null,
    }));
    const lines = runTree({ ...trace, calls, leaves: [], error: null }, plain(Infinity));
    assert.ok(lines.some((line) => line.includes("Bank.pay(1) (attempt 2 of 3) ✗ threw Error: busy")));
    assert.ok(lines.includes("Bank.pay was tried again after it failed: 3 attempts, 2.00 ms until the last"));
    assert.ok(!lines.some((line) => line.includes("equal call")));
  });

  it("shows a run that is 1,000 calls deep, with names", () => {
    const calls = Array.from({ length: 1_000 }, (_, id) => call(id, id === 0 ? null : id - 1, "Deep"));
    const lines = runTree({ ...trace, calls, leaves: [], error: null }, plain(80)).filter((line) =>
      line.includes("Deep.find("),
    );
    assert.equal(lines.length, 1_000);
    assert.deepEqual(
      lines.filter((line) => columnsOf(line) > 80),
      [],
    );
  });
});

describe("graphLines", () => {
  for (const width of [80, 140])
    it(`is the committed text at ${width} columns`, () => {
      assertSnapshot(`graph-${width}.txt`, graphLines(graph, plain(width)));
    });

  it("has no line that is wider than the terminal, and none that it obeys", () => {
    for (let width = 40; width <= 160; width += 8)
      for (const line of graphLines(graph, plain(width))) {
        assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
        assert.equal(printable(line), line);
      }
  });
});

describe("graphMermaid", () => {
  it("is a flowchart in which names stay names, with any content", () => {
    const lines = graphMermaid(graph);
    assert.equal(lines[0], "flowchart LR");
    assert.equal(lines[6], '  b5["Odd#34;]--#62;#60;b#62;#35;#59;#96;"]:::bean');
    assert.equal(lines[7], '  b6["#92;u{1b}[2JMailer"]:::component');
    assert.ok(lines.includes("  b1 --> b3"));
    assert.ok(lines.includes("  classDef repository fill:#8a2d02,color:#ffffff"));
  });
});

describe("graphPicture", () => {
  it("is a picture of every bean and dependency that needs no canvas", () => {
    const text = graphPicture(graph);
    assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
    assert.equal(text.match(/marker-end="url\(#edge\)"/g)?.length, graph.edges.length);
    assert.ok(text.includes(">OrderController</text>") && text.includes("Odd&quot;]--&gt;&lt;b&gt;#;`</text>"));
  });
});

describe("runTree", () => {
  const whole = call(0, null, "Orders", { startUs: 0, durationUs: 10_000 });
  const short: Trace = { ...trace, durationUs: 10_000, calls: [whole], droppedCalls: 0, leaves: [], error: null };

  it("draws bars as wide as the screen has room for, and none on a narrow one", () => {
    const blocks = (width: number): number => runTree(short, plain(width)).join("").split("█").length - 1;
    assert.deepEqual([71, 72, 119, 120].map(blocks), [0, 12, 12, 24]);
  });

  it("reports that no route took it, and that the client left", () => {
    const [head, about] = runTree({ ...short, route: null, aborted: true, path: "/x" }, plain(100));
    assert.equal(head, "POST /x → 500 in 10.0 ms, the client left");
    assert.match(about ?? "", /^no route · /);
  });

  it("has every parameter of a statement, cut where the line ends", () => {
    const statement = sql(0, 0, 1);
    assert.ok(statement.kind === "sql");
    const many = { ...statement, detail: { ...statement.detail, parameters: [1, "a"] } };
    const none = { ...statement, id: 1, detail: { ...statement.detail, parameters: [] } };
    const lines = runTree({ ...short, leaves: [many, none] }, plain(200)).filter((line) => line.includes("stock"));
    assert.deepEqual(
      lines.map((line) => line.replace(/.*= \$1/, "")),
      [' [1, "a"]', ""],
    );
  });

  it("shows the result of a statement before it, and without a result only the name", () => {
    const plainly: Leaf = {
      id: 1,
      parentId: 0,
      kind: "span",
      name: "pick",
      error: null,
      startUs: 600,
      durationUs: 5,
      detail: { kind: "internal", attributes: {} },
    } as unknown as Leaf;
    const lines = runTree({ ...short, leaves: [sql(0, 0, 1), plainly] }, plain(200));
    assert.deepEqual(
      lines.filter((line) => line.includes("─ ")).map((line) => line.replace(/.*─ /, "")),
      ["sql 1 row ← select * from stock where id = $1 [1]", "span pick"],
    );
  });

  it("keeps room for names if the tree is deeper than the screen is wide", () => {
    const deep = Array.from({ length: 60 }, (_, id) => call(id, id === 0 ? null : id - 1, `Bean${id}`, { depth: id }));
    const lines = runTree({ ...short, calls: deep }, plain(60)).filter((line) => line.includes("Bean"));
    assert.equal(lines.length, 60);
    for (const line of lines) assert.ok(columnsOf(line) <= 60, line);
    const [last = ""] = lines.slice(-1);
    assert.match(last, /…[^…]*─ ?Bean59\.find/);
  });

  it("leaves out the outermost branches that would take more than half of the room", () => {
    const deep = Array.from({ length: 9 }, (_, id) => call(id, id === 0 ? null : id - 1, `Run${id}`));
    const shown = (width: number): readonly string[] =>
      runTree({ ...short, calls: deep }, plain(width))
        .filter((line) => line.includes("─ "))
        .map((line) => line.slice(22));
    const branch = (columns: number): string => "└─ ".padStart(columns);
    // Of 58 columns, 36 are left next to the times, and the branches of the sixth call take half of those.
    assert.deepEqual(shown(58).slice(4), [
      `${branch(15)}Run5.find() → null`,
      `${branch(18)}Run6.find() → null`,
      `…${branch(17)}Run7.find() → null`,
      `…${branch(17)}Run8.find() → null`,
    ]);
    for (const width of [24, 26]) assert.deepEqual(new Set(shown(width).slice(1)), new Set(["…─ …"]), `at ${width}`);
  });
});

describe("runRow", () => {
  it("is not wider than the terminal, of this process or of an earlier one", () => {
    const hit = {
      ...hitOf(documentOf(trace), { calls: [], leaves: [], parts: [] }),
      instance: "7f3a61c2-4e5b",
      sequence: 123_456,
      path: "/orders/a-long-way",
    };
    for (let width = 40; width <= 80; width += 1)
      for (const current of [hit.instance, undefined]) {
        const row = runRow(hit, current, plain(width));
        assert.ok(columnsOf(row) <= width, `${width}: ${row}`);
      }
  });
});

describe("toneOf", () => {
  it("is bad from 500, a warning from 400, and good below", () => {
    assert.deepEqual([200, 399, 400, 499, 500].map(toneOf), ["good", "good", "warn", "warn", "bad"]);
  });
});
