/**
 * A run as a test: what it repeats, what it notes instead, and that none of it can become code.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Trace } from "../../index.ts";
import { testFile, testFileName, whyNoTest } from "./test-file.ts";

const run: Trace = {
  instance: "a",
  id: "a",
  sequence: 1,
  correlationId: null,
  method: "GET",
  path: "/tasks",
  route: "/tasks",
  status: 200,
  startedAt: 0,
  durationUs: 1,
  aborted: false,
  calls: [],
  droppedCalls: 0,
  leaves: [],
  droppedLeaves: 0,
  error: null,
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
  it("repeats method, target, headers of the request, and the body", () => {
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

  it("compares the body as sent, and says when it cannot", () => {
    const text = { "content-type": ["text/plain"] };
    assert.deepEqual(
      [
        run,
        responding({ headers: text, body: "hello" }),
        responding({ headers: {}, body: null }),
        responding({ body: { token: "[redacted]" } }),
        responding({ headers: text, body: { $string: "x", $truncated: 3 } }),
        responding({ body: null }),
        responding({ body: "a" }),
        responding({ headers: text, body: [{ $$id: 1 }] }),
        { ...run, method: "HEAD" },
      ].map(compared),
      [
        '    assert.deepEqual(await response.json(), {\n      "id": 1\n    });',
        '    assert.equal(await response.text(), "hello");',
        '    assert.equal(await response.text(), "");',
        "    // the body.token is redacted, so it is not compared.",
        "    // the body is cut, so it is not compared.",
        "    assert.deepEqual(await response.json(), null);",
        '    assert.deepEqual(await response.json(), "a");',
        '    assert.deepEqual(await response.json(), [\n      {\n        "$id": 1\n      }\n    ]);',
        '    assert.equal(await response.text(), "");',
      ],
    );
  });

  it("does not let a run's values become code or end a comment", () => {
    const path = "/tasks/*/alert(1)//`${x}`";
    const body = JSON.parse(
      '{"__proto__":{"a":1},"b":"\\"__proto__\\":","c":"*/ \\u2028"}',
    ) as Trace["response"]["body"];
    const file = testFile({ ...responding({ body }), path }, ["*/ B\n"], "*/12345678901");
    const [, comment = ""] = /^\/\*\*([^]*?)\n \*\/\n/.exec(file) ?? [];
    assert.deepEqual([comment.includes("*/"), comment.split("\n").length], [false, 4]);
    assert.match(comment, / \* \* \/ B\?: what was recorded\./);
    const given = /response\.json\(\), (\{[^]*?\n {4}\})\);/.exec(file)?.[1] ?? "";
    assert.match(given, /\["__proto__"\]: \{/);
    // eslint-disable-next-line typescript/no-implied-eval -- it is what is tested: the literal, read as code
    const read = new Function(`return ${given}`)() as object;
    assert.deepEqual(Object.keys(read), ["__proto__", "b", "c"]);
    assert.match(file, /it\("GET \/tasks\/\*\/alert\(1\)\/\/`\$\{x\}` responds with 200"/);
  });

  it("names the redacted headers, and leaves them out", () => {
    const headers = { authorization: ["[redacted]"], accept: ["*/*"] };
    const file = testFile(asking({ headers }), ["A"], "abc");
    assert.match(file, /\n \* The header authorization of the request was redacted: it is not sent\.\n \*\/\n/);
    assert.match(file, /, at commit abc\. Saved by devtools\.\n/);
    assert.equal(file.includes('"authorization"'), false);
  });
});

