/**
 * The vectors are a document of their shape, and the runner in Python finds of them what this one finds. That they hold, and
 * fail where their clause is broken, the self-test shows: they are cases.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as sendRequest, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { profileNames } from "../../spec/subject.ts";
import { HttpResponse, type HeaderLines } from "../kit/response.ts";
import { applies, ask, runOne } from "../kit/run.ts";
import { misfit } from "../kit/shape.ts";
import { subjectsOfAllProfiles, type RunningSubjects } from "../subjects.ts";
import { vectorCases, vectorsDocument } from "./index.ts";
import { misfitOf } from "./misfit.ts";
import { caseOf } from "./run.ts";
import {
  shows,
  step,
  VectorsShape,
  type BodyExpectation,
  type Expectation,
  type Step,
  type ValueExpectation,
  type Vector,
} from "./vector.ts";

describe("the vectors", () => {
  it("are a document of their shape", () => {
    assert.equal(misfit(VectorsShape, JSON.parse(JSON.stringify(vectorsDocument()))), undefined);
  });
});

/** Steps that know of one another. */
const sequences: Readonly<Record<string, readonly Step[]>> = {
  "takes what was saved": [
    step("GET", "/", undefined, {}, { save: { twice: { header: "x-twice" }, list: { at: "/b" } } }),
    step("GET", "/", { headers: { "x-twice": { is: "{{twice}}" } }, body: { at: { "/b": { is: "{{list}}" } } } }),
  ],
  "takes parts of what was saved": [
    step(
      "GET",
      "/",
      undefined,
      {},
      { save: { first: { header: "x-twice", part: "^(\\w+)" }, name: { body: '"(n)":null' } } },
    ),
    step("GET", "/", {
      headers: { "x-twice": { matches: "^{{first}}," } },
      body: { at: { "/c/0/{{name}}": { has: "x" } } },
    }),
    step(
      "GET",
      "/said",
      { body: { has: "one of http://127.0.0.1:" } },
      { headers: { "x-said": "{{first}} of {{origin}}" } },
    ),
  ],
  "rejects what is not as it was saved": [
    step("GET", "/count", undefined, {}, { save: { count: { at: "/count" } } }),
    step("GET", "/count", { body: { at: { "/count": { is: "{{count}}" } } } }),
  ],
  "rejects a header that is not there to save": [
    step("GET", "/", undefined, {}, { save: { tag: { header: "etag" } } }),
  ],
  "rejects a value that is not there to save": [step("GET", "/", undefined, {}, { save: { none: { at: "/none" } } })],
  "rejects a part that is not there to save": [
    step("GET", "/", undefined, {}, { save: { none: { body: "none(.)" } } }),
  ],
  "takes what comes about": [
    step(
      "GET",
      "/count",
      { body: { at: { "/count": { is: 5 } } } },
      {},
      { until: { body: { at: { "/count": { from: 5, to: 9 } } } } },
    ),
  ],
  "rejects what does not come about": [step("GET", "/", undefined, {}, { until: { status: 404 } })],
  "takes a body out of gzip": [step("GET", "/gzip", { body: { is: "in gzip" } })],
  "rejects another body out of gzip": [step("GET", "/gzip", { body: { is: "not in gzip" } })],
};

const headers: HeaderLines = [
  ["Allow", "GET, head"],
  ["Allow", "QUERY"],
  ["Content-Type", "Application/JSON; charset=utf-8"],
  ["X-Twice", "one, two, ONE"],
  ["X-Malformed", "one, two,"],
  ["WWW-Authenticate", 'Basic realm=x, charset="UTF-8"'],
  ["WWW-Authenticate", 'BEARER Realm="a \\"b\\"", error=e'],
  ["X-Challenge", "Basic realm=x, and more"],
  ["Accept-Query", 'application/json, "3gpp/x";q="1"'],
];
const challenge = { scheme: "bearer", realm: 'a "b"', error: true, nonce: false };
const content = '{"a": 1, "b":[2],"c":[{"n":"x\\u002fy","v":true},{"n":null,"v":3},{"~":"text"}]}';

