/**
 * Proves that the runners' verdicts can fail: finding and counting tests, bundling and publishing.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";

// The runners are plain modules that need no build, so this compiled file loads them by URL.
const script = (name: string): string => new URL(`../../scripts/${name}`, import.meta.url).href;
const { compiled } = (await import(script("test.mjs"))) as { compiled: (source: string) => string };
const { entriesOf, inAscii, renamedClasses, sharedNames } = (await import(script("bundle-framework.mjs"))) as {
  entriesOf: (exports: object) => string[];
  inAscii: (text: string) => string;
  renamedClasses: (text: string) => string[];
  sharedNames: (text: string) => string[];
};

const { writeFolder } = (await import(script("write-files.mjs"))) as {
  writeFolder: (folder: string, files: ReadonlyMap<string, string>) => void;
};

interface Report {
  readonly date: string;
  readonly node: string;
  readonly cores: number;
  readonly rows: readonly { name: string; figure: string; met: boolean; seed: number }[];
}
const { withFigures } = (await import(script("security-figures.mjs"))) as {
  withFigures: (text: string, reports: Readonly<Record<string, Report>>) => string;
};

const { publishedManifest } = (await import(script("published.mjs"))) as { publishedManifest: (it: object) => object };

const testFiles = {
  a: `import { describe, it } from "node:test";
    describe("a", () => {
      it("${["A", "001"].join("-")}: passes", () => {});
      it("passes too", () => {});
      it.skip("is left out", () => {});
      it("says why", { skip: "no engine" }, () => {});
      it("fails", () => { throw new Error("broken"); });
    });
    describe("empty", () => {});`,
  lost: `throw new Error("cannot be loaded")`,
  hangs: `import { it } from "node:test"; it("hangs", () => new Promise((done) => setTimeout(done, 60_000)));`,
};

describe("compiled", () => {
  it("gives the path of a compiled test", () => {
    const sources = ["src/framework/engine/a.test.ts", "src/devtools/dashboard/json/a.test.tsx", "spec/a.test.ts"];
    assert.deepEqual(sources.map(compiled), [
      "src/framework/dist/engine/a.test.js",
      ".build/dashboard/dashboard/json/a.test.js",
      ".build/spec/a.test.js",
    ]);
  });
});

describe("reporter", () => {
  it("counts tests, not suites; a file that cannot be loaded or hangs fails", () => {
    const folder = mkdtempSync(join(tmpdir(), "reporter-"));
    try {
      for (const [name, text] of Object.entries(testFiles)) writeFileSync(join(folder, `${name}.mjs`), text);
      const names = Object.keys(testFiles).map((name) => `${name}.mjs`);
      const flags = ["--test", "--test-timeout=2000", `--test-reporter=${script("reporter.mjs")}`];
      // Otherwise it would report to this runner, not to its own reporter.
      const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
      const { stdout, status } = spawnSync(process.execPath, [...flags, ...names], {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      const counts = JSON.parse(readFileSync(join(folder, ".build", "reports", "test.json"), "utf8")) as object;
      assert.deepEqual(counts, { passed: 2, failed: 3, skipped: 2, clauses: [{ id: "A-001", ok: true }] });
      assert.equal(status, 1);
      for (const part of ["✖ a › fails", "Error: broken", "cannot be loaded", "- a › says why: no engine"])
        assert.ok(stdout.includes(part), `${part} in ${stdout}`);
      assert.match(stdout, /\n2 skipped\n2 passed, 3 failed\n$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("writeFolder", () => {
  it("keeps unchanged files, replaces changed ones, and removes those that no longer exist", () => {
    const folder = mkdtempSync(join(tmpdir(), "write-files-"));
    const file = (name: string) => statSync(join(folder, name)).ino;
    const names = () => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    try {
      writeFolder(
        folder,
        new Map([
          ["same.js", "1"],
          ["changed.js", "2"],
          [join("below", "gone.js"), "3"],
        ]),
      );
      assert.deepEqual(names(), ["below", join("below", "gone.js"), "changed.js", "same.js"]);
      const before = [file("same.js"), file("changed.js")];
      const reader = openSync(join(folder, "changed.js"), "r");
      writeFolder(
        folder,
        new Map([
          ["same.js", "1"],
          ["changed.js", "two"],
        ]),
      );
      assert.equal(readFileSync(reader, "utf8"), "2", "whoever has the old file open has all of it");
      closeSync(reader);
      assert.deepEqual(names(), ["below", "changed.js", "same.js"]);
      assert.equal(readFileSync(join(folder, "changed.js"), "utf8"), "two");
      assert.deepEqual([file("same.js") === before[0], file("changed.js") === before[1]], [true, false]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("entriesOf", () => {
  it("takes the modules of every entry, and leaves plain files alone", () => {
    const entry = { types: "./dist/a.d.ts", modules: "./dist/a.js", default: "./dist/bundle/a.js" };
    assert.deepEqual(entriesOf({ ".": entry, "./package.json": "./package.json" }), ["./dist/a.js"]);
  });

  it("rejects an entry that would be loaded next to the bundle", () => {
    assert.throws(() => entriesOf({ "./b": { types: "./dist/b.d.ts", default: "./dist/b.js" } }), /exports\["\.\/b"\]/);
  });
});

describe("sharedNames", () => {
  it("names each import from #framework by its exported name, once, and nothing else", () => {
    const text = [
      'import { HttpError as HttpError2, isThenable } from "#framework";',
      'import { stat } from "node:fs";',
      "// stays",
      'import { isThenable as isThenable2 } from "#framework";',
    ];
    assert.deepEqual(sharedNames(text.join("\n")), ["HttpError", "isThenable"]);
  });
});

describe("renamedClasses", () => {
  it("names the classes that bundling had to rename, and no others", () => {
    const text = "var Router = class {}; var Router2 = class extends X {}; var Http2 = class {}; class Node3 {}";
    assert.deepEqual(renamedClasses(text), ["Router2"]);
  });
});

describe("inAscii", () => {
  it("escapes non-ASCII characters as JavaScript does, and nothing else", () => {
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

describe("withFigures", () => {
  const run = { date: "2026-11-28T10:00:00.000Z", node: "20.20.2", cores: 2 };
  const rowOf = (name: string, figure: string, met = true) => ({ name, figure, met, seed: 7 });
  const table = [
    "Measured: not yet.",
    "",
    "| Figure | HTTP/1.1 | `app.fetch` | Bun | Printed by |",
    "|---|--:|--:|--:|---|",
    "| header lines | 100 | 100 | its own | `make test` |",
    "| hostile connections | – | – | – | `make fuzz` |",
    "| … cut late, or left | – | – | – | `make slow` |",
  ];

  it("fills the rows of the verbs that have run, and leaves the others unchanged", () => {
    const fuzz = [
      rowOf("hostile input on HTTP/1.1", "68,400 connections, 50 requests past the parser"),
      rowOf("hostile input on app.fetch", "27,310 connections, 50 requests past the parser"),
    ];
    assert.deepEqual(withFigures(table.join("\n"), { fuzz: { ...run, rows: fuzz } }).split("\n"), [
      "Measured: `make fuzz` on 2026-11-28 (Node 20.20.2, 2 cores, seed 7).",
      ...table.slice(1, 5),
      "| hostile connections | 68,400 | 27,310 | – | `make fuzz` |",
      ...table.slice(6),
    ]);
  });

  it("rejects a figure that misses its target or that it cannot parse", () => {
    const rows = [rowOf("slow attacks on HTTP/1.1", "none", false)];
    assert.throws(
      () => withFigures(table.join("\n"), { slow: { ...run, rows } }),
      /short of their targets: slow attacks/,
    );
    const unread = [rowOf("slow attacks on HTTP/1.1", "none")];
    assert.throws(
      () => withFigures(table.join("\n"), { slow: { ...run, rows: unread } }),
      /says nothing of … cut late/,
    );
  });

  it("knows every row of SECURITY.md that a verb prints", () => {
    const text = readFileSync(new URL("../../SECURITY.md", import.meta.url), "utf8");
    const none = { ...run, rows: [] };
    assert.match(
      withFigures(text, { fuzz: none, faults: none, slow: none, soak: none }),
      /\| hostile connections \| –/,
    );
  });
});
