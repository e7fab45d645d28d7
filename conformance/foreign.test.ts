/** The committed reports of frameworks that are not ours, and the table in README.md that is made of them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { foreignMarkdown } from "./kit/foreign-tables.ts";
import { ReportShape, type Report } from "./kit/report-shape.ts";
import { misfit } from "./kit/shape.ts";

const read = (name: string): string => readFileSync(new URL(`../../conformance/${name}`, import.meta.url), "utf8");

describe("the foreign reports", () => {
  const names = ["fastify", "hono", "express", "java"];
  const reports = names.map((name): unknown => JSON.parse(read(`foreign/reports/${name}.json`)));

  it("are of the shape of every report, and hold no address", () => {
    for (const report of reports) {
      assert.equal(misfit(ReportShape, report), undefined);
      assert.deepEqual(
        (report as Report).subjects.filter(({ url }) => url !== ""),
        [],
      );
    }
  });

  it("are what the table in README.md says", () => {
    const columns = reports.map((report, at) => ({ name: names[at] ?? "", about: "", report: report as Report }));
    const [, ...rows] = foreignMarkdown(columns).split("\n");
    assert.ok(read("README.md").includes(rows.join("\n")), "stale: make foreign WRITE=1");
  });
});