/** What is true of what stands at a pointer, and of it there. */
const values: Readonly<Record<string, readonly [pointer: string, ValueExpectation]>> = {
  "a value": ["/b", { is: [2] }],
  "a value in a list": ["/c/1/v", { is: 3 }],
  "a value under a name with a tilde": ["/c/2/~0", { is: "text" }],
  "a value in the member of a list that has another value": ["/c/[n=x~1y]/v", { is: true }],
  "a value in the member of a list that has two other values": ["/c/[n=x~1y&v=true]/v", { is: true }],
  "a value in the first of the members that have another value": ["/c/[n=null]/v", { is: 3 }],
  "the values of every member that has one": ["/c/*/v", { is: [true, 3] }],
  "the whole of it": ["", { not: [] }],
  "another value than this": ["/a", { not: true }],
  "the members of a list of values": ["/c/*/n", { members: [null, "x/y"] }],
  "one member of a list of values": ["/c", { has: { v: 3, n: null } }],
  "a part of a text": ["/c/0/n", { has: "/y" }],
  "what a list of values lacks": ["/b", { lacks: 3 }],
  "what a text lacks": ["/c/0/n", { lacks: "z" }],
  "a text of a pattern": ["/c/2/~0", { matches: "^te.t$" }],
  "a number between two": ["/c/1/v", { from: 3, to: 3 }],
  "what is there": ["/c/1/n", { present: true }],
  "what is not there": ["/c/3", { present: false }],
};

const field = "www-authenticate";
/** What the challenges of that response are not. */
const otherChallenges: Readonly<
  Record<string, readonly [name: string, ...challenges: Record<string, string | boolean>[]]>
> = {
  "a challenge too many": [field, { scheme: "basic" }],
  "a challenge of another scheme": [field, { scheme: "basic" }, { scheme: "digest" }],
  "a challenge of another realm": [field, { scheme: "basic", realm: "y" }, { scheme: "bearer" }],
  "a challenge that lacks a parameter": [field, { scheme: "basic", error: true }, { scheme: "bearer" }],
  "a challenge that should lack a parameter": [field, { scheme: "basic", realm: false }, { scheme: "bearer" }],
  "a challenge that is malformed": ["x-challenge", { scheme: "basic" }],
};

/** What is not true of it. */
const otherValues: Readonly<Record<string, readonly [pointer: string, ValueExpectation]>> = {
  "another value at a pointer": ["/a", { is: 2 }],
  "a number for a boolean": ["/a", { is: true }],
  "a value that must be another": ["/b", { not: [2] }],
  "nothing, where a value must only be another": ["/d", { not: 1 }],
  "a value at a pointer into nothing": ["/a/b", { present: true }],
  "a value in a member that no list has": ["/c/[n=z]/v", { present: true }],
  "a value in a member that has one of two values": ["/c/[n=x~1y&v=3]/v", { present: true }],
  "a value of every member of no list": ["/a/*", { present: true }],
  "what must not be there": ["/c/0", { present: false }],
  "other members of a list of values": ["/c/*/v", { members: [3] }],
  "members of what is no list": ["/a", { members: [1] }],
  "a member that a list of values has not": ["/b", { has: "2" }],
  "a part that a text has not": ["/c/0/n", { has: "z" }],
  "a part of what is no text": ["/a", { has: "1" }],
  "what a list of values should lack": ["/b", { lacks: 2 }],
  "what a text should lack": ["/c/0/n", { lacks: "x" }],
  "a lack in what is neither list nor text": ["/a", { lacks: "x" }],
  "a text of another pattern": ["/c/0/n", { matches: "^y" }],
  "a number of a pattern": ["/a", { matches: "1" }],
  "a number below": ["/c/1/v", { from: 4, to: 5 }],
  "a number above": ["/c/1/v", { from: 1, to: 2 }],
  "a text between two numbers": ["/c/0/n", { from: 0, to: 9 }],
};

const at = ([pointer, value]: readonly [string, ValueExpectation]): BodyExpectation => ({ at: { [pointer]: value } });

/** What the body of that response is not. */
const otherBodies: Readonly<Record<string, BodyExpectation>> = {
  "another body": { is: "" },
  "another JSON body": { json: { a: 1 } },
  "a body of another pattern": { matches: '^"text"' },
  "a part that a body has not": { has: "secret" },
  "what a body should lack": { lacks: '"b"' },
  "what a body should lack, however it is spelt": { lacks: "x/y" },
  "what a body should lack as it stands": { lacks: '": 1' },
  ...Object.fromEntries(Object.entries(otherValues).map(([what, value]) => [what, at(value)])),
};

const otherwise = (body: BodyExpectation): string =>
  `the body is ${JSON.stringify(content)}, expected ${JSON.stringify(body)}`;

