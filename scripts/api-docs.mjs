/**
 * `make docs`: writes docs/api/, the API reference with a page for each import, from the packages' built declarations and their
 * doc comments. api-docs.test.ts fails on a stale committed page, docs.test.ts compiles the examples.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publicNames } from "./docs/declarations.mjs";
import { isProgram, root } from "./process.mjs";
import { writeFolder } from "./write-files.mjs";

/** Every import of the packages with its declarations: what their `exports` say, `framework` and its entries first. */
const entries = ["framework", "devtools"].flatMap((folder) => {
  const { name, exports } = JSON.parse(readFileSync(join(root, "src", folder, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([, { types }]) => types !== undefined)
    .map(([path, { types }]) => [path.replace(".", name), join("src", folder, types)]);
});

/** Names that examples use and no package exports. */
const cast = {
  app: 'declare const app: import("framework").Framework;',
  ctx: 'declare const ctx: import("framework").Context;',
  pool: "declare const pool: { ping(): Promise<void> };",
  url: "declare const url: string;",
  tracer: 'declare const tracer: import("@opentelemetry/api").Tracer;',
  provider: 'declare const provider: import("@opentelemetry/api").TracerProvider;',
  meterProvider: 'declare const meterProvider: import("@opentelemetry/api").MeterProvider;',
  createClient: 'import { createClient } from "redis";',
  tokens: 'declare const tokens: { ownerOf(token: string): Promise<import("framework/auth").Principal | undefined> };',
  z: 'import { z } from "zod";',
  register: 'import { register } from "prom-client";',
  SqlOrders: 'class SqlOrders {}\nconst Orders = Interface<SqlOrders>("Orders");',
};

const written = "Written by `make docs` from the doc comments of the sources: change those, not this page.";

/**
 * File name → page: one for each import, and the list of them. @returns {Map<string, string>} @throws Error if nothing is built
 */
export function apiPages() {
  const pages = sections().map(({ entry, names }) => {
    const links = names.map(({ name }) => `[${name}](#${anchor(name)})`).join(" · ");
    return [fileOf(entry), [`# ${entry}`, written, links, ...names.map((one) => section(one, entry))]];
  });
  const list = sections().map(
    ({ entry, names }) =>
      `- [\`${entry}\`](${fileOf(entry)}): ${names.length} ${names.length === 1 ? "name" : "names"}`,
  );
  const index = ["# API reference", `${written} Guides are in [docs/](../README.md).`, list.join("\n")];
  return new Map([["README.md", index], ...pages].map(([file, parts]) => [file, `${parts.join("\n\n")}\n`]));
}

/** @param {string} entry */
const fileOf = (entry) => `${entry.replace(/^.*\//, "")}.md`;

/** The public names of each entry. An interface and a constant with one name (a token) are one entry of the page. */
function sections() {
  return entries.map(([entry, file]) => {
    const byName = new Map();
    for (const one of publicNames(join(root, file))) {
      const value = !["interface", "type"].includes(one.kind);
      const before = byName.get(one.name);
      byName.set(one.name, {
        ...one,
        ...before,
        value: value || before?.value === true,
        doc: before?.doc || one.doc,
        members: [...(before?.members ?? []), ...one.members],
      });
    }
    return { entry, names: [...byName.values()] };
  });
}

const anchor = (name) => name.toLowerCase();

/** @param {import("./docs/declarations.mjs").Documented} one @param {string} entry whose page it is on */
function section({ name, kind, signature, doc, members }, entry) {
  const whole = signature.replace(/^(class|interface|type|const|function) /, "").replace(/;$/, "");
  // The guide describes the members of a table of constants.
  const what = kind === "const" ? whole.replace(/: \{ .* \}$/, ": { … }") : whole;
  const list = alike(members).map(({ signature: text, also, doc: said }) => {
    const others = also.length === 0 ? "" : `, and the same for ${also.map(code).join(" ")}`;
    return `- ${code(text)}${others}${said === "" ? "" : `<br>${inline(said)}`}`;
  });
  const parts = [`## ${name}`, `${kind} ${code(what)}`, prose(doc, entry)];
  return [...parts, list.join("\n")].filter((part) => part !== "").join("\n\n");
}

/** Joins members that differ from the previous one only by name and have no comment. */
function alike(members) {
  const joined = [];
  for (const { signature, doc } of members) {
    const [, name = "", rest = ""] = /^(\w+)([<(].*)$/.exec(signature) ?? [];
    const before = joined.at(-1);
    if (rest !== "" && doc === "" && before?.rest === rest) before.also.push(name);
    else joined.push({ signature, doc, rest, also: [] });
  }
  return joined;
}

/** @param {string} text */
const code = (text) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

/** A doc comment as Markdown: text, thrown errors, the example. */
function prose(doc, entry) {
  const { text, notes, examples } = split(doc);
  return [plain(text), ...notes, ...examples.map((example) => exampleBlock(example, entry))]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** A member's comment on one line, without examples. */
function inline(doc) {
  const { text, notes } = split(doc);
  return [plain(text), ...notes].join(" ").replace(/\s+/g, " ").trim();
}

/** An example, type-checked with hidden declarations of the names that it uses. */
function exampleBlock(example, ofPage) {
  const hidden = Object.entries(cast).flatMap(([name, text]) =>
    new RegExp(`\\b${name}\\b`).test(example) ? text : [],
  );
  // Used, but not as a property or in an import.
  const used = ({ name }) => new RegExp(`(?<![."\\w])${name}\\b(?![:"])`).test([example, ...hidden].join("\n"));
  const all = sections();
  const own = new Set(all.find(({ entry }) => entry === ofPage).names.map(({ name }) => name));
  const imports = all.flatMap(({ entry, names }) => {
    const list = names
      .filter((one) => used(one) && (entry === ofPage || !own.has(one.name)))
      .map(({ name, value }) => (value ? name : `type ${name}`));
    return list.length === 0 ? [] : [`import { ${list.join(", ")} } from "${entry}";`];
  });
  const setup = [...imports, ...hidden].join("\n");
  return `<!-- setup\n${setup}\n-->\n${example.replace(/^```ts$/m, '```ts only="an excerpt, from a doc comment"')}`;
}

/** Splits a comment at the tags that begin a line or follow a sentence. */
function split(doc) {
  const [text = "", ...rest] = doc.split(/(?:^|(?<=[.)\s]))@(?=(?:throws|returns|param|example|see)\b)/m);
  const tags = rest.map((part) => /^(\w+)\s*([\s\S]*)$/.exec(part)?.slice(1) ?? []);
  const examples = tags.filter(([tag]) => tag === "example").map(([, example]) => example.trim());
  return { text, notes: tags.filter(([tag]) => tag !== "example").map(note), examples };
}

function note([tag, text]) {
  const label = { throws: "Throws", returns: "Returns", param: "Parameter" }[tag] ?? tag;
  return `*${label}:* ${plain(tag === "param" ? text.replace(/^(\S+)/, "`$1`") : text)}`;
}

/** Converts links to code, and keeps generics and other angle brackets visible. */
function plain(text) {
  const linked = text
    .replace(/\{@link ([^}]+)\}/g, "`$1`")
    .replace(/\s*\n\s*(?!\n)/g, (gap) => (gap.includes("\n\n") ? "\n\n" : " "));
  return linked.trim().replace(/`[^`]*`|</g, (part) => (part === "<" ? "&lt;" : part));
}

if (isProgram(import.meta)) writeFolder(join(root, "docs", "api"), apiPages());
