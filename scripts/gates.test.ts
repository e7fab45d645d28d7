/**
 * Proves that the runners' verdicts can fail: coverage gates, browser outcomes, the search for tests.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";

// The runners are plain modules that need no build, so this compiled file loads them by address.
const script = (name: string): string => new URL(`../../scripts/${name}`, import.meta.url).href;
const { missedGates } = (await import(script("test.mjs"))) as { missedGates: (summary: object) => string[] };
const { outcome } = (await import(script("e2e.mjs"))) as {
  outcome: (report: object | undefined, code: number) => object;
};
const { findSuites } = (await import(script("run-tests.mjs"))) as {
  findSuites: (base: string) => Map<string, string[]>;
};
const { entriesOf, inAscii, renamedClasses, sharedModules } = (await import(script("bundle-framework.mjs"))) as {
  entriesOf: (exports: object) => string[];
  inAscii: (text: string) => string;
  renamedClasses: (text: string) => string[];
  sharedModules: (outputs: object) => string[];
};

const { publishedManifest } = (await import(script("published.mjs"))) as { publishedManifest: (it: object) => object };

const file = (lines: number, total = 100): object => ({ lines: { total, pct: lines }, branches: { pct: 100 } });

describe("missedGates", () => {
  it("accepts the gates themselves", () => {
    const total = { lines: { total: 100, pct: 97 }, branches: { pct: 92 } };
    assert.deepEqual(missedGates({ total, a: file(90), empty: file(0, 0) }), []);
  });

  it("names every missed gate", () => {
    const total = { lines: { total: 100, pct: 96.9 }, branches: { pct: 91.9 } };
    assert.equal(missedGates({ total, a: file(89.9), b: file(100) }).length, 3);
  });

  it("fails when nothing was measured", () => {
    assert.deepEqual(missedGates({ total: file(100) }), ["no source file was measured"]);
    assert.deepEqual(missedGates({}), ["no source file was measured"]);
  });
});

describe("outcome", () => {
  const stats = { expected: 3, unexpected: 0, flaky: 0, skipped: 1 };

  it("counts what passed", () => {
    assert.deepEqual(outcome({ stats }, 0), { passed: 3, failed: 0, skipped: 1 });
  });

  const bad: Readonly<Record<string, readonly [object | undefined, number]>> = {
    "no report": [undefined, 0],
    "a flaky test": [{ stats: { ...stats, flaky: 1 } }, 0],
    "no test at all": [{ stats: { ...stats, expected: 0 } }, 0],
    "an exit code without a failed test": [{ stats }, 1],
  };
  for (const [what, [report, code]] of Object.entries(bad)) {
    it(`counts one failure for ${what}`, () => {
      assert.equal((outcome(report, code) as { failed: number }).failed, 1);
    });
  }
});

describe("findSuites", () => {
  it("groups compiled tests by package or folder and leaves out those whose source is gone", () => {
    const base = mkdtempSync(join(tmpdir(), "suites-"));
    const add = (path: string, source: string): void => {
      mkdirSync(join(base, path, ".."), { recursive: true });
      writeFileSync(join(base, path), "");
      writeFileSync(join(base, `${path}.map`), JSON.stringify({ sources: [source] }));
    };
    try {
      add("src/framework/dist/a.test.js", "../a.test.ts");
      add("src/framework/dist/gone.test.js", "../gone.test.ts");
      add(".build/spec/b.test.js", "../../spec/b.test.ts");
      mkdirSync(join(base, "spec"));
      for (const source of ["src/framework/a.test.ts", "spec/b.test.ts"]) writeFileSync(join(base, source), "");
      assert.deepEqual(
        [...findSuites(base)],
        [
          ["framework", [join(base, "src/framework/dist/a.test.js")]],
          ["spec", [join(base, ".build/spec/b.test.js")]],
        ],
      );
    } finally {
      rmSync(base, { recursive: true });
    }
  });
});

describe("entriesOf", () => {
  it("takes the modules behind every entry, and leaves plain files alone", () => {
    const entry = { types: "./dist/a.d.ts", modules: "./dist/a.js", default: "./dist/bundle/a.js" };
    assert.deepEqual(entriesOf({ ".": entry, "./package.json": "./package.json" }), ["./dist/a.js"]);
  });

  it("refuses an entry that would be loaded beside the bundle", () => {
    assert.throws(() => entriesOf({ "./b": { types: "./dist/b.d.ts", default: "./dist/b.js" } }), /exports\["\.\/b"\]/);
  });
});

describe("sharedModules", () => {
  it("names what is in more than one file, once", () => {
    const outputs = {
      "index.js": { inputs: { "a.js": {}, "b.js": {} } },
      "index.js.map": { inputs: {} },
      "one.js": { inputs: { "b.js": {}, "c.js": {} } },
      "two.js": { inputs: { "b.js": {}, "d.js": {} } },
    };
    assert.deepEqual(sharedModules(outputs), ["b.js"]);
  });
});

describe("renamedClasses", () => {
  it("names the classes that bundling had to rename, and no others", () => {
    const text = "var Router = class {}; var Router2 = class extends X {}; var Http2 = class {}; class Node3 {}";
    assert.deepEqual(renamedClasses(text), ["Router2"]);
  });
});

describe("inAscii", () => {
  it("escapes what is beyond ASCII, as JavaScript does, and nothing else", () => {
    assert.equal(inAscii("// a → b, § 5: 𝄞\nconst c = 1;"), "// a \\u2192 b, \\u00a7 5: \\ud834\\udd1e\nconst c = 1;");
  });
});

describe("publishedManifest", () => {
  it("publishes the bundle and the declarations, not the modules", () => {
    const entry = { types: "./dist/a.d.ts", modules: "./dist/a.js", default: "./dist/bundle/a.js" };
    const plain = { "./package.json": "./package.json" };
    assert.deepEqual(
      publishedManifest({ name: "x", files: ["dist", "!dist/**/*.map"], exports: { ".": entry, ...plain } }),
      {
        name: "x",
        files: ["dist/bundle", "dist/**/*.d.ts", "!dist/**/*.map"],
        exports: { ".": { types: entry.types, default: entry.default }, ...plain },
      },
    );
  });
});
