/** The shapes work as files: together, in a validator that knows nothing else. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { root } from "../test/environment.ts";
import { partsOf, readShapes, type Schema } from "./kit/schema-files.ts";

const shapes = readShapes();
/** In these, an unknown member is another form or a mistake. */
const exact = new Set(["config.schema", "TaggedValue"]);
/** The parts of shapes that have `keyword`. */
const parts = [...shapes].flatMap(([id, schema]) => partsOf(schema).map((part) => ({ id, part })));
const having = (keyword: string): readonly string[] =>
  parts.filter(({ part }) => Object.hasOwn(part, keyword)).map(({ id }) => id);

/** Every keyword that the shapes use. */
const known = new Set([
  "$schema",
  "$id",
  "title",
  "description",
  "default",
  "type",
  "const",
  "enum",
  "anyOf",
  "not",
  "properties",
  "required",
  "additionalProperties",
  "propertyNames",
  "items",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "pattern",
  "minLength",
  "maxLength",
]);

describe("the shapes", () => {
  it("load together in one validator without formats, each by its own name", () => {
    const files = readdirSync(join(root, "src", "framework", "spec")).filter((name) => name !== "openapi.json");
    assert.deepEqual([...shapes.keys()].map((id) => `${id}.json`).toSorted(), files.toSorted());
    const ajv = new Ajv2020({ strict: true, schemas: [...shapes.values()] });
    for (const id of shapes.keys()) assert.equal(typeof ajv.getSchema(id), "function", id);
    assert.deepEqual(having("$id").toSorted(), [...shapes.keys()].toSorted());
    const unknown = parts.flatMap(({ part }) => Object.keys(part).filter((keyword) => !known.has(keyword)));
    assert.deepEqual([...new Set(unknown)], []);
  });

  it("are closed exactly if another member is a mistake, and open otherwise", () => {
    const objects = parts.filter(({ part }) => part["properties"] !== undefined);
    assert.ok(objects.length > shapes.size);
    const wrong = objects.filter(
      ({ id, part }) => part["additionalProperties"] !== (exact.has(id) ? false : undefined),
    );
    assert.deepEqual(
      wrong.map(({ id, part }) => [id, Object.keys(part["properties"] as object)]),
      [],
    );
  });

  it("specify the values under arbitrary names", () => {
    // `{ "type": "object" }` alone is any JSON object, such as a recorded value.
    const records = parts.filter(({ part }) => part["type"] === "object" && part["properties"] === undefined);
    const open = records.filter(
      ({ part }) => Object.keys(part).length > 1 && typeof part["additionalProperties"] !== "object",
    );
    assert.deepEqual(open, []);
    const named = ["MetricsSnapshot", "HealthResult", "ServerSpan", "Trace", "SubjectCookies", "RouteContract"];
    const closed = new Set(records.filter(({ part }) => Object.keys(part).length > 1).map(({ id }) => id));
    assert.deepEqual(
      named.filter((id) => !closed.has(id)),
      [],
    );
  });

  it("restrict texts by patterns and lengths, and use the pattern syntax that ECMA-262, RE2 and Java share", () => {
    assert.deepEqual(having("format"), []);
    const patterns = new Set(
      // The patterns of options are for editors.
      parts.flatMap(({ id, part }) =>
        typeof part["pattern"] === "string" && !id.endsWith(".schema") ? [part["pattern"]] : [],
      ),
    );
    assert.ok(patterns.size > 10);
    // No backreference, no lookaround, no class that Unicode would widen.
    const special = [...patterns].filter((pattern) => /\\[1-9kpPwWbB]|\(\?[^:]/.test(pattern));
    assert.deepEqual(special, []);
    const dates = parts.flatMap(({ part }) => timesIn(part));
    assert.ok(dates.length >= 4);
    assert.deepEqual(
      dates.filter(
        (pattern) =>
          !new RegExp(pattern).test("2026-11-25T14:11:28.113Z") || new RegExp(pattern).test("2026-13-25T14:11:28.113Z"),
      ),
      [],
    );
  });

  it("bound every number from below, and count in integers", () => {
    const isNumber = ({ type, const: only }: Schema): boolean =>
      /^(?:number|integer)$/.test(String(type)) && only === undefined;
    const numbers = parts.filter(({ part }) => isNumber(part));
    const isBounded = ({ minimum, exclusiveMinimum }: Schema): boolean => Number(minimum ?? exclusiveMinimum) >= 0;
    const free = numbers.filter(({ part }) => !isBounded(part));
    // The unit of a span's attribute is not known.
    assert.deepEqual(
      free.map(({ id }) => id),
      ["ServerSpan", "SubjectEvidence"],
    );
    const members = parts.flatMap(({ part }) => Object.entries((part["properties"] ?? {}) as Record<string, Schema>));
    const fractions = members.filter(([, member]) => {
      const within = partsOf(member);
      return within.some((part) => isNumber(part) && part["type"] === "number") && !within.some(isComposed);
    });
    assert.deepEqual([...new Set(fractions.map(([name]) => name))].toSorted(), [
      "attributes",
      "le",
      "lift",
      "max",
      "mean",
      "min",
      "p",
      "p50",
      "p90",
      "p95",
      "p95Ms",
      "p99",
      "share",
      "sum",
      "total",
    ]);
  });
});

/** Does it declare members or items? */
const isComposed = ({ properties, items }: Schema): boolean => properties !== undefined || items !== undefined;

/** The patterns of members that contain times as text. */
function timesIn({ properties = {} }: Schema): readonly string[] {
  return Object.entries(properties as Record<string, Schema>).flatMap(([name, member]) =>
    name === "time" || name === "startedAt" || name === "$date"
      ? partsOf(member).flatMap(({ pattern }) => (typeof pattern === "string" ? [pattern] : []))
      : [],
  );
}
