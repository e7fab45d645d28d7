/** Conditions of requests, in every combination that RFC 9110 §13 covers. */
import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import {
  annotateVerdict,
  dateOf,
  evaluatePreconditions,
  isEntityTag,
  isRangeWanted,
  type PreconditionVerdict,
  type Validators,
  weakened,
} from "./preconditions.ts";

const at = "Tue, 24 Nov 2026 10:00:00 GMT";
const before = "Tue, 24 Nov 2026 09:59:59 GMT";
const strong: Validators = { etag: '"v7"', lastModified: at };
const weak: Validators = { etag: 'W/"v7"', lastModified: at };

const asked = (headers: Readonly<Record<string, string>>, validators: Validators | undefined, method = "GET") =>
  evaluatePreconditions({ method, header: (name) => headers[name] }, validators);

/** The verdict of a GET for each of the fields. */
const verdicts = (name: string, values: readonly string[], validators: Validators | undefined) =>
  values.map((value) => asked({ [name]: value }, validators));

describe("evaluatePreconditions", () => {
  test("is met without a condition", () => {
    assert.deepEqual([asked({}, strong), asked({}, undefined)], ["met", "met"]);
  });

  test("COND-002: If-None-Match compares weakly", () => {
    const listed = ['"v7"', 'W/"v7"', '"v6", "v7"', '"a,b","v7"', ',, "v7"', '"v6"', '"V7"', "v7"];
    const expected = [...Array(5).fill("notModified"), "met", "met", "met"];
    assert.deepEqual(verdicts("if-none-match", listed, strong), expected);
    assert.deepEqual(verdicts("if-none-match", listed, weak), expected);
  });

  test("no list matches a representation without a tag, or a missing one", () => {
    const asking = ["if-match", "if-none-match"].flatMap((name) =>
      [{}, undefined].map((validators) => asked({ [name]: '"v7", W/"v7"' }, validators)),
    );
    assert.deepEqual(asking, ["failed", "failed", "met", "met"]);
  });

  test("COND-003: If-Match compares strongly", () => {
    const listed = ['"v7"', '"v6","v7"', 'W/"v7"', '"v6"', ""];
    assert.deepEqual(verdicts("if-match", listed, strong), ["met", "met", "failed", "failed", "failed"]);
    assert.deepEqual(verdicts("if-match", listed, weak), Array(5).fill("failed"));
  });

  test("`*` matches any existing representation", () => {
    assert.deepEqual([asked({ "if-match": "*" }, {}), asked({ "if-match": " * " }, undefined)], ["met", "failed"]);
    assert.deepEqual([asked({ "if-match": " * " }, {}), asked({ "if-none-match": "*\t" }, {})], ["met", "notModified"]);
    assert.deepEqual(
      [asked({ "if-none-match": "*" }, {}), asked({ "if-none-match": "*" }, undefined)],
      ["notModified", "met"],
    );
    // A quoted "*" is an ordinary tag.
    assert.deepEqual(
      [asked({ "if-match": '"*"' }, strong), asked({ "if-match": '*, "v6"' }, strong)],
      ["failed", "failed"],
    );
  });

  test("the tag of a pair decides, for any date", () => {
    assert.equal(asked({ "if-none-match": '"v6"', "if-modified-since": at }, strong), "met");
    assert.equal(asked({ "if-none-match": '"v7"', "if-modified-since": before }, strong), "notModified");
    assert.equal(asked({ "if-match": '"v7"', "if-unmodified-since": before }, strong), "met");
    assert.equal(asked({ "if-match": '"v6"', "if-unmodified-since": at }, strong), "failed");
    // Steps 1 and 2 come before 3 and 4.
    assert.equal(asked({ "if-match": '"v6"', "if-none-match": '"v7"' }, strong), "failed");
    assert.equal(asked({ "if-unmodified-since": before, "if-none-match": '"v7"' }, strong), "failed");
    assert.equal(asked({ "if-match": '"v7"', "if-none-match": '"v7"' }, strong), "notModified");
  });

  test("compares dates by the second", () => {
    const later = "Tue, 24 Nov 2026 10:00:01 GMT";
    assert.deepEqual(verdicts("if-modified-since", [before, at, later], strong), ["met", "notModified", "notModified"]);
    assert.deepEqual(verdicts("if-unmodified-since", [before, at, later], strong), ["failed", "met", "met"]);
    assert.deepEqual(verdicts("if-modified-since", [at], { etag: '"v7"' }), ["met"]);
    assert.deepEqual(verdicts("if-unmodified-since", [before], { etag: '"v7"' }), ["met"]);
  });

  test("a date in none of the three forms is ignored", () => {
    const forms = [at, "Tuesday, 24-Nov-26 10:00:00 GMT", "Tue Nov 24 10:00:00 2026"];
    assert.deepEqual(forms.map(dateOf), Array(3).fill(Date.UTC(2026, 10, 24, 10)));
    const others = [
      "2026-11-24T10:00:00Z",
      "2026",
      "0",
      "Tue, 24 Nov 2026 10:00:00 +0000",
      "tomorrow",
      "",
      `${at}, ${at}`,
    ];
    assert.deepEqual(others.map(dateOf), Array(7).fill(Number.NaN));
    assert.deepEqual(verdicts("if-modified-since", others, strong), Array(7).fill("met"));
    assert.deepEqual(verdicts("if-unmodified-since", others, strong), Array(7).fill("met"));
  });

  test("a list is read up to its first malformed member", () => {
    const listed = ['"v6" "v7"', 'v6, "v7"', '"v6', '"v7" x', "'v7', \"v7\"", '"v7", x', 'w/"v7"'];
    const expected = ["met", "met", "met", "met", "met", "notModified", "met"];
    assert.deepEqual(verdicts("if-none-match", listed, strong), expected);
  });

  test("fails for a method with side effects when a read is not modified", () => {
    const methods = ["GET", "HEAD", "QUERY", "PUT", "POST", "DELETE", "PATCH"];
    const known = methods.map((method) => asked({ "if-none-match": '"v7"' }, strong, method));
    assert.deepEqual(known, [...Array(3).fill("notModified"), ...Array(4).fill("failed")]);
    const since = methods.map((method) => asked({ "if-modified-since": at }, strong, method));
    assert.deepEqual(since, [...Array(3).fill("notModified"), ...Array(4).fill("met")]);
    // A PUT that must create, so nothing may exist yet.
    assert.deepEqual(
      [asked({ "if-none-match": "*" }, strong, "PUT"), asked({ "if-none-match": "*" }, undefined, "PUT")],
      ["failed", "met"],
    );
  });
});

