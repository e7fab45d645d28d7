/**
 * Writes src/devtools/run/shapes.ts, the types of all data that devtools send, from the schemas of spec/ and the comments of
 * their members.
 *
 *   spec/*.ts ── esbuild ──▶ the schemas (what a value must be) ──┐
 *           └─── text ─────▶ the comments (what a member means) ──┴──▶ run/shapes.ts
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { root } from "./process.mjs";
import { writeChanged } from "./write-files.mjs";

const modules = "values graph leaves replay trace routes stream plugins services history search jobs agents".split(" ");
const outdir = join(root, ".build", "shapes");
buildSync({
  entryPoints: modules.map((name) => join(root, "spec", `${name}.ts`)),
  outdir,
  bundle: true,
  splitting: true,
  packages: "external",
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
});

/** A schema as text, without keys that do not affect its type. The same text is the same type. */
const keyOf = (schema) =>
  JSON.stringify(schema, (key, value) => (key === "$id" || key.startsWith("~") ? undefined : value));

/** The declarations of a module: each with its comment, its text and the comments of its members. */
function declarationsOf(text) {
  const found = /^(\/\*\*(?:(?!\*\/)[^])*\*\/\n)?(?:export )?const (\w+)((?:(?!\n(?:\/\*\*|export |const ))[^])*)/gm;
  const member = /(\/\*\*(?:(?!\*\/)[^])*\*\/)\s*([$\w]+):/g;
  return new Map(
    [...text.matchAll(found)].map(([, comment = "", name, body]) => {
      const members = new Map([...body.matchAll(member)].map(([, said, of]) => [of, said]));
      return [name, { comment, body, members }];
    }),
  );
}

/** The comments of a shape's members, including those of spread objects and of its maker function. */
function membersOf(declarations, name) {
  const { body, members } = declarations.get(name);
  const parts = [...body.matchAll(/\.\.\.(\w+)|^ = (\w+)\(/g)].map(([, spread, maker]) => spread ?? maker);
  const inherited = parts.filter((part) => declarations.has(part)).map((part) => membersOf(declarations, part));
  return new Map([...inherited.flatMap((one) => [...one]), ...members]);
}

const shapes = [];
for (const module of modules) {
  const exported = await import(pathToFileURL(join(outdir, `${module}.mjs`)).href);
  const declarations = declarationsOf(readFileSync(join(root, "spec", `${module}.ts`), "utf8"));
  for (const name of declarations.keys())
    if (exported[name] !== undefined && exported[name].type !== "array")
      shapes.push({ name, schema: exported[name], ...declarations.get(name), members: membersOf(declarations, name) });
}

/** A union of only texts and an object have a name in any place. Other schemas only as the same object. */
const isNamed = ({ properties, anyOf }) =>
  properties !== undefined || anyOf?.every((one) => typeof one.const === "string" || one.properties !== undefined);
const names = new Map();
for (const { name, schema } of shapes) {
  const key = isNamed(schema) ? keyOf(schema) : schema;
  if (!names.has(key)) names.set(key, name);
}

function typeOf(schema) {
  return names.get(schema) ?? names.get(keyOf(schema)) ?? shapeOf(schema);
}

function shapeOf(schema) {
  const { type, anyOf, items, properties, additionalProperties } = schema;
  if ("const" in schema) return JSON.stringify(schema.const);
  if (anyOf) return anyOf.map(typeOf).join(" | ");
  if (type === "array") return `readonly ${anyOfType(items)}[]`;
  if (type === "integer") return "number";
  if (["string", "number", "boolean", "null"].includes(type)) return type;
  if (properties)
    return `{ ${Object.keys(properties)
      .map((name) => memberOf(schema, name))
      .join(" ")} }`;
  if (type === "object" && additionalProperties) {
    const value = typeOf(additionalProperties);
    return value === "Json" ? "JsonObject" : `{ readonly [name: string]: ${value} }`;
  }
  throw new Error(`no type for the schema ${JSON.stringify(schema)}`);
}

const anyOfType = (items) => (items.anyOf && !names.has(keyOf(items)) ? `(${typeOf(items)})` : typeOf(items));

function memberOf({ properties, required = [] }, name) {
  return `readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(properties[name])};`;
}

function declarationOf({ name, schema, comment, members }) {
  if (schema.properties === undefined) return `${comment}export type ${name} = ${shapeOf(schema)};\n`;
  const lines = Object.keys(schema.properties).map((member) => {
    const said = members.get(member);
    const typed = memberOf(schema, member).replace(/^(readonly \w+\?: .*);$/, "$1 | undefined;");
    return `${said === undefined ? "" : `  ${said.replaceAll(/\n\s+/g, "\n   ")}\n`}  ${typed}\n`;
  });
  return `${comment}export interface ${name} {\n${lines.join("")}}\n`;
}

const written = `/**
 * Shapes: everything that devtools send, as types. The schemas of spec/ are their source, and hold them on the wire.
 *
 * Times that end in \`Us\` are whole microseconds from a monotonic clock; \`…At\` is epoch milliseconds.
 *
 * Written by scripts/shapes.mjs at each build.
 */

/** A JSON value; objects may be one of the forms of TaggedValue. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Keys that start with \`$\` are ours (TaggedValue); a user's own such key is written with \`$$\`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

`;
names.set(keyOf({}), "Json").set(keyOf({ type: "object" }), "JsonObject");
const texts = shapes.filter(({ name }) => !name.startsWith("Json")).map(declarationOf);
writeChanged(join(root, "src", "devtools", "run", "shapes.ts"), written + texts.join("\n"));
