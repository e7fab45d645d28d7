/**
 * A run as a test: what of it is repeated, what is said instead, and that nothing in it can be code.
 *
 * Spec: spec/replay.md (REPLAY)
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Trace } from "../../index.ts";
import { testFile, testFileName, whyNoTest } from "./test-file.ts";

const run: Trace = {
  ...{ instance: "a", id: "a", sequence: 1, correlationId: null, method: "GET", path: "/tasks", route: "/tasks" },
  ...{ status: 200, startedAt: 0, durationUs: 1, aborted: false, calls: [], droppedCalls: 0, leaves: [] },
  ...{ droppedLeaves: 0, error: null },
  request: { pathParams: {}, query: {}, headers: {}, body: null },
  response: { headers: { "content-type": ["application/json"] }, body: { id: 1 }, bytes: 8 },
};
const json = { "content-type": ["application/json; charset=utf-8"] };
const asking = (request: Partial<Trace["request"]>, more: Partial<Trace> = {}): Trace => ({
  ...run,
  ...more,
  request: { ...run.request, ...request },
});
const responding = (response: Partial<Trace["response"]>): Trace => ({
  ...run,
  response: { ...run.response, ...response },
});
/** The line that compares the body. */
const compared = (trace: Trace): string =>
  /status, \d+\);\n([^]*?)\n {2}\}/.exec(testFile(trace, ["A"], null))?.[1] ?? "";

describe("testFile", () => {
  it("repeats method, target, headers that were asked with, and the body", () => {
    const headers = {
      ...json,
      host: ["a:1"],
      "user-agent": ["b"],
      "x-tenant": ["one", "two"],
      "sec-fetch-site": ["none"],
    };
    const trace = asking(
      { query: { "a b": ["1", "&"] }, headers, body: { $$id: 1, list: [null] } },
      { method: "POST" },
    );
    const file = testFile(trace, ["A"], null);
    assert.match(file, /new Request\("http:\/\/localhost\/tasks\?a%20b=1&a%20b=%26", \{/);
    const init = /new Request\("[^"]+", (\{[^]*?\n {4}\})\)\)?;/.exec(file)?.[1] ?? "";
    assert.deepEqual(JSON.parse(init), {
      method: "POST",
      headers: [
        ["content-type", "application/json; charset=utf-8"],
        ["x-tenant", "one"],
        ["x-tenant", "two"],
      ],
      body: '{"$id":1,"list":[null]}',
    });
  });

  it("compares the body as it was sent, and says where it cannot", () => {
    const text = { "content-type": ["text/plain"] };
    assert.deepEqual(
      [
        run,
        responding({ headers: text, body: "hello" }),
        responding({ headers: {}, body: null }),
        responding({ body: { token: "[redacted]" } }),
        responding({ headers: text, body: { $string: "x", $truncated: 3 } }),
        { ...run, method: "HEAD" },
      ].map(compared),
      [
        '    assert.deepEqual(await response.json(), {\n      "id": 1\n    });',
        '    assert.equal(await response.text(), "hello");',
        '    assert.equal(await response.text(), "");',
        "    // the body.token is redacted, so it is not compared.",
        "    // the body is cut, so it is not compared.",
        '    assert.equal(await response.text(), "");',
      ],
    );
  });

  it("lets nothing of a run become code, nor end a comment", () => {
    const path = "/tasks/*/alert(1)//`${x}`";
    const body = JSON.parse(
      '{"__proto__":{"a":1},"b":"\\"__proto__\\":","c":"*/ \\u2028"}',
    ) as Trace["response"]["body"];
    const file = testFile({ ...responding({ body }), path }, ["*/ B\n"], "*/12345678901");
    const [, comment = ""] = /^\/\*\*([^]*?)\n \*\/\n/.exec(file) ?? [];
    assert.deepEqual([comment.includes("*/"), comment.split("\n").length], [false, 4]);
    const given = /response\.json\(\), (\{[^]*?\n {4}\})\);/.exec(file)?.[1] ?? "";
    assert.match(given, /\["__proto__"\]: \{/);
    // eslint-disable-next-line typescript/no-implied-eval -- it is what is tested: the literal, read as code
    const read = new Function(`return ${given}`)() as object;
    assert.deepEqual(Object.keys(read), ["__proto__", "b", "c"]);
    assert.match(file, /it\("GET \/tasks\/\*\/alert\(1\)\/\/`\$\{x\}` responds with 200"/);
  });

  it("says which headers were redacted, and leaves them out", () => {
    const headers = { authorization: ["[redacted]"], accept: ["*/*"] };
    const file = testFile(asking({ headers }), ["A"], "abc");
    assert.match(file, /\n \* The header authorization of the request was redacted: it is not sent\.\n \*\/\n/);
    assert.match(file, /, at commit abc\. Saved by devtools\.\n/);
    assert.equal(file.includes('"authorization"'), false);
  });
});

describe("testFileName", () => {
  it("is of method, route and status", () => {
    const odd = { ...run, method: "DELETE", route: "/a/{id}/*rest", status: 204 };
    assert.deepEqual([testFileName(run), testFileName(odd)], ["get-tasks-200.test.ts", "delete-a-id-rest-204.test.ts"]);
  });
});

describe("whyNoTest", () => {
  const cannot: Readonly<Record<string, Trace>> = {
    "it is no request: nobody can send it again": { ...run, kind: "background" },
    "its client left before the response was over": { ...run, aborted: true },
    "its connection has left HTTP": { ...run, status: 101 },
    "its request has a body, which a Request of the method GET cannot have": asking({ headers: json, body: [1] }),
    "its path is redacted or cut": { ...run, path: "/reset/[redacted]" },
    "its query parameter key is redacted or cut": asking({ query: { key: ["a", "[redacted]"] } }),
    "its request's body is redacted, cut or of a type that is not kept whole": asking({ body: { $bytes: 4 } }),
  };
  for (const [why, trace] of Object.entries(cannot)) it(`says: ${why}`, () => assert.equal(whyNoTest(trace), why));

  it("knows bodies that can be sent again", () => {
    const form = { "content-type": ["multipart/form-data; boundary=x"] };
    const urlencoded = { "content-type": ["application/x-www-form-urlencoded"] };
    const bodies = [
      asking({ headers: json, body: [1] }),
      asking({ headers: urlencoded, body: "a=1" }),
      asking({ headers: json, body: "{not json" }),
      asking({ headers: form, body: { a: "1" } }),
      asking({ headers: form, body: "--x" }),
    ];
    assert.deepEqual(
      bodies.map((trace) => whyNoTest({ ...trace, method: "POST" }) === undefined),
      [true, true, false, false, false],
    );
  });
});
