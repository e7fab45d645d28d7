/**
 * Every exported name of the packages has a doc comment that stands directly before its declaration;
 * one documented declaration is enough for a name that is both a type and a value. A file opens with
 * a header comment.
 */
import { isNode, isTest, lineOf, nodes, type Source, type SyntaxNode } from "./source.ts";

interface Declared {
  readonly name: string;
  readonly start: number;
  readonly documented: boolean;
}

/** One sentence for every undocumented export, and for every file without a header. */
export function docFindings(sources: readonly Source[]): readonly string[] {
  return sources.filter(({ path }) => !isTest(path)).flatMap((source) => [...headers(source), ...exportsOf(source)]);
}

function headers({ path, text }: Source): readonly string[] {
  return text.replace(/^#!.*\n/, "").startsWith("/**") ? [] : [`${path}:1: opens without a header comment`];
}

function exportsOf(source: Source): readonly string[] {
  const declared = statements(source.program).flatMap((statement) => declarations(source, statement));
  const exported = exportedNames(source.program);
  const documented = new Set(declared.filter((found) => found.documented).map(({ name }) => name));
  const reported = new Set<string>();
  return declared.flatMap(({ name, start }) => {
    if (!exported.has(name) || documented.has(name) || reported.has(name)) return [];
    reported.add(name);
    return [`${source.path}:${lineOf(source.text, start)}: the export ${name} has no doc comment`];
  });
}

function statements(program: SyntaxNode): readonly SyntaxNode[] {
  const body = program["body"];
  return Array.isArray(body) ? body.filter(isNode) : [];
}

function declarations(source: Source, statement: SyntaxNode): readonly Declared[] {
  const inner = statement["declaration"];
  const declaration = isNode(inner) ? inner : statement;
  const documented = hasDoc(source, statement.start);
  return namesOf(declaration).map((name) => ({ name, start: statement.start, documented }));
}

function namesOf(declaration: SyntaxNode): readonly string[] {
  const list = declaration["declarations"];
  const holders = Array.isArray(list) ? list.filter(isNode) : [declaration];
  return holders.flatMap((holder) => {
    const id = holder["id"];
    const name = isNode(id) ? id["name"] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}

/** Names exported where they are declared, and by `export { … }` without a source. */
function exportedNames(program: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of nodes(program, "ExportNamedDeclaration")) {
    if (isNode(statement["source"])) continue;
    const declaration = statement["declaration"];
    if (isNode(declaration)) for (const name of namesOf(declaration)) names.add(name);
    for (const specifier of nodes(statement, "ExportSpecifier")) {
      const local = specifier["local"];
      if (isNode(local) && typeof local["name"] === "string") names.add(local["name"]);
    }
  }
  return names;
}

/** True after a doc comment that ends on the line before; other comments may stand between. */
function hasDoc({ text, comments }: Source, start: number): boolean {
  let offset = start;
  for (const { type, value, start: from, end } of comments.toReversed()) {
    if (end > offset) continue;
    const between = text.slice(end, offset);
    if (between.trim() !== "" || between.split("\n").length > 2) return false;
    if (type === "Block" && value.startsWith("*")) return true;
    offset = from;
  }
  return false;
}
