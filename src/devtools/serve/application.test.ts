/**
 * appName is the name in package.json, and undefined without one.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { appName } from "./application.ts";

describe("appName", () => {
  const said: Readonly<Record<string, string | undefined>> = {
    '{"name":"shop"}': "shop",
    '{"name":"@acme/shop"}': "@acme/shop",
    '{"name":""}': undefined,
    '{"name":7}': undefined,
    '{"name":["shop"]}': undefined,
    "{}": undefined,
    null: undefined,
    '"shop"': undefined,
    "{": undefined,
    [`{"name":"${"x".repeat(300)}"}`]: "x".repeat(60),
  };
  for (const [text, name] of Object.entries(said))
    it(`reads ${text.slice(0, 30)}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "app-name-"));
      try {
        writeFileSync(join(folder, "package.json"), text);
        assert.equal(appName(folder), name);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

  it("is undefined without a package.json", () => assert.equal(appName(join(tmpdir(), "not", "there")), undefined));
});
