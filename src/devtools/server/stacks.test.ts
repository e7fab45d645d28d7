/**
 * Stacks: frames from the text of a stack, the code around a line, and which files are never read.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { ErrorInfos } from "./error-info.ts";
import { createRedactor, noRedaction } from "./redact.ts";
import { Snapshotter } from "./snapshot.ts";
import { Stacks } from "./stacks.ts";

const outside = mkdtempSync(join(tmpdir(), "stacks-"));
const root = join(outside, "app");
after(() => rmSync(outside, { recursive: true, force: true }));
mkdirSync(join(root, "src"), { recursive: true });
mkdirSync(join(root, "node_modules", "lib"), { recursive: true });

const code = [
  "export function fail(message, cause) {",
  '  const password = "hunter2-hunter2";',
  "  // the line that throws",
  "  throw new RangeError(message, { cause });",
  "}",
];
const write = (name: string, lines: readonly string[] = code): string => {
  writeFileSync(join(root, name), lines.join("\n"));
  return join(root, name);
};
const file = write("src/fail.mjs");
const { fail } = (await import(pathToFileURL(file).href)) as { fail: (message: string, cause?: unknown) => never };

const redactor = createRedactor({});
const hide = (text: string, limit: number): string => redactor.text(text, limit);
const stacks = new Stacks(root, hide, Date.now() + 60_000);

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return assert.fail("nothing was thrown");
}

/** An error whose stack has these places. */
function withStack(lines: readonly string[], message = "no"): Error {
  const error = new Error(message);
  error.stack = [`Error: ${message}`, ...lines.map((line) => `    at ${line}`)].join("\n");
  return error;
}

describe("Stacks.framesOf", () => {
  it("TRACE-047: names function, file, line and column, innermost first, and knows the application's own", () => {
    const [first, ...others] = stacks.framesOf(thrownBy(() => fail("no"))) ?? [];
    assert.deepEqual(first, { name: "fail", file: "src/fail.mjs", line: 4, column: 9, own: true });
    assert.ok(others.length > 0 && others.every(({ own }) => !own));
  });

  const places: Readonly<Record<string, readonly [text: string, frame: object | undefined]>> = {
    "an async method": [
      `async Orders.place (file://${join(root, "a b.ts").replace(" ", "%20")}:12:7)`,
      { name: "async Orders.place", file: "a b.ts", line: 12, column: 7, own: true },
    ],
    "a file without a function": [
      `${root}/x (1).js:1:2`,
      { name: "", file: "x (1).js", line: 1, column: 2, own: true },
    ],
    "Node's own": ["f (node:fs:1:2)", { name: "f", file: "node:fs", line: 1, column: 2, own: false }],
    "a package's": [
      `f (${root}/node_modules/lib/i.js:1:2)`,
      { name: "f", file: "node_modules/lib/i.js", line: 1, column: 2, own: false },
    ],
    "a file elsewhere": [
      `f (${root}-other/i.js:1:2)`,
      { name: "f", file: `${root}-other/i.js`, line: 1, column: 2, own: false },
    ],
    "no place": ["Promise.all (index 0)", undefined],
    "no number": ["f (a:b:c)", undefined],
  };
  for (const [what, [text, frame]] of Object.entries(places))
    it(`reads ${what}`, () => {
      assert.deepEqual(stacks.framesOf(withStack([text])), frame === undefined ? undefined : [frame]);
    });

  it("TRACE-048: takes no line of a message for a frame", () => {
    const message = `no\n    at evil (${root}/src/fail.mjs:2:1)`;
    assert.deepEqual(
      stacks.framesOf(withStack([`f (${root}/a.js:1:1)`], message))?.map(({ name }) => name),
      ["f"],
    );
  });

  it("runs no accessor, and reads nothing that is no error", () => {
    const error = new Error("no");
    Object.defineProperty(error, "stack", { get: () => assert.fail("was run") });
    for (const thrown of [error, { stack: `    at f (${file}:1:1)` }, "text", null, undefined])
      assert.equal(stacks.framesOf(thrown), undefined);
  });

  it("keeps 50 frames at most", () => {
    assert.equal(stacks.framesOf(withStack(Array.from({ length: 90 }, () => "f (node:fs:1:2)")))?.length, 50);
  });
});

