/**
 * Tests which package of TanStack Query a generated file imports.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../harness.testkit.ts";
import { tanStackFor } from "./installed.ts";

const folder = temporaryFolder();

/** A file in a project with that package.json, and that installed package. */
function fileIn(manifest: string, installed?: { readonly name: string; readonly version: string }): string {
  const project = mkdtempSync(join(folder, "project-"));
  writeFileSync(join(project, "package.json"), manifest);
  if (installed !== undefined) {
    const own = join(project, "node_modules", installed.name);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "package.json"), JSON.stringify(installed));
  }
  return join(project, "src", "queries.ts");
}

describe("tanStackFor", () => {
  it("is the adapter of the project, with streams since 5.86", () => {
    const name = "@tanstack/vue-query";
    const manifest = JSON.stringify({ dependencies: { [name]: "^5" } });
    const found = ["5.85.9", "5.86.0", "6.0.0", "4.9.9"].map((version) =>
      tanStackFor(fileIn(manifest, { name, version })),
    );
    assert.deepEqual(
      found,
      [false, true, true, false].map((hasStreams) => ({ name, hasStreams })),
    );
  });

  it("is the core without an adapter, and for a package.json that cannot be read", () => {
    const core = { name: "@tanstack/query-core", hasStreams: true };
    assert.deepEqual(
      [tanStackFor(fileIn("{}")), tanStackFor(fileIn("{")), tanStackFor(fileIn("[]"))],
      [core, core, core],
    );
  });
});
