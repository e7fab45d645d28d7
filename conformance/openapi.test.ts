/** The OpenAPI document of spec/ has every endpoint of devtools. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openapi } from "../spec/openapi.ts";

const wire = fileURLToPath(new URL("../../src/devtools/run/wire.ts", import.meta.url));

/** The rest of the path for endpoints that return one of many entries. */
const one: Readonly<Record<string, string>> = {
  "panels/": "{name}",
  "jobs/": "{name}/{id}",
  "runs/": "{instance}.{sequence}",
  "replays/": "{instance}.{sequence}",
};

/** The endpoints, by the interface that the server, the page and the terminal share. */
function endpoints(): readonly string[] {
  const text = readFileSync(wire, "utf8");
  const [, members = ""] = /^export interface Endpoints \{(.*?)^\}/ms.exec(text) ?? [];
  const named = [...members.matchAll(/^  readonly (?:(\w+)|\[\w+: `(\w+\/)\$\{string\}`\]):/gm)];
  const names = named.map(([, name = "", list = ""]) => name + list + (one[list] ?? ""));
  // The analyses are only for the page of the same version (DEV-090).
  names.splice(names.indexOf("analyses/"), 1);
  return ["/framework/dev", ...names.map((name) => `/framework/dev/api/${name}`)];
}

describe("the OpenAPI document", () => {
  it("has every endpoint of devtools, including nested ones, and no other", () => {
    const written = Object.keys(openapi.paths).filter((path) => path.startsWith("/framework/dev"));
    const found = [...endpoints(), "/framework/dev/api/replays/{instance}.{sequence}/test"];
    assert.ok(found.length > 10);
    assert.deepEqual(written.toSorted(), found.toSorted());
  });

  it("declares each path parameter, and each operation once", () => {
    const operations = Object.entries(openapi.paths).flatMap(([path, item]) =>
      Object.values(item).map((operation: { operationId: string; parameters?: readonly object[] }) => ({
        path,
        operation,
      })),
    );
    for (const { path, operation } of operations) {
      const inPath = (operation.parameters ?? []).filter((one) => Reflect.get(one, "in") === "path");
      assert.deepEqual(
        inPath.map((one) => `{${Reflect.get(one, "name")}}`),
        path.match(/\{\w+\}/g) ?? [],
        path,
      );
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.deepEqual(ids.length, new Set(ids).size);
  });
});
