/** What `make mutation` makes of a report of Stryker's, and of the files that differ. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: Readonly<Record<"start" | "end", { readonly line: number; readonly column: number }>>;
}
interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}
const { changedRooms, merged, nameOf, roomsOf, survivingLines, tally } = (await import(
  new URL("../../scripts/mutation.mjs", import.meta.url).href
)) as {
  changedRooms(names: readonly string[], rooms: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]>;
  merged(before: Report, later: Report): Report;
  nameOf(file: string, source: string, mutant: Mutant): string;
  roomsOf(folders: readonly string[]): ReadonlyMap<string, string>;
  survivingLines(report: Report): readonly string[];
  tally(report: Report, excused: ReadonlySet<string>): Readonly<Record<string, unknown>>;
};

const file = "src/framework/dist/routing/router.js";
const source = "const a = 1;\nif (a > 0 &&\n    b) go();\n";
const at = (line: number, column: number, endLine: number, endColumn: number) => ({
  location: { start: { line, column }, end: { line: endLine, column: endColumn } },
});
const condition: Mutant = {
  status: "Survived",
  mutatorName: "ConditionalExpression",
  replacement: "true",
  ...at(2, 5, 3, 6),
};
const number: Mutant = { status: "NoCoverage", mutatorName: "Number", replacement: "2", ...at(1, 11, 1, 12) };
const killed: Mutant = { ...condition, status: "Killed" };

describe("nameOf", () => {
  it("is file, the line with what was written marked, and what is written instead", () => {
    assert.equal(nameOf(file, source, condition), "routing/router: if («a > 0 && b») go(); → true");
    assert.equal(nameOf(file, source, number), "routing/router: const a = «1»; → 2");
    const walk = "src/devtools/dist/server/walk.js";
    assert.equal(nameOf(walk, source, number), "devtools/server/walk: const a = «1»; → 2");
  });
});

describe("tally", () => {
  const report: Report = {
    files: {
      [file]: {
        source,
        mutants: [condition, number, killed, { ...killed, status: "Timeout" }, { ...killed, status: "RuntimeError" }],
      },
    },
  };

  it("counts what was noticed, what was not, and what nothing ran", () => {
    assert.deepEqual(tally(report, new Set()), {
      ...{ killed: 2, survived: 1, uncovered: 1, equivalent: 0, score: 50, stale: [] },
      survivors: [
        {
          name: "routing/router: if («a > 0 && b») go(); → true",
          line: 2,
          mutator: "ConditionalExpression",
          status: "Survived",
        },
        { name: "routing/router: const a = «1»; → 2", line: 1, mutator: "Number", status: "NoCoverage" },
      ],
    });
  });

  it("takes equivalents out of the score, and names those that do not survive", () => {
    const excused = new Set([
      "routing/router: if («a > 0 && b») go(); → true",
      "routing/router: const a = «1»; → 2",
      "routing/router: const a = «7»; → 8",
    ]);
    const { score, equivalent, stale, survivors } = tally(report, excused);
    assert.deepEqual(
      { score, equivalent, stale, survivors },
      {
        ...{ score: 100, equivalent: 2, survivors: [] },
        stale: ["routing/router: const a = «7»; → 8"],
      },
    );
  });

  it("gives a room without mutants everything", () => {
    assert.equal(tally({ files: {} }, new Set())["score"], 100);
  });
});

describe("survivingLines and merged", () => {
  const before: Report = { files: { [file]: { source, mutants: [condition, number, killed] } } };

  it("name the lines on which something survived, and put in what became of it", () => {
    assert.deepEqual(survivingLines(before), [`${file}:2-3`, `${file}:1-1`]);
    const later: Report = { files: { [file]: { source, mutants: [{ ...number, status: "Killed" }] } } };
    const statuses = merged(before, later).files[file]?.mutants.map(({ status }) => status);
    assert.deepEqual(statuses, ["Survived", "Killed", "Killed"]);
    assert.deepEqual(merged(before, { files: {} }), before);
  });

  it("reject a later report of another source", () => {
    const later: Report = { files: { [file]: { source: "", mutants: [] } } };
    assert.throws(() => merged(before, later), /router\.js has changed since the last report/);
  });
});

describe("changedRooms", () => {
  it("finds the compiled files of the sources that differ, by room", () => {
    const rooms = roomsOf(["routing", "middleware/cors", "http"]);
    const names = [
      ...[
        "src/framework/routing/router.ts",
        "src/framework/routing/pattern.ts",
        "src/framework/routing/router.test.ts",
      ],
      ...[
        "src/framework/middleware/cors/cors.ts",
        "src/devtools/server/history/disk.ts",
        "src/devtools/dashboard/main.tsx",
      ],
      ...["docs/README.md", "src/framework/index.ts", ""],
    ];
    assert.deepEqual(Object.fromEntries(changedRooms(names, rooms)), {
      routing: ["src/framework/dist/routing/router.js", "src/framework/dist/routing/pattern.js"],
      "middleware/cors": ["src/framework/dist/middleware/cors/cors.js"],
      "devtools/server": ["src/devtools/dist/server/history/disk.js"],
    });
  });
});