/** What is true of that response. */
const fitting: Readonly<Record<string, Expectation>> = {
  "a status": { status: 200 },
  "a class of statuses": { status: "2xx" },
  "a header that is absent": { headers: { vary: null } },
  "a header that is there": { headers: { "content-type": { present: true } } },
  "a header's value": { headers: { allow: { is: "GET, head, QUERY" } } },
  "the members of a list": { headers: { allow: { members: ["QUERY", "GET", "head"] } } },
  "the members of a list, caseless": { headers: { allow: { namesAre: ["query", "get", "HEAD"] } } },
  "one member, caseless": { headers: { allow: { names: "HEAD" } } },
  "one member among others, that is there once": { headers: { allow: { once: "Query" } } },
  "a header without a pattern": { headers: { "x-twice": { without: "three" } } },
  "a header that is absent, and so without a pattern": { headers: { vary: { without: "Origin" } } },
  "a media type": { headers: { "content-type": { mediaType: "application/json" } } },
  "no member of a list": { headers: { allow: { lacks: "PUT" } } },
  "several things at once": { headers: { allow: [{ names: "GET" }, { names: "QUERY" }, { lacks: "PUT" }] } },
  "a structured list": { headers: { "accept-query": { structuredList: ["3gpp/x", "application/json"] } } },
  challenges: { headers: { "www-authenticate": { challenges: [challenge, { scheme: "basic", charset: "utf-8" }] } } },
  "a body": { body: { is: content } },
  "a JSON body": { body: { json: { ...(JSON.parse(content) as object), a: 1 } } },
  "another value of a header": { headers: { allow: { not: "GET" } } },
  "a header of a pattern": { headers: { "x-twice": { matches: "^one,.*ONE$" } } },
  "a body of a pattern": { body: { matches: '^{[\\s\\S]*"text"' } },
  "a part of a body, however it is spelt": { body: { has: '"x/y"' } },
  "a part of a body": { body: { has: '"b":[2]' } },
  "several things of a body": { body: [{ has: "a" }, { lacks: "secret" }] },
  ...Object.fromEntries(Object.entries(values).map(([what, value]) => [what, { body: at(value) }])),
  "what a body lacks": { body: { lacks: "secret" } },
};

/** What is not, and the sentence that says so. */
const misfitting: Readonly<Record<string, readonly [Expectation, string]>> = {
  "a status": [{ status: 204 }, "the status is 200, expected 204"],
  "a class of statuses": [{ status: "4xx" }, "the status is 200, expected 4xx"],
  "a header that is there": [{ headers: { allow: null } }, 'allow is "GET, head, QUERY", expected null'],
  "a header that is absent": [
    { headers: { vary: { names: "Origin" } } },
    'vary is absent, expected {"names":"Origin"}',
  ],
  "another value": [{ headers: { allow: { is: "GET" } } }, 'allow is "GET, head, QUERY", expected {"is":"GET"}'],
  "a member of another case": [
    { headers: { allow: { members: ["GET", "HEAD", "QUERY"] } } },
    'allow is "GET, head, QUERY", expected {"members":["GET","HEAD","QUERY"]}',
  ],
  "a member that should not be there": [
    { headers: { allow: [{ names: "GET" }, { lacks: "Query" }] } },
    'allow is "GET, head, QUERY", expected [{"names":"GET"},{"lacks":"Query"}]',
  ],
  "a member that is not there": [
    { headers: { allow: { names: "PUT" } } },
    'allow is "GET, head, QUERY", expected {"names":"PUT"}',
  ],
  "a member that is there twice": [
    { headers: { "x-twice": { once: "One" } } },
    'x-twice is "one, two, ONE", expected {"once":"One"}',
  ],
  "a member that is nowhere, where it is wanted once": [
    { headers: { allow: { once: "PUT" } } },
    'allow is "GET, head, QUERY", expected {"once":"PUT"}',
  ],
  "another media type": [
    { headers: { "content-type": { mediaType: "application/jsonp" } } },
    'content-type is "Application/JSON; charset=utf-8", expected {"mediaType":"application/jsonp"}',
  ],
  "another structured list": [
    { headers: { "accept-query": { structuredList: ["application/json"] } } },
    `accept-query is ${JSON.stringify('application/json, "3gpp/x";q="1"')}, expected {"structuredList":["application/json"]}`,
  ],
  "a member too many": [
    { headers: { allow: { namesAre: ["GET", "HEAD"] } } },
    'allow is "GET, head, QUERY", expected {"namesAre":["GET","HEAD"]}',
  ],
  "a list that is malformed": [
    { headers: { "x-malformed": { structuredList: ["one", "two"] } } },
    'x-malformed is "one, two,", expected {"structuredList":["one","two"]}',
  ],
  ...Object.fromEntries(
    Object.entries(otherChallenges).map(([what, [name, ...challenges]]) => {
      const value = new HttpResponse(200, headers, Buffer.alloc(0)).header(name);
      const expected = `${name} is ${JSON.stringify(value)}, expected ${JSON.stringify({ challenges })}`;
      return [what, [{ headers: { [name]: { challenges } } }, expected] as const];
    }),
  ),
  "a header with a pattern that must not be there": [
    { headers: { "x-twice": { without: "two" } } },
    'x-twice is "one, two, ONE", expected {"without":"two"}',
  ],
  "a header of another pattern": [
    { headers: { "x-twice": { matches: "^two" } } },
    'x-twice is "one, two, ONE", expected {"matches":"^two"}',
  ],
  "a value that a header must not have": [
    { headers: { allow: { not: "GET, head, QUERY" } } },
    'allow is "GET, head, QUERY", expected {"not":"GET, head, QUERY"}',
  ],
  "a header that is absent, where it must only be another": [
    { headers: { vary: { not: "Origin" } } },
    'vary is absent, expected {"not":"Origin"}',
  ],
  ...Object.fromEntries(
    Object.entries(otherBodies).map(([what, body]) => [what, [{ body }, otherwise(body)] as const]),
  ),
  "one of two things that a body must be": [{ body: [{ has: "a" }, { lacks: "b" }] }, otherwise({ lacks: "b" })],
};

