/**
 * Proves that every architecture check can fail, on sources small enough to read.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { banFindings } from "./architecture/bans.ts";
import { budgetFindings } from "./architecture/budgets.ts";
import { cycleFindings } from "./architecture/cycles.ts";
import { docFindings } from "./architecture/docs.ts";
import { layerFindings } from "./architecture/layers.ts";
import { parseSource } from "./architecture/source.ts";
import { findings } from "./check-architecture.ts";

const header = "/** What it is for. */\n\n";

describe("findings", () => {
  it("fails on an empty file list", () => {
    assert.deepEqual(findings([]), ["no source file was found under src/"]);
    assert.deepEqual(findings([parseSource("spec/a.ts", "")]), ["no source file was found under src/"]);
  });

  it("accepts a documented file that keeps to its layer", () => {
    const source = parseSource(
      "src/framework/internal/errors.ts",
      `${header}/** One. */\nexport const one: number = 1;\n`,
    );
    assert.deepEqual(findings([source]), []);
  });
});

describe("parseSource", () => {
  it("names the file that is no TypeScript", () => {
    assert.throws(() => parseSource("src/a.ts", "export const = 1"), /^Error: src\/a\.ts: /);
  });

  it("finds static, type-only, re-exported, dynamic and inline type imports", () => {
    const text = `import { a } from "./a.ts"; import type { B } from "./b.ts"; import { type C } from "./c.ts";
      export { d } from "../d.ts"; export type * from "./e.ts"; import "./f.ts";
      const g: import("./g.ts").G = await import("pkg");`;
    assert.deepEqual(parseSource("x/y/z.ts", text).imports, [
      { specifier: "./a.ts", target: "x/y/a.ts", typeOnly: false },
      { specifier: "./b.ts", target: "x/y/b.ts", typeOnly: true },
      { specifier: "./c.ts", target: "x/y/c.ts", typeOnly: true },
      { specifier: "./f.ts", target: "x/y/f.ts", typeOnly: false },
      { specifier: "../d.ts", target: "x/d.ts", typeOnly: false },
      { specifier: "./e.ts", target: "x/y/e.ts", typeOnly: true },
      { specifier: "pkg", target: undefined, typeOnly: false },
      { specifier: "./g.ts", target: "x/y/g.ts", typeOnly: true },
    ]);
  });
});

describe("layerFindings", () => {
  const refused: Readonly<Record<string, readonly [path: string, text: string]>> = {
    "devtools from the framework": ["src/framework/routing/router.ts", `import { x } from "../../devtools/index.ts";`],
    "the devtools package from the framework": [
      "src/framework/app/framework.ts",
      `import { x } from "@framework/devtools";`,
    ],
    "a Node module from the framework": ["src/framework/middleware/health/health.ts", `import { x } from "node:fs";`],
    "a runtime dependency from the framework": ["src/framework/http/body.ts", `import { x } from "ajv";`],
    "one middleware's value of the context": [
      "src/framework/middleware/cors/cors.ts",
      `import { x } from "../../http/context.ts";`,
    ],
    "an engine from the dispatcher": ["src/framework/dispatch/query.ts", `import { x } from "../engine/lines.ts";`],
    "the dispatcher from the response": [
      "src/framework/http/request-context.ts",
      `import type { X } from "../dispatch/dispatcher.ts";`,
    ],
    "the spec from src": ["src/framework/http/sse.ts", `import type { X } from "../../../spec/health.ts";`],
    "the server from the dashboard": [
      "src/devtools/dashboard/store/slice.ts",
      `import { x } from "../../server/ring.ts";`,
    ],
    "a higher room of the dashboard from a lower one": [
      "src/devtools/dashboard/runs/live.ts",
      `import { x } from "../request/send.ts";`,
    ],
    "what is selected from the room that knows nothing of the application": [
      "src/devtools/dashboard/page/widgets.tsx",
      `import type { X } from "../store/selection.ts";`,
    ],
    "a room beside it from a room of the dashboard": [
      "src/devtools/dashboard/graph/tools.tsx",
      `import { x } from "../timeline/timeline.ts";`,
    ],
    "a package that only one room needs": [
      "src/devtools/dashboard/request/draft.ts",
      `import { x } from "jsonc-parser";`,
    ],
    "the framework's inside from devtools": [
      "src/devtools/server/guard.ts",
      `import { x } from "../../framework/routing/router.ts";`,
    ],
    "our code from the scaffolder": ["src/create-framework/cli.ts", `import { x } from "framework";`],
    "src from the spec": ["spec/health.ts", `import { x } from "../src/framework/index.ts";`],
  };
  for (const [what, [path, text]] of Object.entries(refused)) {
    it(`refuses ${what}`, () => {
      assert.equal(layerFindings([parseSource(path, text)]).length, 1);
    });
  }

  it("accepts the type of the context in a middleware", () => {
    const source = parseSource(
      "src/framework/middleware/cors/cors.ts",
      `import type { Context } from "../../http/context.ts";`,
    );
    assert.deepEqual(layerFindings([source]), []);
  });

  it("accepts a room of the dashboard below, and refuses a new room until it has a row", () => {
    const text = `import { x } from "../store/selection.ts"; import { y } from "@preact/signals";`;
    assert.deepEqual(layerFindings([parseSource("src/devtools/dashboard/runs/live.ts", text)]), []);
    assert.match(
      layerFindings([parseSource("src/devtools/dashboard/new/live.ts", text)])[0] ?? "",
      /belongs to no row of the import table/,
    );
  });

  it("reports a file that belongs to no row", () => {
    assert.deepEqual(layerFindings([parseSource("src/new-package/a.ts", "")]), [
      "src/new-package/a.ts: belongs to no row of the import table (scripts/architecture/layers.ts)",
    ]);
  });
});

