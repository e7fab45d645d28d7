/**
 * A check beyond the compiler: each schema of spec/ has a type that is made from it or compared with it.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { TaggedValue } from "../spec/trace.ts";
import { wireTypes } from "./wire-types.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Schemas that only tests read. Their types are derived where they are used. */
const derived = (name: string): boolean =>
  name.startsWith("Subject") || name === "ServerSpan" || name === "Environment";

const isShape = (value: unknown): boolean =>
  typeof value === "object" && value !== null && ("~kind" in value || "~unsafe" in value) && !("items" in value);

/** The names of all schemas that a module of spec/ exports, except lists of another one. */
async function schemaNames(): Promise<readonly string[]> {
  const folder = join(root, ".build", "spec");
  const files = readdirSync(folder).filter((name) => name.endsWith(".js") && !name.endsWith(".test.js"));
  const modules = await Promise.all(
    files.map(async (name) => (await import(pathToFileURL(join(folder, name)).href)) as Record<string, unknown>),
  );
  return modules.flatMap((module) => Object.keys(module).filter((name) => isShape(module[name])));
}

describe("the types of the wire formats", () => {
  it("cover every schema of spec/: devtools' types are generated from it, framework's are compared with it", async () => {
    const shapes = read("src/devtools/run/shapes.ts").matchAll(/^export (?:interface|type) (\w+)/gm);
    const typed = new Set([...[...shapes].map(([, name = ""]) => name), ...Object.keys(wireTypes)]);
    const names = (await schemaNames()).filter((name) => !derived(name));
    assert.ok(names.length > 100, `only ${names.length} schemas were found`);
    assert.deepEqual(names.toSorted(), [...typed].toSorted());
  });

  it("have the tags of the table in trace.md, and no other", () => {
    const [, table = ""] = read("spec/trace.md").split("## Values that JSON lacks");
    const written = new Set([...table.matchAll(/"(\$\w+)"/g)].map(([, tag]) => tag));
    // These are next to an instance's own members and not separate forms.
    written.delete("$class");
    written.delete("$private");
    const tags = new Set(TaggedValue.anyOf.flatMap(({ properties }) => Object.keys(properties)));
    assert.deepEqual([...tags].toSorted(), [...written].toSorted());
  });
});
