/**
 * The public names of a package, read from its built declarations (`dist/*.d.ts`), with their doc comments.
 *
 *   index.d.ts ──▶ export lists, followed to where each name is declared ──▶ Documented[]
 *
 * Declarations are what users' compilers read: no bodies, every type written out.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

/**
 * @typedef {object} Documented
 * @property {string} name
 * @property {"class" | "interface" | "type" | "const" | "function"} kind
 * @property {string} file      the declaration file, absolute
 * @property {string} doc       the comment's text without its stars; "" without one
 * @property {string} signature one line
 * @property {{ signature: string, doc: string }[]} members
 */

/**
 * Every name that `entry` exports, its own declarations first, then by its export lists; a name that is a type and a value comes once for each.
 *
 * @param {string} entry an absolute path of a `.d.ts`
 * @returns {Documented[]}
 * @throws Error when a name leads to no declaration
 */
export function publicNames(entry) {
  const module = read(entry);
  const own = module.body.flatMap((statement) => (statement.declaration ? documented(module, statement) : []));
  const others = module.body.flatMap(({ type, exportKind, source, specifiers, declaration }) => {
    if (type === "ExportNamedDeclaration" && !declaration)
      return specifiers.flatMap(({ local }) => find(entry, source?.value, local.name));
    if (type !== "ExportAllDeclaration") return [];
    const all = publicNames(resolve(entry, source.value));
    // `export type *` brings the types of constants, which nobody can import as values.
    return exportKind === "type" ? all.filter(({ kind }) => kind !== "const" && kind !== "function") : all;
  });
  return [...own, ...others];
}

/** @param {string} from @param {string | undefined} specifier @param {string} name */
function find(from, specifier, name) {
  const file = specifier === undefined ? from : resolve(from, specifier);
  const module = read(file);
  const own = module.body.flatMap((statement) => documented(module, statement)).filter((found) => found.name === name);
  if (own.length > 0) return own;
  for (const statement of module.body) {
    const leads = (list) => list?.some(({ exported, local }) => (exported ?? local).name === name);
    if (statement.source && leads(statement.specifiers)) return find(file, statement.source.value, name);
  }
  throw new Error(`${file} declares no ${name}: build first`);
}

const modules = new Map();

/** @param {string} file */
function read(file) {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const module = { file, text, comments, body: program.body };
  modules.set(file, module);
  return module;
}

/** @param {string} from @param {string} specifier */
function resolve(from, specifier) {
  const path = join(dirname(from), specifier.replace(/\.[jt]s$/, ".d.ts"));
  if (!existsSync(path)) throw new Error(`${from} exports from ${specifier}, which is not built`);
  return path;
}

const kinds = {
  ClassDeclaration: "class",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
  VariableDeclaration: "const",
  TSDeclareFunction: "function",
  FunctionDeclaration: "function",
};

/** What a statement declares. @returns {Documented[]} */
function documented(module, statement) {
  const declaration = statement.declaration ?? statement;
  const kind = kinds[declaration.type];
  if (kind === undefined) return [];
  const { text, file } = module;
  const id = declaration.id ?? declaration.declarations[0].id;
  const body = declaration.body?.body;
  const end = declaration.body && body ? declaration.body.start : declaration.end;
  const signature = oneLine(text.slice(declaration.start, end).replace(/^declare /, ""));
  const members = Array.isArray(body)
    ? [...body.filter(isPublic).map((node) => member(module, node)), ...inherited(module, declaration)]
    : [];
  return [{ name: id.name, kind, file, doc: docBefore(module, statement.start), signature, members }];
}

/** Members of a base class that is not public itself: to users they are the class's own. */
function inherited(module, { superClass }) {
  const name = superClass?.name;
  if (name === undefined) return [];
  const source = module.body.find(
    ({ type, specifiers }) => type === "ImportDeclaration" && specifiers.some(({ local }) => local.name === name),
  );
  if (source === undefined) return [];
  return find(module.file, source.source.value, name).flatMap(({ kind, members }) => (kind === "class" ? members : []));
}

function isPublic(node) {
  return node.key?.type !== "PrivateIdentifier" && !["private", "protected"].includes(node.accessibility);
}

function member(module, node) {
  const text = oneLine(module.text.slice(node.start, node.end).replace(/;$/, ""));
  return { signature: text.replace(/^(readonly|abstract) /, ""), doc: docBefore(module, node.start) };
}

/** The text of the doc comment that ends where `start` begins. */
function docBefore({ text, comments }, start) {
  const found = comments.findLast((comment) => comment.end <= start && text.slice(comment.end, start).trim() === "");
  if (found === undefined || found.type !== "Block" || !found.value.startsWith("*")) return "";
  const lines = found.value.slice(1).split("\n");
  return lines
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

/** @param {string} text */
const oneLine = (text) =>
  text
    .replace(/\/\*\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .trim();