describe("cycleFindings", () => {
  it("reports a cycle of type-only imports once, with the way round", () => {
    const sources = [
      parseSource("src/a.ts", `import type { B } from "./b.ts";`),
      parseSource("src/b.ts", `import { c } from "./c.ts";`),
      parseSource("src/c.ts", `export type { A } from "./a.ts";`),
      parseSource("src/d.ts", `import "./a.ts";`),
    ];
    assert.deepEqual(cycleFindings(sources), ["import cycle: src/a.ts → src/b.ts → src/c.ts → src/a.ts"]);
  });

  it("accepts a diamond", () => {
    const sources = [
      parseSource("src/a.ts", `import "./b.ts"; import "./c.ts";`),
      parseSource("src/b.ts", `import "./d.ts";`),
      parseSource("src/c.ts", `import "./d.ts";`),
    ];
    assert.deepEqual(cycleFindings(sources), []);
  });
});

describe("budgetFindings", () => {
  const body = (lines: number): string => `function f(): void {\n${"  g();\n".repeat(lines - 2)}}\n`;

  it("reports a long function, a long file, the median and the percentile", () => {
    const source = parseSource("src/a.ts", `${body(61)}${"// …\n".repeat(380)}`);
    assert.deepEqual(budgetFindings([source]), [
      "src/a.ts: file of 441 lines, 440 are allowed",
      "src/a.ts:1: function of 61 lines, 60 are allowed",
      "the median file has 441 lines, 100 are allowed",
      "the 95th percentile function has 61 lines, 35 are allowed",
    ]);
  });

  it("accepts the limits themselves and leaves tests out", () => {
    const sources = [parseSource("src/a.ts", body(35)), parseSource("src/a.test.ts", body(400))];
    assert.deepEqual(budgetFindings(sources), []);
  });
});

describe("banFindings", () => {
  const cases: Readonly<Record<string, string>> = {
    any: "let x: any;",
    "a nested any": "let x: Map<string, any[]>;",
    "the non-null !": "x!.y();",
    "@ts-ignore": "// @ts-ignore\nx();",
    "@ts-nocheck": "/* @ts-nocheck */",
    "a default export": "export default 1;",
  };
  for (const [what, text] of Object.entries(cases)) {
    it(`refuses ${what}`, () => {
      assert.equal(banFindings([parseSource("src/a.ts", text)]).length, 1);
    });
  }

  it("accepts the same words in strings, comments and negations", () => {
    const text = `// any x! @ts-ignore later\nconst any = "any!"; if (!any) f(any != null);`;
    assert.deepEqual(banFindings([parseSource("src/a.ts", text)]), []);
  });
});

describe("docFindings", () => {
  it("reports undocumented exports of every form, with their lines", () => {
    const text = `${header}export const a = 1;\nexport function b(): void {}\nclass C {}\nexport { C };\nexport type D = 1;\n`;
    assert.deepEqual(docFindings([parseSource("src/a.ts", text)]), [
      "src/a.ts:3: the export a has no doc comment",
      "src/a.ts:4: the export b has no doc comment",
      "src/a.ts:5: the export C has no doc comment",
      "src/a.ts:7: the export D has no doc comment",
    ]);
  });

  it("does not take the header, a line comment or a distant comment for a doc comment", () => {
    const text = `${header}import "./b.ts";\n/** Far. */\n\nexport const a = 1;\n// near\nexport const b = 1;\n`;
    assert.equal(docFindings([parseSource("src/a.ts", text)]).length, 2);
  });

  it("takes one documented declaration for a name that is a type and a value", () => {
    const text = `${header}/** A. */\nexport interface A {}\nexport const A = 1;\n`;
    assert.deepEqual(docFindings([parseSource("src/a.ts", text)]), []);
  });

  it("reports a file without a header", () => {
    assert.deepEqual(docFindings([parseSource("src/a.ts", "const a = 1;\n")]), [
      "src/a.ts:1: opens without a header comment",
    ]);
  });
});
