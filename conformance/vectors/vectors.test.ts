/** The vectors hold on conformant subjects, fail where their clause is broken, and are a document of their shape. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
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

describe("misfitOf", () => {
  const headers: HeaderLines = [
    ["Allow", "GET, head"],
    ["Allow", "QUERY"],
    ["Content-Type", "Application/JSON; charset=utf-8"],
    ["Accept-Query", 'application/json, "3gpp/x";q="1"'],
  ];
  const response = new HttpResponse(200, headers, Buffer.from('{"a":1,"b":[2]}'));
  const fitting: Readonly<Record<string, Expectation>> = {
    "a status": { status: 200 },
    "a header that is absent": { headers: { vary: null } },
    "a header that is there": { headers: { "content-type": { present: true } } },
    "a header's value": { headers: { allow: { is: "GET, head, QUERY" } } },
    "the members of a list": { headers: { allow: { members: ["QUERY", "GET", "head"] } } },
    "the members of a list, caseless": { headers: { allow: { namesAre: ["query", "get", "HEAD"] } } },
    "one member, caseless": { headers: { allow: { names: "HEAD" } } },
    "a media type": { headers: { "content-type": { mediaType: "application/json" } } },
    "a structured list": { headers: { "accept-query": { structuredList: ["3gpp/x", "application/json"] } } },
    "a body": { body: { is: '{"a":1,"b":[2]}' } },
    "a JSON body": { body: { json: { b: [2], a: 1 } } },
    "members of a JSON body": { body: { holds: { b: [2] } } },
    "the keys of a JSON body": { body: { keys: ["b", "a"] } },
    "what a body lacks": { body: { lacks: "secret" } },
  };
  for (const [what, expectation] of Object.entries(fitting))
    it(`takes ${what}`, () => assert.equal(misfitOf(expectation, response), undefined));

  const misfitting: Readonly<Record<string, readonly [Expectation, string]>> = {
    "a status": [{ status: 204 }, "the status is 200, expected 204"],
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
    "what a body should lack": [
      { body: { lacks: '"b"' } },
      'the body is "{\\"a\\":1,\\"b\\":[2]}", expected {"lacks":"\\"b\\""}',
    ],
  };
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
