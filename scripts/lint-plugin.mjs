/**
 * This repository's own lint rules, which no linter has: three rules, loaded by oxlint (.oxlintrc.json).
 *
 *   house/import-table   imports follow scripts/import-table.mjs
 *   house/documented     a file opens with a header comment, every exported name has a doc comment
 *   house/plain-words    comments do without the turns of scripts/plain-words.mjs
 *
 * Every other source check of `make check` is one of oxlint's own rules.
 */
import { posix, relative, sep } from "node:path";
import { table } from "./import-table.mjs";
import { unclearIn } from "./plain-words.mjs";

const pathOf = ({ cwd, filename }) => relative(cwd, filename).split(sep).join("/");

/** The name of an import: a path from the root, `node:…` or `npm:…`. */
function nameOf(path, specifier) {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
  return specifier.startsWith("node:") ? specifier : `npm:${specifier}`;
}

const isType = (node, kind) =>
  node[kind] === "type" || (node.specifiers?.length > 0 && node.specifiers.every((one) => one[kind] === "type"));

const importTable = {
  create(context) {
    const path = pathOf(context);
    const row = table.find(([, from]) => from.test(path));
    if (row === undefined)
      return {
        Program: (node) => context.report({ node, message: "belongs to no row of scripts/import-table.mjs: add one" }),
      };
    const [room, , may, mayType] = row;
    const check = (node, typeOnly) => {
      // A computed address cannot be resolved here.
      if (typeof node.source?.value !== "string") return;
      const name = nameOf(path, node.source.value);
      if (may.test(name) || (typeOnly && mayType?.test(name))) return;
      const what = typeOnly ? "the type of " : "";
      context.report({ node, message: `${room} may not import ${what}${name}: see scripts/import-table.mjs` });
    };
    return {
      ImportDeclaration: (node) => check(node, isType(node, "importKind")),
      ExportNamedDeclaration: (node) => check(node, isType(node, "exportKind")),
      ExportAllDeclaration: (node) => check(node, isType(node, "exportKind")),
      ImportExpression: (node) => check(node, false),
    };
  },
};

const namesIn = (declaration) =>
  (declaration?.declarations ?? [declaration]).flatMap((holder) => holder?.id?.name ?? []);

const documented = {
  create(context) {
    const source = context.sourceCode;
    const hasDoc = (node) => {
      const line = (offset) => source.getLocFromIndex(offset).line;
      let next = node.range[0];
      for (const { type, value, range } of source.getCommentsBefore(node).toReversed()) {
        if (line(next) - line(range[1]) > 1) return false;
        if (type === "Block" && value.startsWith("*")) return true;
        next = range[0];
      }
      return false;
    };
    return {
      Program(program) {
        if (!source.text.replace(/^#!.*\n/, "").startsWith("/**"))
          context.report({ node: program, message: "opens without a header comment: say what the file is for" });
        const exported = new Set();
        const declared = new Map();
        for (const node of program.body) {
          if (node.type === "ExportNamedDeclaration" && node.source === null)
            for (const name of [...namesIn(node.declaration), ...node.specifiers.map(({ local }) => local.name)])
              exported.add(name);
          // One documented declaration is enough for a name of both a type and a value.
          for (const name of namesIn(node.declaration ?? node))
            declared.set(name, [...(declared.get(name) ?? []), node]);
        }
        for (const [name, nodes] of declared)
          if (exported.has(name) && !nodes.some(hasDoc))
            context.report({ node: nodes[0], message: `the export ${name} has no doc comment directly before it` });
      },
    };
  },
};

const plainWords = {
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments())
        for (const message of unclearIn(comment.value)) context.report({ node: comment, message });
    },
  }),
};

export default {
  meta: { name: "house" },
  rules: { "import-table": importTable, documented, "plain-words": plainWords },
};
