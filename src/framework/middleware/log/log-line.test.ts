import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type AccessLogLine, isoTime, jsonLine, quoted, textLine } from "./log-line.ts";

const plain: AccessLogLine = {
  time: "2026-11-21T10:00:00.000Z",
  method: "GET",
  path: "/users/42",
  route: "/users/{id}",
  status: 200,
  durationUs: 431,
  bytes: 12,
  remoteAddress: "127.0.0.1",
};
const full: AccessLogLine = { ...plain, requestId: "r", traceId: "t", spanId: "s", userAgent: "u", aborted: true };
const awkward = fc.constantFrom(" ", '"', "\\", "\n", "\u001b", "\u0085", "\u2028", "~", "\u007f");
const anyText = fc.string({
  unit: fc.oneof(awkward, fc.string({ unit: "binary", minLength: 1, maxLength: 1 })),
  maxLength: 40,
});

describe("jsonLine", () => {
  test("writes the members in their order, without unknown ones", () => {
    assert.equal(
      jsonLine(plain),
      '{"time":"2026-11-21T10:00:00.000Z","method":"GET","path":"/users/42","route":"/users/{id}","status":200,' +
        '"durationUs":431,"bytes":12,"remoteAddress":"127.0.0.1"}',
    );
  });

  test("writes every known member", () => {
    assert.deepEqual(JSON.parse(jsonLine(full)), full);
    assert.deepEqual(JSON.parse(jsonLine({ ...full, route: null, remoteAddress: null })), {
      ...full,
      route: null,
      remoteAddress: null,
    });
  });

  test("is one line of printable ASCII that parses back to the record, for any fields", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, anyText, (path, requestId, userAgent, route) => {
        const record = { ...full, path, requestId, userAgent, route };
        const line = jsonLine(record);
        assert.match(line, /^[ -~]+$/);
        assert.deepEqual(JSON.parse(line), record);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    );
  });
});

describe("textLine", () => {
  test("writes method, path, status and duration", () => assert.equal(textLine(plain), "GET /users/42 200 431us"));
  test("writes a dash for an unknown path", () => {
    assert.equal(textLine({ ...plain, method: "_OTHER", path: "", status: 400 }), "_OTHER - 400 431us");
  });

  test("has four fields of printable ASCII with a recoverable path, for any path", () => {
    fc.assert(
      fc.property(
        anyText.filter((path) => path !== ""),
        (path) => {
          const fields = textLine({ ...plain, path }).split(" ");
          assert.equal(fields.length, 4);
          assert.match(fields[1] ?? "", /^[!-~]+$/);
          assert.equal(JSON.parse(`"${fields[1]}"`), path);
        },
      ),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    );
  });
});

describe("quoted", () => {
  for (const [name, [raw, written]] of Object.entries({
    "a line feed": ["a\nb", '"a\\nb"'],
    "a terminal escape": ["\x1b[2J", '"\\u001b[2J"'],
    "DEL and C1 controls": ["\x7f\x85\x9b", '"\\u007f\\u0085\\u009b"'],
    "line separators": ["\u2028\u2029", '"\\u2028\\u2029"'],
    "text direction overrides": ["\u202e", '"\\u202e"'],
    "quotes and backslashes": ['"\\', '"\\"\\\\"'],
    "a character outside the first plane": ["😀", '"\\ud83d\\ude00"'],
    "a quote alone": ['"', '"\\""'],
    "a backslash alone": ["\\", '"\\\\"'],
    "a long text of nothing else": ["\x1b".repeat(17), `"${"\\u001b".repeat(17)}"`],
    "half a character": ["\ud83d", '"\\ud83d"'],
  } satisfies Record<string, [string, string]>)) {
    test(`escapes ${name}`, () => assert.equal(quoted(raw), written));
  }
});

describe("isoTime", () => {
  test("follows the clock, forwards and backwards", () => {
    const times = [0, 0, 1, 86_400_000, 1].map(isoTime);
    assert.deepEqual(times, [
      "1970-01-01T00:00:00.000Z",
      "1970-01-01T00:00:00.000Z",
      "1970-01-01T00:00:00.001Z",
      "1970-01-02T00:00:00.000Z",
      "1970-01-01T00:00:00.001Z",
    ]);
  });
});
