/** Tests lists of structured fields: what RFC 9651 allows, and that an invalid field has no members at all. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseList } from "./structured-list.ts";

describe("parseList", () => {
  const sound: Readonly<Record<string, readonly string[]>> = {
    "": [],
    "application/json": ["application/json"],
    "  application/json  ": ["application/json"],
    "a , b,\tc": ["a", "b", "c"],
    '"text/plain", text/plain': ["text/plain", "text/plain"],
    '"3gpp/x"': ["3gpp/x"],
    '"with \\"quotes\\" and \\\\"': ['with "quotes" and \\'],
    "*/*, text/*": ["*/*", "text/*"],
    'a;q="1";b, c;  d=?1;e=-1.5;f=:YQ==:;*g=x/y;h=@1659578233': ["a", "c"],
  };
  for (const [field, values] of Object.entries(sound))
    it(`reads ${JSON.stringify(field)}`, () =>
      assert.deepEqual(
        parseList(field)?.map(({ value }) => value),
        values,
      ));

  const malformed = [
    "a,",
    ",a",
    "a,,b",
    "a b",
    "3gpp/x",
    '"open',
    '"\\a"',
    '"ü"',
    "a;",
    "a;B=1",
    "a;b=",
    "a; b =1",
    "a;b= 1",
    "(a b)",
    "1",
    "?1",
    "a	b",
    "a;b=1.1234",
    "a\0",
    "	a",
  ];
  for (const field of malformed)
    it(`treats ${JSON.stringify(field)} as malformed`, () => assert.equal(parseList(field), undefined));

  it("returns the type of a member, and the names of its parameters", () => {
    assert.deepEqual(parseList('a;x;y=1, "b"'), [
      { value: "a", form: "token", parameters: ["x", "y"] },
      { value: "b", form: "string", parameters: [] },
    ]);
  });
});
