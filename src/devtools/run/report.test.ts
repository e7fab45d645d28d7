/** runReport: a failed run as the text of an issue, and texts that try to leave their place. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runReport } from "./report.ts";
import { callOf, logOf, sqlOf, traceOf } from "./traces.testkit.ts";

const stack = [
  { name: "SqlRepo.find", file: "src/repo.ts", line: 7, column: 11, own: true },
  { name: "run", file: "node:internal", line: 1, column: 1, own: false },
];
const excerpt = { file: "src/repo.ts", line: 7, from: 6, lines: ["const rows = read();", "throw new RangeError();"] };
const error = { name: "RangeError", message: "no row", stack, excerpt, causes: [{ name: "Error", message: "closed" }] };

const failed = traceOf(
  [
    callOf(0, null, "Web", {
      method: "show",
      args: ["7"],
      error: { name: "RangeError", message: "no row" },
      durationUs: 90,
    }),
    callOf(1, 0, "Repo", { method: "find", args: ["7", { deep: "x".repeat(80) }], error, durationUs: 30 }),
  ],
  {
    method: "POST",
    status: 500,
    startedAt: 1_700_000_000_000,
    error,
    droppedCalls: 2,
    leaves: [sqlOf(0, 1, "select *\n from t where id = $1"), logOf(1, 0, "asked")],
    request: {
      pathParams: { id: "1" },
      query: { q: ["it's", "b"] },
      headers: { host: ["shop.test:8080"], accept: ["*/*"], "x-odd": ["a"], authorization: ["[redacted]"] },
      body: { name: "ada", password: "[redacted]" },
    },
    contractIssues: [{ pointer: "/price", message: "must be a number" }],
  },
);

const whole = `## \`POST /x/1\` → 500 in 100 µs

- Route: \`POST /x/{id}\`
- 2 calls · 1 SQL 2 µs · 1 log line
- Started 2023-11-14T22:13:20.000Z, run \`i1.1\`
- Not recorded: 2 calls, 0 operations below them

### Error

\`\`\`text
RangeError: no row
    at SqlRepo.find (src/repo.ts:7:11)
\`\`\`

\`src/repo.ts\`

\`\`\`ts
     6 | const rows = read();
>    7 | throw new RangeError();
\`\`\`

Caused by

\`\`\`text
Error: closed
\`\`\`

### The response breaks its contract

\`\`\`text
/price: must be a number
\`\`\`

### Path

\`\`\`text
    total      self
    90 µs     60 µs * Web.show("7") ✗ failed with RangeError: no row
    30 µs     30 µs * ├─ Repo.find("7", {"deep":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…) ✗ threw RangeError: no row
     2 µs             │  └─ sql select * from t where id = $1 [0] → 1 row
                      └─ log asked → info
\`\`\`

### Request

\`\`\`sh
curl --globoff 'http://shop.test:8080/x/1?q=it%27s&q=b' \\
  --request 'POST' \\
  --header 'x-odd: a' \\
  --header 'authorization: [redacted]' \\
  --data-raw '{"name":"ada","password":"[redacted]"}'
\`\`\`
`;

describe("runReport", () => {
  it("has path, times, error, code and a cURL command of a failed run", () => {
    assert.equal(runReport(failed), whole);
  });

  it("keeps each text in its place, whatever it contains", () => {
    const report = runReport(
      traceOf([callOf(0, null, "A", { args: ["```\n# head"], error: { name: "E", message: "`````" } })], {
        path: "/`a`\n# b",
        route: null,
        kind: "background",
        method: "RUN",
        error: { name: "E", message: "```\n<script>" },
      }),
    );
    assert.match(report, /^## ``RUN \/`a` # b`` → ok in 100 µs\n\n- No route\n/);
    assert.match(report, /\n````text\nE: ```\n<script>\n````\n/);
    assert.match(report, /\n``````text\n[^]*✗ threw E: `````\n``````\n$/);
  });

  it("says how long a path goes on", () => {
    const calls = Array.from({ length: 205 }, (_, id) => callOf(id, null, "A"));
    assert.match(runReport(traceOf(calls)), /\n… 5 more\n```\n/);
    assert.match(runReport(traceOf([])), /\nno bean was called\n/);
  });
});