describe("testFile, complete", () => {
  it("is a complete file, with the recordings of only the chosen beans", () => {
    const call: Trace["calls"][number] = {
      id: 0,
      parentId: null,
      depth: 0,
      bean: "A",
      declaredBy: "A",
      stereotype: "bean",
      method: "read",
      args: [1],
      result: 7,
      error: null,
      startUs: 2,
      durationUs: 3,
      async: true,
    };
    const trace: Trace = {
      ...run,
      method: "DELETE",
      path: "http://user@host:1/a",
      status: 204,
      startedAt: 0,
      calls: [call, { ...call, id: 1, bean: "B" }, { ...call, id: 2, bean: "C" }],
      response: { headers: {}, body: null, bytes: 0 },
    };
    const recorded = [
      "const recorded = recordedBeans({",
      '  "beans": [',
      '    "A",',
      '    "C"',
      "  ],",
      '  "calls": [',
      ...["A", "C"].flatMap((bean, at) => [
        "    {",
        `      "bean": "${bean}",`,
        '      "method": "read",',
        '      "args": [',
        "        1",
        "      ],",
        '      "result": 7,',
        '      "error": null,',
        '      "async": true,',
        '      "endUs": 5',
        at === 0 ? "    }," : "    }",
      ]),
      "  ]",
      "});",
    ];
    assert.deepEqual(testFile(trace, ["A", "C"], "1234567890abc").split("\n"), [
      "/**",
      " * DELETE http://user@host:1/a as it ran on 1970-01-01T00:00:00.000Z, at commit 1234567890. Saved by devtools.",
      " *",
      " * A, C: what was recorded. All other code runs. What was not recorded fails the test.",
      " */",
      'import assert from "node:assert/strict";',
      'import { it } from "node:test";',
      'import { recordedBeans } from "@framework/devtools/replay";',
      'import { createApp } from "./app.ts";',
      "",
      ...recorded,
      "",
      'it("DELETE http://user@host:1/a responds with 204", async () => {',
      "  const { app, beans } = await createApp({ decorator: recorded.decorator });",
      "  try {",
      '    const response = await app.fetch(new Request("http://localhost/a", {',
      '      "method": "DELETE"',
      "    }));",
      "    recorded.check();",
      "    assert.equal(response.status, 204);",
      '    assert.equal(await response.text(), "");',
      "  } finally {",
      "    await app.stop();",
      "    await beans.close();",
      "  }",
      "});",
      "",
    ]);
  });

  it("leaves out headers of the connection, of the client and of devtools, but not similar ones", () => {
    const left =
      "host connection content-length transfer-encoding keep-alive upgrade upgrade-insecure-requests te expect user-agent " +
      "accept-encoding accept-language sec-fetch-mode referer origin cache-control pragma dnt priority x-framework-replay";
    const sent = "accept x-host hosts etag te-x x-origin origins accept-charset x-sec-a cookie";
    const names = `${left} ${sent}`.split(" ");
    const headers = Object.fromEntries(names.map((name) => [name, ["v"]]));
    const file = testFile(asking({ headers }), ["A"], null);
    const found = [...file.matchAll(/^ {10}"(.+)",$/gm)].map(([, name]) => name);
    assert.deepEqual(found, sent.split(" "));
    const cut = testFile(
      asking({ headers: { host: ["[redacted]"], accept: ["a", "a… 9 more"], cookie: ["[redacted]"] } }),
      ["A"],
      null,
    );
    assert.match(
      cut,
      /the test\.\n( \* The header (accept|cookie) of the request was redacted: it is not sent\.\n){2} \*\/\n/,
    );
    assert.match(cut, /^ \* GET \/tasks as it ran on 1970-01-01T00:00:00\.000Z\. Saved by devtools\.$/m);
    assert.equal(cut.includes('"headers"'), false);
  });

  it("sends the path as requested, and a body of a text type unchanged", () => {
    const request = (trace: Trace): string =>
      /app\.fetch\((new Request\([^]*?\))\);/.exec(testFile(trace, ["A"], null))?.[1] ?? "";
    const url = (path: string): string => /"(.*?)"/.exec(request({ ...run, path }))?.[1] ?? "";
    assert.deepEqual(["/a/http://b", "HTTPS://b.c/d", "web+x.y-1://b/d", "1http://b/d", "http:///d"].map(url), [
      "http://localhost/a/http://b",
      "http://localhost/d",
      "http://localhost/d",
      "http://localhost1http://b/d",
      "http://localhost/d",
    ]);
    const text = asking({ headers: { "content-type": ["text/plain"] }, body: "a\nb" }, { method: "POST" });
    assert.match(request(text), /\n {6}"body": "a\\nb"\n {4}\}\)$/);
    assert.equal(request(asking({ body: null })).includes("body"), false);
  });
});

