/** Tests the grouping of clauses by one fault. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequirementId } from "../../spec/requirements.ts";
import { sharedCauses } from "./causes.ts";
import type { Comparison } from "./comparison.ts";
import { sent, type Exchange } from "./exchange.ts";
import type { HeaderLines } from "./response.ts";

const got = (target: string, status: number, headers: HeaderLines = []): Exchange => ({
  sent: sent("GET", target, headers),
  status,
  headers: [],
  body: "",
});
const row = { name: "it", held: false, expected: "400", seen: "500" };
const table: Comparison = { what: "it", expected: "", seen: "", rows: [row, row] };
const failure = (
  id: RequirementId,
  failed: readonly Exchange[],
  { reason = id, comparison = table }: { readonly reason?: string; readonly comparison?: Comparison } = {},
) => ({ case: { id }, failed, reason, comparison });

describe("sharedCauses", () => {
  it("names the clauses that fail on the same request and status, the largest group first", () => {
    const malformed = got("/users/%zz", 500);
    const found = sharedCauses([
      failure("ROUTE-003", [malformed, got("/users/%", 500)]),
      failure("ERR-001", [malformed]),
      failure("ERR-001", [malformed], { reason: "another case of it" }),
      failure("ERR-030", [malformed, got("/nowhere", 200)]),
      failure("ROUTE-007", [got("/nowhere", 200)]),
      failure("ROUTE-006", [got("/users/1/", 404)]),
    ]);
    assert.deepEqual(found, [
      { cause: "GET /users/%zz → 500", ids: ["ERR-001", "ERR-030", "ROUTE-003"] },
      { cause: "GET /nowhere → 200", ids: ["ERR-030", "ROUTE-007"] },
    ]);
  });

  it("treats random words of one request as equal", () => {
    const found = sharedCauses([
      failure("ROUTE-007", [got("/0123456789abcdef", 200)]),
      failure("ERR-001", [got("/fedcba9876543210", 200)]),
    ]);
    assert.deepEqual(found, [{ cause: "GET /… → 200", ids: ["ERR-001", "ROUTE-007"] }]);
  });

  it("blames none of many exchanges if the failed one is not known", () => {
    const many = [got("/users/1", 200), got("/nowhere", 200)];
    const comparison = { ...table, rows: [] };
    const failures = [failure("ERR-001", many, { comparison }), failure("CORS-006", many, { comparison })];
    assert.deepEqual(sharedCauses(failures), []);
  });

  it("separates requests with different headers or different responses", () => {
    const origin = [["origin", "https://app.example"]] as const;
    const failures = [
      failure("ROUTE-007", [got("/users/1", 200)]),
      failure("CORS-004", [got("/users/1", 200, origin)]),
      failure("ERR-001", [got("/users/1", 404)]),
    ];
    assert.deepEqual(sharedCauses(failures), []);
  });

  it("compares the finding if a response only shows the effects of earlier ones", () => {
    const reason = "the body does not fit its shape: /logs/0 must have time";
    const evidence = [got("/users/1", 200), got("/__subject/evidence", 200)];
    const found = sharedCauses([
      failure("LOG-001", evidence, { reason }),
      failure("LOG-003", evidence, { reason }),
      failure("LOG-005", evidence, { reason: "another thing" }),
    ]);
    assert.deepEqual(found, [{ cause: reason, ids: ["LOG-001", "LOG-003"] }]);
  });
});