describe("misfitOf", () => {
  const response = new HttpResponse(200, headers, Buffer.from(content));

  for (const [what, expectation] of Object.entries(fitting))
    it(`takes ${what}`, () => assert.equal(misfitOf(expectation, response), undefined));

  for (const [what, [expectation, sentence]] of Object.entries(misfitting))
    it(`says so of ${what}`, () => assert.equal(misfitOf(expectation, response), sentence));

  it("compares a header with that of a step before, where it is there", () => {
    const of = (...lines: HeaderLines) => new HttpResponse(200, lines, Buffer.alloc(0));
    const same: Expectation = { headers: { etag: { sameAs: 1 } } };
    assert.equal(misfitOf(same, of(["ETag", '"1"']), [of(["etag", '"1"'])]), undefined);
    assert.equal(misfitOf(same, of(), [of(["etag", '"1"'])]), undefined);
    assert.equal(misfitOf(same, of(["ETag", '"1"']), [of()]), undefined);
    assert.equal(
      misfitOf(same, of(["ETag", '"2"']), [of(["etag", '"1"'])]),
      'etag is "\\"2\\"", expected {"sameAs":1}',
    );
  });

  it("takes no list for a JSON object, and no text for JSON", () => {
    const of = (text: string) => new HttpResponse(200, [], Buffer.from(text));
    assert.notEqual(misfitOf({ body: { at: { "/length": { present: true } } } }, of("[]")), undefined);
    assert.notEqual(misfitOf({ body: { at: { "": { present: true } } } }, of("nul")), undefined);
    assert.notEqual(misfitOf({ body: { json: null } }, of("nul")), undefined);
  });
});

describe("caseOf", () => {
  it("fails on the exchange of the step that does not hold, and on none before it", async () => {
    const steps = [
      step("GET", "/held", { status: 200 }),
      step("GET", "/too", { status: 200 }),
      step("GET", "/failed", { status: 404 }),
    ];
    await served(
      (_request, response) => response.end("{}"),
      async (url) => {
        const { outcome, failed } = await runOne(caseOf(shows("ROUTE-007", "fails late", steps)), new URL(url));
        assert.deepEqual([outcome, failed.map(({ sent }) => sent.target)], ["violated", ["/failed"]]);
      },
    );
  });
});

