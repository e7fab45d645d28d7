/**
 * A loader that adds a call to the start of every function of the framework. It shows the path of a request: the functions
 * that it runs through, and their files. For way.process.test.ts, in a separate process (`node --import`).
 */
import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { type LoadHook, register } from "node:module";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

/** Receives each call. */
export type Call = (file: string, name: string) => void;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;
const functions = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];
const named = ["MethodDefinition", "PropertyDefinition", "Property", "VariableDeclarator"];

/** `source` with a call of `globalThis.calls` at the start of each function. */
function counted(source: string, file: string): string {
  const edits: (readonly [at: number, text: string])[] = [];
  const nameOf = (value: unknown): string | undefined =>
    isNode(value) && typeof value["name"] === "string" ? value["name"] : undefined;
  const visit = (value: unknown, outer: string): void => {
    if (Array.isArray(value)) return value.forEach((one) => visit(one, outer));
    if (!isNode(value)) return;
    const name = nameOf(value["id"]) ?? (named.includes(value.type) ? nameOf(value["key"]) : undefined) ?? outer;
    const { body } = value;
    if (functions.includes(value.type) && isNode(body)) {
      const call = `globalThis.calls?.(${JSON.stringify(file)}, ${JSON.stringify(name)})`;
      if (body.type === "BlockStatement") edits.push([body.start + 1, `${call};`]);
      else edits.push([body.start, `(${call},`], [body.end, ")"]);
    }
    for (const member of Object.values(value)) visit(member, name);
  };
  visit(parseSync(file, source).program, "");
  const inOrder = edits.toSorted(([a], [b]) => b - a);
  return inOrder.reduce((text, [at, inserted]) => text.slice(0, at) + inserted + text.slice(at), source);
}

/** Node's hook. */
export const load: LoadHook = async (url, context, next) => {
  const file = /\/src\/framework\/dist\/(?!bundle\/)(.+)\.js$/.exec(url)?.[1];
  if (file === undefined) return next(url, context);
  return { format: "module", shortCircuit: true, source: counted(readFileSync(fileURLToPath(url), "utf8"), file) };
};

if (isMainThread) register(import.meta.url);
