/** Properties of the request fields about the response: codings, entity tags, dates (COMP, COND). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import fresh from "fresh";
import Negotiator from "negotiator";
import { IDENTITY, preferredCoding } from "./accept-encoding.ts";
import { dateOf, evaluatePreconditions, isRangeWanted } from "./preconditions.ts";

const numRuns = Number(process.env["FC_RUNS"] ?? 1_000);
const blank = fc.constantFrom("", "", " ", "\t", "  ");
const offered = ["zstd", "br", "gzip"] as const;

describe("preferredCoding", () => {
  const coding = fc.constantFrom("gzip", "br", "zstd", "identity", "*", "deflate", "GZIP", "Br");
  const weight = fc.constantFrom(undefined, "0", "1", "0.5", "0.001", "0.", "1.000", "0.999", "0.000");
  const member = fc.tuple(coding, weight, blank, blank);
  const list = fc.uniqueArray(member, { selector: ([name]) => name.toLowerCase(), maxLength: 6 });
  const written = (members: readonly (readonly [string, string | undefined, string, string])[]): string =>
    members.map(([name, q, a, b]) => `${a}${name}${q === undefined ? "" : `${b};${a}q=${q}`}${b}`).join(",");

  test("is a coding that the client accepts, as negotiator reads it, and none with a higher weight is left", () => {
    fc.assert(
      fc.property(list, (members) => {
        const field = written(members);
        const found = preferredCoding(field, offered);
        const taken = new Negotiator({ headers: { "accept-encoding": field } }).encodings([...offered, IDENTITY]);
        if (found === undefined) return assert.deepEqual(taken, [], field);
        assert.ok(taken.includes(found), `${field}: ${found}, of ${taken.join()}`);
        const weights = new Map(members.map(([name, q = "1"]) => [name.toLowerCase(), Number(q)]));
        const liked = (name: string): number => weights.get(name) ?? (name === IDENTITY ? 0 : (weights.get("*") ?? 0));
        const better = offered.filter((name) => liked(name) > liked(found));
        assert.deepEqual(better, [], `${field}: ${found}`);
      }),
      { numRuns },
    );
  });

  test("reads any text, and returns only offered codings", () => {
    const unit = fc.constantFrom(..."gzipbr,;=q01. *\t\u00ff", "gzip", "identity;q=0", "q=0.5");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 80 }), (field) => {
        assert.ok([...offered, IDENTITY, undefined].includes(preferredCoding(field, offered)));
      }),
      { numRuns },
    );
  });
});

describe("evaluatePreconditions", () => {
  const opaque = fc.stringMatching(/^[!#-~]{0,6}$/).map((text) => `"${text}"`);
  const tag = fc.oneof(fc.constantFrom('"v1"', '"v2"', '"a,b"', '"*"'), opaque);
  const anyTag = fc.tuple(fc.boolean(), tag).map(([isWeak, text]) => (isWeak ? `W/${text}` : text));
  const tags = fc.array(anyTag, { minLength: 1, maxLength: 5 });
  const separator = fc.constantFrom(",", ", ", " , ", ",,", "\t,");
  const strip = (text: string): string => text.replace(/^W\//, "");

  test("COND-002 COND-003: agrees with the rule for lists of tags, in any spelling", () => {
    fc.assert(
      fc.property(tags, anyTag, separator, fc.constantFrom("GET", "PUT"), (list, etag, between, method) => {
        const field = list.join(between);
        const asked = (name: string): string =>
          evaluatePreconditions({ method, header: (wanted) => (wanted === name ? field : undefined) }, { etag });
        const isWeaklyListed = list.some((one) => strip(one) === strip(etag));
        const isStronglyListed = !etag.startsWith("W/") && list.includes(etag);
        assert.equal(asked("if-none-match"), isWeaklyListed ? (method === "GET" ? "notModified" : "failed") : "met");
        assert.equal(asked("if-match"), isStronglyListed ? "met" : "failed");
        // The package splits at every comma, also within a tag, and does not treat a tab as a blank.
        if (method === "GET" && !/"[^"]*,[^"]*"/.test(etag + list.join(" ")) && !field.includes("\t"))
          assert.equal(fresh({ "if-none-match": field }, { etag }), isWeaklyListed, field);
        const isSame = isRangeWanted(list[0], { etag });
        assert.equal(isSame, list[0] === etag && !etag.startsWith("W/"));
      }),
      { numRuns },
    );
  });

  test("reads any text, and never overrates a malformed part", () => {
    const unit = fc.constantFrom(...'W/"v1, *\t\u00ff\\', '"v1"', 'W/"v1"');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (field) => {
        const header = (name: string): string | undefined => (name === "if-match" ? field : undefined);
        const verdict = evaluatePreconditions({ method: "PUT", header }, { etag: '"v1"' });
        if (verdict === "met") assert.ok(field.includes('"v1"') || field.trim() === "*", field);
        assert.equal(
          evaluatePreconditions({ method: "PUT", header }, { etag: '"v9"' }) === "met",
          field.trim() === "*",
        );
      }),
      { numRuns },
    );
  });
});

describe("dateOf", () => {
  // The hundred years that two digits can mean.
  const thisYear = new Date().getUTCFullYear();
  const date = fc.date({
    min: new Date(`${thisYear - 49}-01-01`),
    max: new Date(`${thisYear + 50}-12-31`),
    noInvalidDate: true,
  });
  const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

  test("reads each of the three date forms to the second", () => {
    fc.assert(
      fc.property(date, (date) => {
        const at = Math.floor(date.getTime() / 1_000) * 1_000;
        const fixdate = date.toUTCString();
        const [, day = "", month, year = "", time] = fixdate.split(" ");
        assert.equal(dateOf(fixdate), at);
        assert.equal(dateOf(`${fixdate.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`), at);
        const rfc850 = dateOf(`${days[date.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`);
        assert.equal(rfc850, at, fixdate);
      }),
      { numRuns },
    );
  });

  test("returns only days and times that exist", () => {
    const two = fc.integer({ min: 0, max: 99 }).map((value) => String(value).padStart(2, "0"));
    const month = fc.constantFrom("Jan", "Feb", "Apr", "Jun", "Dec");
    const year = fc.constantFrom("2026", "2024", "1999", "0000", "9999");
    fc.assert(
      fc.property(two, month, year, two, two, two, (day, month, year, h, m, s) => {
        const text = `Tue, ${day} ${month} ${year} ${h}:${m}:${s} GMT`;
        const at = dateOf(text);
        if (!Number.isNaN(at)) assert.equal(new Date(at).toUTCString().slice(5), text.slice(5));
      }),
      { numRuns },
    );
  });

  test("accepts nothing else as a date", () => {
    const unit = fc.constantFrom(..."Tue, 24 Nov 2026 10:00:00 GMT", "-", "\u00ff", "2026", "GMT");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        if (!Number.isNaN(dateOf(text))) assert.match(text, /^[A-Z][a-z]{2,8},? /);
      }),
      { numRuns },
    );
  });
});