describe("isRangeWanted", () => {
  test("accepts only the strong tag or the exact date", () => {
    const fields = [undefined, '"v7"', 'W/"v7"', '"v6"', at, before, "yesterday", '"v6", "v7"'];
    const wanted = [true, true, false, false, true, false, false, false];
    assert.deepEqual(
      fields.map((field) => isRangeWanted(field, strong)),
      wanted,
    );
    assert.deepEqual(
      [
        isRangeWanted('W/"v7"', weak),
        isRangeWanted('"v7"', weak),
        isRangeWanted(at, {}),
        isRangeWanted("yesterday", {}),
      ],
      [false, false, false, false],
    );
  });
});

describe("isEntityTag", () => {
  test("accepts the tags of RFC 9110 §8.8.3", () => {
    const tags = ['"a"', '""', 'W/"a"', '"é"', "a", '"a', 'w/"a"', '"a b"', '"a"b"', ""];
    assert.deepEqual(tags.map(isEntityTag), [...Array(4).fill(true), ...Array(6).fill(false)]);
  });
});

describe("weakened", () => {
  test("is the weak form of a tag, also of a weak one", () => {
    assert.deepEqual(['"v7"', 'W/"v7"'].map(weakened), ['W/"v7"', 'W/"v7"']);
  });
});

describe("dateOf", () => {
  test("accepts no impossible day, hour or year", () => {
    const dates = ["Tue, 31 Feb 2026 10:00:00 GMT", "Tue, 24 Nov 2026 24:00:00 GMT", "Tue, 24 Nov 2026 10:60:00 GMT"];
    const years = ["Tue, 24 Nov 0099 10:00:00 GMT", "Tue, 24 Nov 026 10:00:00 GMT", "Tue Nov 24 10:00:00 26"];
    const around = [` ${at}`, `${at} `, "Tue Nov 24 10:00:00 2026 GMT", "xTuesday, 24-Nov-26 10:00:00 GMT"];
    const beside = ["Tuesday, 24-Nov-26 10:00:00 GMT x", "xTue Nov 24 10:00:00 2026"];
    const all = [...dates, ...years, ...around, ...beside, "Tue, 24 Foo 2026 10:00:00 GMT", undefined];
    assert.deepEqual(all.map(dateOf), Array(all.length).fill(Number.NaN));
    assert.equal(dateOf("Sun Nov  1 10:00:00 0100"), Date.UTC(100, 10, 1, 10));
  });

  test("reads two digits as a year at most 50 years away", (t) => {
    mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 5) });
    t.after(() => mock.timers.reset());
    const yearOf = (digits: string): number =>
      new Date(dateOf(`Tuesday, 24-Nov-${digits} 10:00:00 GMT`)).getUTCFullYear();
    assert.deepEqual(["00", "26", "76", "77", "99"].map(yearOf), [2000, 2026, 2076, 1977, 1999]);
  });
});

describe("annotateVerdict", () => {
  const told = (
    fields: Readonly<Record<string, string>>,
    outcome: PreconditionVerdict,
    validators = strong,
  ): unknown => {
    const heard: unknown[] = [];
    const annotations = { add: (...told: unknown[]) => void heard.push(...told) };
    annotateVerdict({ method: "GET", header: (name) => fields[name], annotations }, validators, outcome);
    return heard;
  };

  test("names the deciding condition: a guard for a failure, a refresh for the others", () => {
    const fields = { "If-Match": '"v6"', "If-None-Match": '"v7"' };
    const known = { etag: '"v7"', lastModified: at };
    assert.deepEqual(told(fields, "failed"), [
      "conditional",
      { outcome: "failed", by: "If-Match", value: '"v6"', ...known },
    ]);
    assert.deepEqual(told(fields, "notModified", {}), [
      "conditional",
      { outcome: "notModified", by: "If-None-Match", value: '"v7"' },
    ]);
    for (const by of ["If-Unmodified-Since", "If-Modified-Since"])
      assert.deepEqual(told({ [by]: at }, "met"), ["conditional", { outcome: "met", by, value: at, ...known }]);
  });

  test("reports nothing for a request without conditions, or without a listener", () => {
    assert.deepEqual(told({}, "met"), []);
    annotateVerdict({ method: "GET", header: () => at, annotations: undefined }, strong, "met");
  });
});