describe("run.py", { skip: spawnSync("python3", ["--version"]).status !== 0 && "python3 is not installed" }, () => {
  let folder: string;
  let running: RunningSubjects;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "vectors-"));
    running = await subjectsOfAllProfiles();
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await running.stop();
  });

  /** Exit code, and the lines that it prints. */
  async function ran(document: object, url: string, ...ids: readonly string[]): Promise<readonly [number, string[]]> {
    const file = join(folder, "vectors.json");
    writeFileSync(file, JSON.stringify(document));
    const program = fileURLToPath(new URL("../../../conformance/vectors/run.py", import.meta.url));
    return new Promise((resolve) => {
      execFile("python3", ["-B", program, file, url, ...ids], (error, stdout, stderr) => {
        resolve([Number(error?.code ?? 0), `${stdout}${stderr}`.trim().split("\n")]);
      });
    });
  }

  const urlOf = (profile: (typeof profileNames)[number]): URL => {
    const url = running.subjects.get(profile);
    assert.ok(url);
    return url;
  };

  for (const profile of ["default", "cors-query"] as const)
    it(`finds that all of them hold on this framework's subject, in the profile ${profile}`, async () => {
      const about = await ask(urlOf(profile));
      const count = vectorCases.filter((one) => applies(one, about)).length;
      const [code, lines] = await ran(vectorsDocument(), urlOf(profile).origin);
      assert.deepEqual([code, lines], [0, [`${count} hold, 0 do not`]]);
    });

  it("finds the clauses that are broken behind a proxy that drops Vary, and no other", async () => {
    const { hostname, port } = urlOf("default");
    const dropsVary: RequestListener = (received, response) => {
      const { method, url: path, headers: given } = received;
      const forwarded = sendRequest({ hostname, port, method, path, headers: given }, (back) => {
        const kept = Object.entries(back.headers).filter(([name]) => name !== "vary");
        response.writeHead(back.statusCode ?? 0, Object.fromEntries(kept));
        back.pipe(response);
      });
      received.pipe(forwarded);
    };
    const [code, lines] = await served(dropsVary, (url) => ran(vectorsDocument(), url, "CORS"));
    const failed = lines.filter((line) => line.startsWith("CORS-")).map((line) => line.slice(0, 8));
    assert.deepEqual([code, failed, lines.at(-1)], [1, ["CORS-006", "CORS-006", "CORS-027"], "14 hold, 3 do not"]);
  });

  it("takes and rejects what this runner takes and rejects", async () => {
    const expectations: readonly (readonly [title: string, expect: Expectation])[] = [
      ...Object.entries(fitting).map(([what, expect]) => [`takes ${what}`, expect] as const),
      ...Object.entries(misfitting).map(([what, [expect]]) => [`rejects ${what}`, expect] as const),
      ["takes a response in time", { within: 60 }],
      ["rejects a response that is late", { within: 1e-9 }],
      ["rejects a response that comes whole", { cut: true }],
    ];
    const all: readonly Vector[] = [
      ...expectations.map(([title, expect]) => shows("ROUTE-001", title, [step("GET", "/", expect)])),
      shows("ROUTE-001", "takes one that is cut", [step("GET", "/cut", { cut: true })]),
      shows("ROUTE-001", "rejects one that is cut", [step("GET", "/cut", { status: 200 })]),
      ...Object.entries(sequences).map(([title, steps]) => shows("ROUTE-001", title, steps)),
    ];
    let counted = 0;
    const fixed: RequestListener = ({ url, headers: received }, response) => {
      if (url === "/cut") return void response.write("begun", () => response.destroy());
      if (url === "/count") return void response.end(JSON.stringify({ count: (counted += 1) }));
      if (url === "/said") return void response.end(JSON.stringify(received["x-said"]));
      if (url === "/gzip") return void response.setHeader("content-encoding", "GZIP").end(gzipSync("in gzip"));
      if (url !== "/") return void response.end('{"profile":"default","features":[]}');
      for (const [name, value] of headers) response.appendHeader(name, value);
      response.end(content);
    };
    const expected = all.map(({ title }) => title).filter((title) => title.startsWith("rejects"));
    await served(fixed, async (url) => {
      const rejectedHere: string[] = [];
      for (const one of all)
        if ((await runOne(caseOf(one), new URL(url), { timeoutMs: 500 })).outcome !== "held")
          rejectedHere.push(one.title);
      counted = 0;
      const [code, lines] = await ran({ format: 1, vectors: all }, url);
      const rejectedThere = lines.filter((line) => line.startsWith("ROUTE-001")).map((line) => line.slice(10));
      assert.deepEqual([code, rejectedThere, rejectedHere], [1, expected, expected]);
    });
  });

  it("counts what is no HTTP as a vector that does not hold, and goes on", async () => {
    const garbage: RequestListener = ({ url, socket }, response) => {
      if (url !== "/__subject/about") return void socket.end("garbage\r\n\r\n");
      response.end('{"profile":"default","features":[]}');
    };
    const [code, lines] = await served(garbage, (url) => ran(vectorsDocument(), url, "ROUTE-006", "ROUTE-007"));
    assert.deepEqual([code, lines.at(-1)?.startsWith("0 hold, ")], [1, true]);
    assert.match(lines[1] ?? "", /^ {4}no response: what came is no HTTP: BadStatusLine/);
  });

  it("says so where it comes to no result", async () => {
    const [code, lines] = await ran(vectorsDocument(), "http://127.0.0.1:1");
    assert.deepEqual([code, lines.length, lines[0]?.startsWith("no result: ConnectionRefusedError")], [2, 1, true]);
  });
});

/** What `use` gives for a server of that listener. */
async function served<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
