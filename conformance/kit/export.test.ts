/** The package's data has its documented shape and is complete. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { requirements } from "../../spec/requirements.ts";
import { ClausesShape, clausesDocument } from "./export.ts";
import { misfit } from "./shape.ts";

interface Document {
  readonly clauses: readonly Readonly<Record<string, unknown>>[];
}

describe("clausesDocument", () => {
  const document = clausesDocument() as Document;

  it("matches its shape and has every clause, in the order of the chapters", () => {
    assert.equal(misfit(ClausesShape, document), undefined);
    const ids = document.clauses.map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), Object.keys(requirements).toSorted());
    const chapters = [...new Set(document.clauses.map(({ chapter }) => String(chapter)))];
    assert.deepEqual(chapters, chapters.toSorted());
  });

  it("gives the source and the requirements of a clause", () => {
    const { why, ...clause } = document.clauses.find(({ id }) => id === "ROUTE-004") ?? {};
    assert.deepEqual(clause, {
      id: "ROUTE-004",
      chapter: "routing.md",
      level: "MUST",
      origin: "house",
      surface: "wire",
      features: ["raw-path"],
      schema: null,
      sentence: "A path with a dot segment, encoded or not, between slashes or backslashes, MUST be rejected with 400.",
      sources: [],
    });
    assert.match(String(why), /^Dot segments and empty segments are never resolved/);
  });

  it("refers only to existing schemas", () => {
    const files = readdirSync(new URL("../../../src/framework/spec/", import.meta.url));
    const schemas = document.clauses.flatMap(({ schema }) => (schema === null ? [] : [`${String(schema)}.json`]));
    assert.deepEqual(
      schemas.filter((file) => !files.includes(file)),
      [],
    );
  });
});
