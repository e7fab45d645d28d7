/** The OpenAPI document of spec/ has every endpoint of devtools. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openapi } from "../spec/openapi.ts";

const constants = fileURLToPath(new URL("../../src/devtools/run/wire.ts", import.meta.url));

/** The suffix for endpoints that return one of many entries. */
const one: Readonly<Record<string, string>> = {
  RUNS_PATH: "{instance}.{sequence}",
  REPLAYS_PATH: "{instance}.{sequence}",
};

/** The endpoints, by the constants that the server and the page share. */
function endpoints(): readonly string[] {
  const text = readFileSync(constants, "utf8");
  const named = [...text.matchAll(/^export const (\w+_PATH) = "([^"]+)";/gm)];
  return named.map(([, name = "", path = ""]) => path + (one[name] ?? ""));
}

describe("the OpenAPI document", () => {
  it("has every endpoint of devtools, including nested ones, and no other", () => {
    const written = Object.keys(openapi.paths).filter((path) => path.startsWith("/framework/dev"));
    const within = ["panels/{name}", "replays/{instance}.{sequence}/test"];
    const found = [...endpoints(), ...within.map((path) => `/framework/dev/api/${path}`)];
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
