/**
 * The public names of a package, read from its built declarations (`dist/*.d.ts`), with their doc comments.
 *
 *   index.d.ts ──▶ export lists, followed to where each name is declared ──▶ Documented[]
 *
 * This is our own code until TypeDoc supports TypeScript 7. Declarations are what users' compilers read: they have no bodies, and
 * every type is explicit.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

/**
 * @typedef {object} Documented
 * @property {string} name
 * @property {"class" | "interface" | "type" | "const" | "function"} kind
 * @property {string} doc       the comment's text without its stars; "" without one
 * @property {string} signature one line
 * @property {{ signature: string, doc: string }[]} members
 */

/**
 * Every name that `entry` exports, its own declarations first. A name for a type and a value is listed once for each.
 *
 * @param {string} entry an absolute path of a `.d.ts`
 * @returns {Documented[]}
 * @throws Error if a name has no declaration
 */
export function publicNames(entry) {
  const module = read(entry);
  const own = module.body.flatMap((statement) => (statement.declaration ? documented(module, statement) : []));
  const others = module.body.flatMap(({ type, exportKind, source, specifiers, declaration }) => {
    if (type === "ExportNamedDeclaration" && !declaration)
      return specifiers.flatMap(({ local }) => find(source ? resolve(entry, source) : entry, local.name));
    if (type !== "ExportAllDeclaration") return [];
    // `export type *` exports the types of constants, which cannot be imported as values.
    const all = publicNames(resolve(entry, source));
    return exportKind === "type" ? all.filter(({ kind }) => kind !== "const" && kind !== "function") : all;
  });
  return [...own, ...others];
}

function find(file, name) {
  const module = read(file);
  const own = module.body.flatMap((statement) => documented(module, statement)).filter((found) => found.name === name);
  if (own.length > 0) return own;
  const leads = ({ exported, local }) => (exported ?? local).name === name;
  const through = module.body.find(({ source, specifiers }) => source && specifiers?.some(leads));
  if (through === undefined) throw new Error(`${file} declares no ${name}: build first`);
  return find(resolve(file, through.source), name);
}

const modules = new Map();

function read(file) {
  if (!modules.has(file)) {
    const text = readFileSync(file, "utf8");
    const { program, comments } = parseSync(file, text);
    modules.set(file, { file, text, comments, body: program.body });
  }
  return modules.get(file);
}

const resolve = (from, { value }) => join(dirname(from), value.replace(/\.[jt]s$/, ".d.ts"));

const kinds = {
  ClassDeclaration: "class",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
  VariableDeclaration: "const",
  TSDeclareFunction: "function",
  FunctionDeclaration: "function",
};

/** The declarations in a statement. @returns {Documented[]} */
function documented(module, statement) {
  const declaration = statement.declaration ?? statement;
  const kind = kinds[declaration.type];
  if (kind === undefined) return [];
  const { name } = declaration.id ?? declaration.declarations[0].id;
  const body = declaration.body?.body;
  const end = body ? declaration.body.start : declaration.end;
  const signature = oneLine(module.text.slice(declaration.start, end).replace(/^declare /, ""));
  const own = (body ?? []).filter(isPublic).map((node) => member(module, node));
  const members = [...own, ...inherited(module, declaration.superClass?.name)];
  return [{ name, kind, doc: docBefore(module, statement.start), signature, members }];
}

/** Members of a base class that is not public itself. To users they belong to the class. */
function inherited({ file, body }, name) {
  const source = body.find(
    ({ type, specifiers }) => type === "ImportDeclaration" && specifiers.some(({ local }) => local.name === name),
  )?.source;
  if (source === undefined || !source.value.startsWith(".")) return []; // A base class of another package is public there.
  return find(resolve(file, source), name).flatMap(({ kind, members }) => (kind === "class" ? members : []));
}

const isPublic = ({ key, accessibility }) =>
  key?.type !== "PrivateIdentifier" && !["private", "protected"].includes(accessibility);

function member(module, node) {
  const text = oneLine(module.text.slice(node.start, node.end).replace(/;$/, ""));
  return { signature: text.replace(/^(readonly|abstract) /, ""), doc: docBefore(module, node.start) };
}

/** The text of the doc comment that ends where `start` begins. */
function docBefore({ text, comments }, start) {
  const found = comments.findLast((comment) => comment.end <= start && text.slice(comment.end, start).trim() === "");
  const [, lines = ""] = /^\*(.*)$/s.exec(found?.value ?? "") ?? [];
  return lines.replace(/[ \t]*\n\s*\* ?/g, "\n").trim();
}

const oneLine = (text) =>
  text
    .replace(/\/\*\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .trim();
