/**
 * What the compiler cannot see of wire-types.ts: a module of spec/ or a wire type that is not listed there.
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

/** Schemas whose types are derived from them, wherever they are used: nothing can differ. Environment is text alone. */
const derived = (name: string): boolean =>
  name.startsWith("Subject") || name === "ServerSpan" || name === "Environment";

const isSchema = (value: unknown): boolean =>
  typeof value === "object" && value !== null && ("~kind" in value || "~unsafe" in value);

/** The names of all schemas that a module of spec/ exports. */
async function schemaNames(): Promise<readonly string[]> {
  const folder = join(root, ".build", "spec");
  const files = readdirSync(folder).filter((name) => name.endsWith(".js") && !name.endsWith(".test.js"));
  const modules = await Promise.all(
    files.map(async (name) => (await import(pathToFileURL(join(folder, name)).href)) as Record<string, unknown>),
  );
  return modules.flatMap((module) => Object.keys(module).filter((name) => isSchema(module[name])));
}

describe("the wire types", () => {
  it("are held against every schema of spec/ that has a type of its own", async () => {
    const names = (await schemaNames()).filter((name) => !derived(name));
    assert.deepEqual(names.toSorted(), Object.keys(wireTypes));
  });

  it("have each a schema in spec/", () => {
    const files = readdirSync(join(root, "src/devtools/run/shapes"));
    const text = files.map((name) => read(`src/devtools/run/shapes/${name}`)).join("");
    const exported = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)];
    // A leaf of one kind is a part of Leaf, whose schema is the whole.
    const names = exported.map(([, name = ""]) => name).filter((name) => name !== "LeafOf");
    assert.ok(names.length > 0, "no type was found");
    assert.deepEqual(
      names.filter((name) => !Object.hasOwn(wireTypes, name)),
      [],
    );
  });

  it("hold the tags of the table in trace.md, and no other", () => {
    const [, table = ""] = read("spec/trace.md").split("## Values that JSON lacks");
    const written = new Set([...table.matchAll(/"(\$\w+)"/g)].map(([, tag]) => tag));
    // These stand beside an instance's own members: they are no forms of their own.
    written.delete("$class");
    written.delete("$private");
    const tags = new Set(TaggedValue.anyOf.flatMap(({ properties }) => Object.keys(properties)));
    assert.deepEqual([...tags].toSorted(), [...written].toSorted());
  });
});
