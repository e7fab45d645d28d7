/**
 * One parsed source file, as the architecture checks see it.
 *
 *   text ──▶ oxc-parser ──▶ imports (type-only ones marked) + syntax tree + comments
 *
 * A file that does not parse is an error, never an empty answer.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { parseSync, type Comment } from "oxc-parser";

/** Any node of the syntax tree: a type, a span of offsets, and children under names of its own. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [child: string]: unknown;
}

/** One `import`, `export … from`, `import()` or `import("…").Type`. */
export interface Import {
  readonly specifier: string;
  /** The imported file, relative to the root; undefined for a package. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
}

/** A source file: its path is relative to the root and has forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly program: SyntaxNode;
  readonly comments: readonly Comment[];
}

/** Every TypeScript source below `folders`, without build output, declarations and templates. */
export function readSources(root: string, folders: readonly string[]): readonly Source[] {
  const ignored = /(^|\/)(dist|node_modules|\.build|templates)\//;
  const names = folders.flatMap((folder) => list(join(root, folder)).map((name) => join(folder, name)));
  return names
    .map((name) => name.split(sep).join("/"))
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts") && !ignored.test(name))
    .toSorted()
    .map((name) => parseSource(name, readFileSync(join(root, name), "utf8")));
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

/** Parses one file. @throws Error naming the file when it is not valid TypeScript. */
export function parseSource(path: string, text: string): Source {
  const { program, module, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  const tree = program as unknown as SyntaxNode;
  const imports = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
    })),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ specifier: moduleRequest.value, typeOnly: isType }] : [],
      ),
    ),
    // A computed address cannot be resolved here; a literal one is an import like any other.
    ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const literal = /^(["'`])([^$]*)\1$/.exec(text.slice(start, end))?.[2];
      return literal === undefined ? [] : [{ specifier: literal, typeOnly: false }];
    }),
    ...importTypes(tree),
  ];
  const lines = text.endsWith("\n") ? text.split("\n").length - 1 : text.split("\n").length;
  return { path, text, lines, program: tree, comments, imports: imports.map((found) => resolve(path, found)) };
}

function resolve(from: string, { specifier, typeOnly }: { specifier: string; typeOnly: boolean }): Import {
  const target = specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : undefined;
  return { specifier, target, typeOnly };
}

function importTypes(tree: SyntaxNode): readonly { specifier: string; typeOnly: boolean }[] {
  return nodes(tree, "TSImportType").flatMap((node) => {
    const source = node["source"] ?? node["argument"];
    const value = isNode(source) ? source["value"] : undefined;
    return typeof value === "string" ? [{ specifier: value, typeOnly: true }] : [];
  });
}

/** All nodes of the given types below (and including) `node`, in document order. */
export function nodes(node: SyntaxNode, ...types: readonly string[]): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) {
      if (types.includes(value.type)) found.push(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(node);
  return found;
}

/** True for a value that is a node of the tree. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** The line (from 1) of an offset. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** True for a test file or a helper that only tests load. */
export function isTest(path: string): boolean {
  return /(\.test\.tsx?|\.testkit\.ts|\/testing\/[^/]+)$/.test(path);
}
