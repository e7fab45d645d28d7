/**
 * The vectors hold on conformant subjects, fail where their clause is broken, and are a document of their shape; and the
 * runner in Python finds of them what this one finds.
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
import { requirements, type Requirement } from "../../spec/requirements.ts";
import { profileNames } from "../../spec/subject.ts";
import { HttpResponse, type HeaderLines } from "../kit/response.ts";
import { applies, ask, runAgainst, type Ran } from "../kit/run.ts";
import { judge, reference } from "../kit/selftest.ts";
import { misfit } from "../kit/shape.ts";
import { mutants } from "../mutants/index.ts";
import { startIndependent } from "../subject/independent.ts";
import { subjectsOfAllProfiles, type RunningSubjects } from "../subjects.ts";
import { vectorCases, vectors, vectorsDocument } from "./index.ts";
import { misfitOf } from "./run.ts";
import { VectorsShape, type Expectation } from "./vector.ts";

const broken = (ran: readonly Ran[]): readonly string[] =>
  ran
    .filter(({ outcome }) => outcome !== "held")
    .map((result) => `${result.case.id} ${result.case.title}: ${result.reason ?? ""}`);

describe("the vectors", () => {
  let running: RunningSubjects;
  let seen: readonly Ran[];
  before(async () => {
    running = await subjectsOfAllProfiles();
    seen = await reference(vectorCases, running.subjects);
  });
  after(() => running.stop());

  it("are a document of their shape", () => {
    assert.equal(misfit(VectorsShape, JSON.parse(JSON.stringify(vectorsDocument()))), undefined);
  });

  it("are there for every clause of their chapters that the wire shows", () => {
    const chapters = new Set(vectors.map(({ id }) => id.replace(/-.*/, "")));
    const shown: ReadonlySet<string> = new Set(vectors.map(({ id }) => id));
    const entries: readonly (readonly [string, Requirement])[] = Object.entries(requirements);
    const missing = entries.filter(
      ([id, { surface }]) => surface === "wire" && chapters.has(id.replace(/-.*/, "")) && !shown.has(id),
    );
    assert.deepEqual([[...chapters], missing], [["ROUTE", "QUERY", "ERR", "CORS", "HEALTH"], []]);
  });

  it("hold on this framework's subject, in every profile", () => assert.deepEqual(broken(seen), []));

  it("hold on the independent implementation, in every profile", async () => {
    for (const profile of profileNames) {
      const { url, close } = await startIndependent({ profile });
      try {
        const { ran } = await runAgainst(new URL(url), vectorCases);
        assert.deepEqual(broken(ran), []);
        const about = await ask(new URL(url));
        assert.equal(ran.length, vectorCases.filter((one) => applies(one, about)).length);
      } finally {
        await close();
      }
    }
  });

  it("fail where a mutant breaks their clause, and for no other clause", async () => {
    const failed = new Set<string>();
    const others: string[] = [];
    for (const mutant of mutants) {
      const judgement = await judge(mutant, seen, running.subjects);
      assert.deepEqual(judgement.crashed, []);
      const kills: readonly string[] = mutant.kills;
      for (const id of judgement.failed) failed.add(id);
      others.push(...judgement.failed.filter((id) => !kills.includes(id)).map((id) => `${mutant.name}: ${id}`));
    }
    const broken = new Set<string>(mutants.flatMap(({ kills }) => kills));
    const idle = [...new Set(vectors.map(({ id }) => id))].filter((id) => broken.has(id) && !failed.has(id));
    assert.deepEqual({ idle, others }, { idle: [], others: [] });
  });
});

const headers: HeaderLines = [
  ["Allow", "GET, head"],
  ["Allow", "QUERY"],
  ["Content-Type", "Application/JSON; charset=utf-8"],
  ["X-Twice", "one, two, ONE"],
  ["Accept-Query", 'application/json, "3gpp/x";q="1"'],
];
const content = '{"a":1,"b":[2]}';

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
  "a media type": { headers: { "content-type": { mediaType: "application/json" } } },
  "no member of a list": { headers: { allow: { lacks: "PUT" } } },
  "several things at once": { headers: { allow: [{ names: "GET" }, { names: "QUERY" }, { lacks: "PUT" }] } },
  "a structured list": { headers: { "accept-query": { structuredList: ["3gpp/x", "application/json"] } } },
  "a body": { body: { is: '{"a":1,"b":[2]}' } },
  "a JSON body": { body: { json: { b: [2], a: 1 } } },
  "members of a JSON body": { body: { holds: { b: [2] } } },
  "the keys of a JSON body": { body: { keys: ["b", "a"] } },
  "a list in a JSON body": { body: { lists: "b" } },
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
    { headers: { "content-type": { structuredList: ["application/json"] } } },
    'content-type is "Application/JSON; charset=utf-8", expected {"structuredList":["application/json"]}',
  ],
  "another body": [{ body: { is: "" } }, 'the body is "{\\"a\\":1,\\"b\\":[2]}", expected {"is":""}'],
  "another JSON body": [
    { body: { json: { a: 1 } } },
    'the body is "{\\"a\\":1,\\"b\\":[2]}", expected {"json":{"a":1}}',
  ],
  "another member": [
    { body: { holds: { a: 2 } } },
    'the body is "{\\"a\\":1,\\"b\\":[2]}", expected {"holds":{"a":2}}',
  ],
  "other keys": [{ body: { keys: ["a"] } }, 'the body is "{\\"a\\":1,\\"b\\":[2]}", expected {"keys":["a"]}'],
  "no list": [{ body: { lists: "a" } }, 'the body is "{\\"a\\":1,\\"b\\":[2]}", expected {"lists":"a"}'],
  "what a body should lack": [
    { body: { lacks: '"b"' } },
    'the body is "{\\"a\\":1,\\"b\\":[2]}", expected {"lacks":"\\"b\\""}',
  ],
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
    assert.equal(
      misfitOf(same, of(["ETag", '"2"']), [of(["etag", '"1"'])]),
      'etag is "\\"2\\"", expected {"sameAs":1}',
    );
  });

  it("takes no list for a JSON object, and no text for JSON", () => {
    const of = (text: string) => new HttpResponse(200, [], Buffer.from(text));
    assert.notEqual(misfitOf({ body: { holds: {} } }, of("[]")), undefined);
    assert.notEqual(misfitOf({ body: { keys: [] } }, of("null")), undefined);
    assert.notEqual(misfitOf({ body: { json: null } }, of("nul")), undefined);
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
    const one = (title: string, target: string, expect: Expectation): object => ({
      id: "ROUTE-001",
      title,
      profile: "default",
      features: [],
      afterwards: [],
      steps: [{ request: { method: "GET", target }, expect }],
    });
    const document = {
      format: 1,
      vectors: [
        ...expectations.map(([title, expect]) => one(title, "/", expect)),
        one("takes one that is cut", "/cut", { cut: true }),
        one("rejects one that is cut", "/cut", { status: 200 }),
      ],
    };
    const fixed: RequestListener = ({ url }, response) => {
      if (url === "/cut") return void response.write("begun", () => response.destroy());
      if (url !== "/") return void response.end('{"profile":"default","features":[]}');
      for (const [name, value] of headers) response.appendHeader(name, value);
      response.end(content);
    };
    const [code, lines] = await served(fixed, (url) => ran(document, url));
    const rejected = lines.filter((line) => line.startsWith("ROUTE-001")).map((line) => line.slice(10));
    const expected = [...expectations.map(([title]) => title), "rejects one that is cut"];
    assert.deepEqual([code, rejected], [1, expected.filter((title) => title.startsWith("rejects"))]);
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