describe("Stacks.excerptOf", () => {
  const excerpt = (place: string, of: Stacks = stacks): object | undefined =>
    of.excerptOf(of.framesOf(withStack([`f (${place})`])) ?? []);

  it("TRACE-049: shows the lines around the first own frame, secrets hidden", () => {
    assert.deepEqual(stacks.excerptOf(stacks.framesOf(thrownBy(() => fail("no"))) ?? []), {
      file: "src/fail.mjs",
      line: 4,
      from: 1,
      lines: ["export function fail(message, cause) {", '  const password = "[redacted]";', ...code.slice(2)],
    });
  });

  it("TRACE-119: reads only source files below the working directory, by their real path", () => {
    writeFileSync(join(outside, "secret.js"), "1");
    writeFileSync(join(root, ".env"), "A=1");
    symlinkSync(join(outside, "secret.js"), join(root, "link.js"));
    symlinkSync(outside, join(root, "folder"));
    const places = ["link.js", "folder/secret.js", ".env", "../secret.js", "missing.js", "node_modules/lib/i.js"];
    write("node_modules/lib/i.js");
    for (const place of places) assert.equal(excerpt(`${join(root, place)}:1:1`), undefined, place);
    assert.equal(excerpt(`${root}/folder/../../secret.js:1:1`), undefined);
    assert.notEqual(excerpt(`${file}:1:1`), undefined);
  });

  it("TRACE-119: shows nothing of a file that has changed since the process began, and no line that is not there", () => {
    assert.equal(excerpt(`${file}:1:1`, new Stacks(root, hide, Date.now() - 60_000)), undefined);
    assert.equal(excerpt(`${file}:99:1`), undefined);
  });

  it("hides a secret that begins above the lines shown", () => {
    const key = [
      "-----BEGIN PRIVATE KEY-----",
      ...Array.from({ length: 30 }, () => "QUJD"),
      "-----END PRIVATE KEY-----",
    ];
    const place = write("key.js", ["const key = `", ...key, "`;"]);
    assert.equal(excerpt(`${place}:20:1`), undefined);
  });
});

describe("ErrorInfos", () => {
  const snapshots = new Snapshotter({
    limits: { stringChars: 1_000, depth: 8, items: 100, nodes: 1_000, snapshotBytes: 10_000 },
    redactor: noRedaction,
    forms: new Map(),
    nameOf: () => undefined,
    quietly: (run) => run(),
  });
  const infos = new ErrorInfos(() => snapshots, stacks);

  it("TRACE-050: follows causes, each with its own stack, five at most and none twice", () => {
    const inner = thrownBy(() => fail("inner"));
    const outer = infos.withExcerpts(infos.of(new Error("outer", { cause: inner })));
    assert.deepEqual(
      outer.causes?.map(({ name, message, stack, excerpt }) => [name, message, stack?.[0]?.line, excerpt?.line]),
      [["RangeError", "inner", 4, 4]],
    );
    const long = Array.from({ length: 9 }).reduce<Error>(
      (cause, _, i) => new Error(String(i), { cause }),
      new Error("x"),
    );
    assert.equal(infos.of(long).causes?.length, 5);
    const round = new Error("a");
    round.cause = new Error("b", { cause: round });
    assert.deepEqual(
      infos.of(round).causes?.map(({ message }) => message),
      ["b"],
    );
  });

  it("TRACE-051: without stacks an error is name and message, and its causes are", () => {
    const plain = new ErrorInfos(() => snapshots, undefined);
    const error = plain.withExcerpts(plain.of(new Error("outer", { cause: "a text" })));
    assert.deepEqual(error, { name: "Error", message: "outer", causes: [{ name: "string", message: "a text" }] });
  });
});
