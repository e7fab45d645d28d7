/** Properties of ranges: any requested range gives that part, the whole, or an error (STATIC). */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import parseRange from "range-parser";
import { created } from "../testing/harness.testkit.ts";
import { StaticMiddleware } from "./index.ts";
import { fixture } from "./fixture.testkit.ts";

const numRuns = Number(process.env["FC_RUNS"] ?? 200);
const files = fixture();
after(() => files.remove());
const { app } = created();
app.use(new StaticMiddleware({ root: files.root }));

const digits = "0123456789";

async function ask(
  headers: Record<string, string>,
): Promise<readonly [status: number, text: string, range: string | null]> {
  const response = await app.request("/assets/digits.txt", { headers });
  return [response.status, await response.text(), response.headers.get("content-range")];
}

const number = fc.oneof(
  fc.nat(12).map(String),
  fc.constantFrom("", "00", "9", "10", "99999999999999999999", "-1", "1e1"),
);
const blank = fc.constantFrom("", "", "", " ");
const spec = fc.tuple(number, blank, number).map(([from, gap, to]) => `${from}${gap}-${to}`);
const unit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("bytes=", "Bytes=") },
  { weight: 1, arbitrary: fc.constantFrom("bytes =", "items=", "bytes", "") },
);
const grammar = fc
  .tuple(unit, blank, fc.array(spec, { minLength: 1, maxLength: 2 }), blank)
  .map(([unit, before, specs, behind]) => `${unit}${before}${specs.join(",")}${behind}`.trim());
const noise = fc
  .string({ unit: fc.constantFrom(..."bytes=0123456789-, \t;*"), maxLength: 30 })
  .map((text) => text.trim());

describe("StaticMiddleware", () => {
  test("STATIC-005 STATIC-018 STATIC-006: sends range-parser's part, the whole unless it is a single range, or 416", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(grammar, noise), async (range) => {
        const [status, text, contentRange] = await ask({ Range: range });
        const isOne = /^bytes=[ \t]*(?:\d+-\d*|-\d+)$/i.test(range);
        const [, first, last] = /=\s*(\d*)-(\d*)/.exec(range) ?? [];
        // A last position before the first is not a range (RFC 9110 §14.1.1). The package reads it as an empty one.
        const isTurned = first !== "" && last !== "" && BigInt(last ?? 0) < BigInt(first ?? 0);
        if (!isOne || isTurned) return assert.deepEqual([status, text, contentRange], [200, digits, null], range);
        // A suffix longer than the file means all of it, which the package does not support.
        const asked = first === "" && BigInt(last ?? 0) > 10n ? "bytes=0-" : range;
        const parsed = parseRange(10, asked);
        if (typeof parsed === "number")
          return assert.deepEqual([status, contentRange], [416, "bytes */10"], `${range}: ${parsed}`);
        const { start = 0, end = 0 } = parsed[0] ?? {};
        assert.deepEqual(
          [status, text, contentRange],
          [206, digits.slice(start, end + 1), `bytes ${start}-${end}/10`],
          range,
        );
      }),
      { numRuns },
    );
  });

  test("STATIC-007: gives one of five statuses for any conditions, with the right bytes", async () => {
    const response = await app.request("/assets/digits.txt");
    const etag = response.headers.get("etag") ?? "";
    const date = response.headers.get("last-modified") ?? "";
    const value = fc.oneof(
      fc.constantFrom(etag, `W/${etag}`, '"x"', "*", date, new Date(0).toUTCString(), "Tue, 99 Foo 2026 10:00:00 GMT"),
      fc.string({ unit: fc.constantFrom(...`${etag}W/*, GMT`), minLength: 1, maxLength: 12 }).map((text) => `"${text}`),
    );
    const names = ["If-Match", "If-None-Match", "If-Range", "If-Modified-Since", "If-Unmodified-Since"] as const;
    const headers = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(headers, fc.option(grammar), async (conditions, range) => {
        const given = Object.fromEntries(Object.entries(conditions).map(([name, text]) => [name, String(text).trim()]));
        const [status, text, contentRange] = await ask({ ...given, ...(range === null ? {} : { Range: range }) });
        const [, from = 0, to = 9] = /^bytes (\d+)-(\d+)\//.exec(contentRange ?? "") ?? [];
        const bodies: Readonly<Record<number, boolean>> = {
          200: text === digits,
          206: text !== "" && text === digits.slice(Number(from), Number(to) + 1),
          304: text === "",
          412: text.includes('"status":412'),
          416: text.includes('"status":416'),
        };
        assert.ok(bodies[status], `${status} ${text}`);
        if (given["If-Range"] !== undefined && ![etag, date].includes(given["If-Range"])) assert.notEqual(status, 206);
      }),
      { numRuns },
    );
  });
});
