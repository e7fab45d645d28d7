/**
 * Stacks: frames from the text of a stack, the code around a line, and the files that are never read.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { after, describe, it } from "node:test";
import { bytesOf, ErrorInfos, withoutSecrets } from "./error-info.ts";
import { KnownSecrets } from "./secrets/known.ts";
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

/** An error with these places in its stack. */
function withStack(lines: readonly string[], message = "no"): Error {
  const error = new Error(message);
  error.stack = [`Error: ${message}`, ...lines.map((line) => `    at ${line}`)].join("\n");
  return error;
}

describe("Stacks.framesOf", () => {
  it("TRACE-047: names function, file, line and column, innermost first, and marks the application's own", () => {
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
    "a number that is none": [`f (${root}/a.js:1x:2)`, undefined],
    "a column that is none": [`f (${root}/a.js:1:x2)`, undefined],
    "a line without its file": ["f (:1:2)", undefined],
    "a folder of another system's": [
      String.raw`f (${root}/b\a.js:1:2)`,
      { name: "f", file: "b/a.js", line: 1, column: 2, own: true },
    ],
    "the root itself": [`f (${root}:1:2)`, { name: "f", file: root, line: 1, column: 2, own: false }],
    "an async function without a name": [
      `async ${root}/a.js:1:2`,
      { name: "async", file: "a.js", line: 1, column: 2, own: true },
    ],
    "an address that is no file's": [
      "f (file://elsewhere/a.js:1:2)",
      { name: "f", file: "file://elsewhere/a.js", line: 1, column: 2, own: false },
    ],
  };
  for (const [what, [text, frame]] of Object.entries(places))
    it(`reads ${what}`, () => {
      assert.deepEqual(stacks.framesOf(withStack([text])), frame === undefined ? undefined : [frame]);
    });

  it("does not take a line of a message for a frame", () => {
    const message = `no\n    at evil (${root}/src/fail.mjs:2:1)`;
    assert.deepEqual(
      stacks.framesOf(withStack([`f (${root}/a.js:1:1)`], message))?.map(({ name }) => name),
      ["f"],
    );
  });

  it("does not take a line of a message for a frame at the beginning, if the error has no name", () => {
    const message = "a\n    at evil (/e.js:1:1)";
    const error = Object.assign(new Error(message), {
      stack: `${message}\n    at f (/a.js:1:1)\n    at g (/a.js:1:1)`,
    });
    assert.deepEqual(
      stacks.framesOf(error)?.map(({ name }) => name),
      ["f", "g"],
    );
  });

  it("reads 65,536 characters of a stack at most, and nothing of an error without one", () => {
    const error = withStack(["f (/a.js:1:1)"], "x".repeat(65_536));
    assert.equal(stacks.framesOf(error), undefined);
    Reflect.deleteProperty(error, "stack");
    assert.equal(stacks.framesOf(error), undefined);
  });

  it("begins after the message if that is in its place, otherwise at the first frame", () => {
    const stack = "Error: now\n    at f (/a.js:1:1)\n    at now (/b.js:1:1)";
    for (const message of ["now", "", "other", "f (/a", 7]) {
      const error = Object.assign(new Error("x"), { stack, message });
      assert.deepEqual(
        stacks.framesOf(error)?.map(({ name }) => name),
        ["f", "now"],
        String(message),
      );
    }
  });

  it("leaves out a line of more than 1,224 characters, and one that does not begin like a frame", () => {
    const name = (chars: number): string => `${"n".repeat(chars - "at  (/a.js:1:1)".length)} (/a.js:1:1)`;
    const error = withStack([name(1_225), name(1_224)]);
    error.stack += "\n    of g (/a.js:1:1)";
    assert.equal(stacks.framesOf(error)?.length, 1);
  });

  it("runs no accessor, and reads only errors", () => {
    const error = new Error("no");
    Object.defineProperty(error, "stack", { get: () => assert.fail("was run") });
    for (const thrown of [error, { stack: `    at f (${file}:1:1)` }, "text", null, undefined])
      assert.equal(stacks.framesOf(thrown), undefined);
  });

  it("keeps 50 frames at most", () => {
    assert.equal(stacks.framesOf(withStack(Array.from({ length: 90 }, () => "f (node:fs:1:2)")))?.length, 50);
  });
});

describe("Stacks.placeOf", () => {
  it("names a file as frames do, and nothing that is not a file", () => {
    assert.deepEqual(stacks.placeOf({ file: join(root, "a.js"), line: 7 }), { file: "a.js", line: 7 });
    assert.equal(stacks.placeOf({ file: "node:fs", line: 7 }), undefined);
    assert.equal(stacks.placeOf({ file: fileURLToPath(import.meta.resolve("framework")), line: 7 }), undefined);
  });
});

describe("a file of the framework's or of devtools", () => {
  it("is not the application's own, even below the application's folder", () => {
    const above = new Stacks("/", (text) => text);
    const framework = import.meta.resolve("framework");
    const places = [import.meta.url, framework, new URL("app/app.js", framework).href, pathToFileURL(file).href];
    const owns = places.map((url) => above.framesOf(withStack([`f (${url}:1:1)`]))?.[0]?.own);
    assert.deepEqual(owns, [false, false, false, true]);
  });
});

describe("Stacks.excerptOf", () => {
  const excerpt = (place: string, of: Stacks = stacks): object | undefined =>
    of.excerptOf(of.framesOf(withStack([`f (${place})`])) ?? []);

  it("shows the lines around the first own frame, secrets hidden", () => {
    assert.deepEqual(stacks.excerptOf(stacks.framesOf(thrownBy(() => fail("no"))) ?? []), {
      file: "src/fail.mjs",
      line: 4,
      from: 1,
      lines: ["export function fail(message, cause) {", '  const password = "[redacted]";', ...code.slice(2)],
    });
  });

  it("reads only source files below the working directory, by their real path", () => {
    writeFileSync(join(outside, "secret.js"), "1");
    writeFileSync(join(root, ".env"), "A=1");
    symlinkSync(join(outside, "secret.js"), join(root, "link.js"));
    symlinkSync(outside, join(root, "folder"));
    writeFileSync(`${root}-other.js`, "1");
    symlinkSync(`${root}-other.js`, join(root, "near.js"));
    const places = [
      "link.js",
      "near.js",
      "folder/secret.js",
      ".env",
      "../secret.js",
      "missing.js",
      "node_modules/lib/i.js",
    ];
    write("node_modules/lib/i.js");
    for (const place of places) assert.equal(excerpt(`${join(root, place)}:1:1`), undefined, place);
    assert.equal(excerpt(`${root}/folder/../../secret.js:1:1`), undefined);
    assert.notEqual(excerpt(`${file}:1:1`), undefined);
  });

  it("shows nothing of a file that has changed since the process began, and no line that does not exist", () => {
    assert.equal(excerpt(`${file}:1:1`, new Stacks(root, hide, Date.now() - 60_000)), undefined);
    assert.equal(excerpt(`${file}:99:1`), undefined);
  });

  it("shows three lines before and after, up to the beginning and end of the file, each cut", () => {
    const lines = Array.from({ length: 200 }, (_, n) => `line ${n + 1}`);
    lines[99] = "x".repeat(241);
    const place = write("src/long.ts", lines);
    const shown = (line: number): unknown => {
      const found = excerpt(`${place}:${line}:1`) as { from: number; line: number; lines: string[] };
      return [found.from, found.line, ...found.lines];
    };
    const from = (first: number, last: number): string[] =>
      lines.slice(first - 1, last).map((line) => line.slice(0, 240));
    assert.deepEqual(shown(1), [1, 1, ...from(1, 4)]);
    assert.deepEqual(shown(101), [98, 101, ...from(98, 104)]);
    assert.deepEqual(shown(199), [196, 199, ...from(196, 200)]);
  });

  it("reads no file of more than 1 MiB, none that changed after the start, and each once", () => {
    const [large, small] = [write("src/large.js", ["x".repeat(1_048_576), ""]), write("src/small.js", ["1"])];
    assert.equal(excerpt(`${large}:1:1`), undefined);
    assert.notEqual(excerpt(`${write("src/most.js", ["x".repeat(1_048_576)])}:1:1`), undefined);
    const before = excerpt(`${small}:1:1`);
    writeFileSync(small, "changed");
    assert.deepEqual(excerpt(`${small}:1:1`), before);
  });

  it("keeps 40 files at most", () => {
    const own = new Stacks(root, hide, Date.now() + 60_000);
    const files = Array.from({ length: 41 }, (_, n) => write(`src/f${n}.js`, [`${n}`]));
    const linesOf = (place: string | undefined): unknown => Reflect.get(excerpt(`${place}:1:1`, own) ?? {}, "lines");
    for (const place of files.slice(0, 40)) linesOf(place);
    const [first, last] = [files[0] ?? "", files[40] ?? ""];
    writeFileSync(first, "changed");
    assert.deepEqual(linesOf(first), ["0"]);
    linesOf(last);
    assert.deepEqual(linesOf(first), ["changed"]);
  });

  it("reads only files of JavaScript and TypeScript", () => {
    const named = ["a.js", "a.cjs", "a.mts", "a.tsx", "a.json", "a.js.map", "a.txt", "ajs"];
    for (const name of named) write(`src/${name}`, ["1"]);
    const shown = named.filter((name) => excerpt(`${root}/src/${name}:1:1`) !== undefined);
    assert.deepEqual(shown, ["a.js", "a.cjs", "a.mts", "a.tsx"]);
  });

  it("hides a secret that begins above the shown lines", () => {
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
  const infos = new ErrorInfos(snapshots, stacks);

  it("follows causes, each with its own stack, five at most and none twice", () => {
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
    const all = new AggregateError([new Error("b", { cause: "d" }), "c", 1], "all", { cause: new Error("a") });
    assert.deepEqual(
      infos.of(all).causes?.map(({ message }) => message),
      ["a", "b", "c", "d"],
    );
    const round = new Error("a");
    round.cause = new Error("b", { cause: round });
    assert.deepEqual(
      infos.of(round).causes?.map(({ message }) => message),
      ["b"],
    );
  });

  it("shows only name and message of an error and its causes without stacks", () => {
    const plain = new ErrorInfos(snapshots, undefined);
    const error = plain.withExcerpts(plain.of(new Error("outer", { cause: "a text" })));
    assert.deepEqual(error, { name: "Error", message: "outer", causes: [{ name: "string", message: "a text" }] });
  });

  it("keeps name and message if a stack cannot be read, and opens no files unasked", () => {
    const broken = { framesOf: () => assert.fail("no"), excerptOf: () => assert.fail("no") } as unknown as Stacks;
    const failing = new ErrorInfos(snapshots, broken);
    assert.deepEqual(failing.of(new Error("no")), { name: "Error", message: "no" });
    const shown = { name: "Error", message: "no" };
    assert.equal(failing.withExcerpts(shown), shown);
    const stack = [{ name: "f", file: "a.js", line: 1, column: 1, own: true }];
    assert.deepEqual(failing.withExcerpts({ ...shown, stack }), { ...shown, stack });
    assert.deepEqual(failing.withExcerpts({ ...shown, causes: [{ ...shown, stack }] }), {
      ...shown,
      causes: [{ ...shown, stack }],
    });
  });

  it("adds the code of a cause if the error itself has no stack, and no empty members", () => {
    const own = thrownBy(() => fail("no"));
    const shown = infos.withExcerpts(infos.of(own));
    assert.deepEqual([shown.excerpt?.line, "causes" in shown], [4, false]);
    const text = infos.withExcerpts(infos.of(Object.assign(Object.create(null) as object, { cause: own })));
    assert.deepEqual([text.stack, text.causes?.[0]?.excerpt?.line], [undefined, 4]);
  });

  it("follows causes of errors and texts only, and none of a proxy", () => {
    const trap = (): never => assert.fail("a trap ran");
    const proxy = new Proxy(new Error("no"), { get: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap });
    for (const thrown of ["text", 7, null, undefined, proxy, { cause: { a: 1 } }, { cause: 7 }])
      assert.equal("causes" in infos.of(thrown), false, typeof thrown);
  });
});

describe("withoutSecrets", () => {
  it("TRACE-041: hides known secrets in messages, code and fields of an error and its causes", () => {
    const secrets = new KnownSecrets();
    secrets.add("hunter2-x");
    const stack = [{ name: "hunter2-x", file: "a.js", line: 1, column: 1, own: true }];
    const errorWith = (text: string): Parameters<typeof bytesOf>[0] => ({
      name: "Error",
      message: text,
      stack,
      excerpt: { file: "a.js", line: 1, from: 1, lines: [text] },
      causes: [{ name: "Error", message: text }],
      fields: { at: text },
    });
    assert.deepEqual(withoutSecrets(errorWith("is hunter2-x"), secrets), errorWith("is [redacted]"));
    assert.deepEqual(withoutSecrets({ name: "Error", message: "hunter2-x" }, secrets), {
      name: "Error",
      message: "[redacted]",
    });
  });
});

describe("bytesOf", () => {
  it("counts two bytes a character, 160 a frame, the code around the line, and the same for causes", () => {
    const frame = { name: "f", file: "a.js", line: 1, column: 1, own: true };
    assert.equal(bytesOf({ name: "Error", message: "no" }), 2 * 7);
    const stack = [frame, frame, frame];
    assert.equal(bytesOf({ name: "Error", message: "no", stack }), 2 * 7 + 3 * 160 + 2_048);
    const causes = [
      { name: "E", message: "abc", stack: [frame] },
      { name: "E", message: "" },
    ];
    assert.equal(bytesOf({ name: "Error", message: "no", causes }), 2 * 7 + (2 * 4 + 160 + 2_048) + 2);
  });
});