describe("testFileName", () => {
  it("is of method, route and status", () => {
    const odd = { ...run, method: "DELETE", route: "/a/{id}/*rest", status: 204 };
    assert.deepEqual([testFileName(run), testFileName(odd)], ["get-tasks-200.test.ts", "delete-a-id-rest-204.test.ts"]);
    const long = { ...run, route: null, path: `/${"A".repeat(90)}` };
    assert.equal(testFileName(long), `get-${"a".repeat(76)}.test.ts`);
  });
});

describe("whyNoTest", () => {
  const cannot: Readonly<Record<string, Trace>> = {
    "it is no request: nobody can send it again": { ...run, kind: "background" },
    "its client left before the response was over": { ...run, aborted: true },
    "its connection has left HTTP": { ...run, status: 101 },
    "its request has a body, which a Request of the method GET cannot have": asking({ headers: json, body: [1] }),
    "its path is redacted or cut": { ...run, path: "/reset/[redacted]" },
    "its query parameter b is redacted or cut": asking({ query: { a: ["x"], b: ["y… 12 more", "z"] } }),
    "its query parameter key is redacted or cut": asking({ query: { key: ["a", "[redacted]"] } }),
    "its body is redacted, cut or of a type that is not kept whole": asking({ body: { $bytes: 4 } }),
  };
  for (const [why, trace] of Object.entries(cannot)) it(`says: ${why}`, () => assert.equal(whyNoTest(trace), why));

  const whole: Readonly<Record<string, Trace>> = {
    "a request without a body": run,
    "a path that only speaks of more": asking({ query: { a: ["1… 3 more, or less"] } }, { path: "/a… 3 more/b" }),
    "a HEAD": { ...run, method: "HEAD" },
    "an empty text": asking({ headers: { "content-type": ["text/plain"] }, body: "" }),
  };
  for (const [what, trace] of Object.entries(whole))
    it(`says nothing about ${what}`, () => assert.equal(whyNoTest(trace), undefined));

  it("says that a path is cut, and that a HEAD has no body", () => {
    assert.equal(whyNoTest({ ...run, path: "/a… 12 more" }), "its path is redacted or cut");
    assert.equal(
      whyNoTest(asking({ headers: json, body: [1] }, { method: "HEAD" })),
      "its request has a body, which a Request of the method HEAD cannot have",
    );
  });

  it("recognises JSON by its type, with a suffix or parameters", () => {
    const types = ["application/json", " APPLICATION/JSON ;a=b", "application/vnd.a+json", "application/json ; b"];
    const others = [
      "application/jsonp",
      "text/application/json",
      "application/a;+json",
      "application/xjson",
      "text/json",
      "",
    ];
    const isSent = (type: string): boolean =>
      whyNoTest(
        asking({ headers: type === "" ? {} : { "content-type": [type] }, body: { a: 1 } }, { method: "POST" }),
      ) === undefined;
    assert.deepEqual(types.map(isSent), [true, true, true, true]);
    assert.deepEqual(others.map(isSent), Array(6).fill(false));
  });

  it("recognises bodies that can be sent again", () => {
    const form = { "content-type": ["multipart/form-data; boundary=x"] };
    const urlencoded = { "content-type": ["application/x-www-form-urlencoded"] };
    const bodies = [
      asking({ headers: json, body: [1] }),
      asking({ headers: urlencoded, body: "a=1" }),
      asking({ headers: json, body: "{not json" }),
      asking({ headers: form, body: { a: "1" } }),
      asking({ headers: form, body: "--x" }),
      asking({ headers: { "content-type": ["x-multipart/form"] }, body: "--x" }),
      asking({ headers: { "content-type": ["Multipart/mixed"] }, body: "--x" }),
      asking({ headers: {}, body: "text" }),
      asking({ headers: json, body: { a: "[redacted]" } }),
    ];
    assert.deepEqual(
      bodies.map((trace) => whyNoTest({ ...trace, method: "POST" }) === undefined),
      [true, true, false, false, false, true, false, true, false],
    );
  });
});
