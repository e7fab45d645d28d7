/**
 * `make docs`: writes docs/api.md, the API reference, from the packages' built declarations and their doc comments.
 *
 *   node scripts/api-docs.mjs           writes it
 *   node scripts/api-docs.mjs --check   fails when the committed page differs from what would be written
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publicNames } from "./docs/declarations.mjs";
import { isProgram, root } from "./process.mjs";

const page = join(root, "docs", "api.md");
const entries = [
  ["framework", "src/framework/dist/index.d.ts"],
  ["framework/opentelemetry", "src/framework/dist/opentelemetry/index.d.ts"],
  ["framework/prometheus", "src/framework/dist/prometheus/index.d.ts"],
  ["@framework/devtools", "src/devtools/dist/index.d.ts"],
];

/** What examples speak of and no package exports. */
const cast = {
  app: 'declare const app: import("framework").Framework;',
  ctx: 'declare const ctx: import("framework").Context;',
  pool: "declare const pool: { ping(): Promise<void> };",
  url: "declare const url: string;",
  provider: 'declare const provider: import("@opentelemetry/api").TracerProvider;',
  meterProvider: 'declare const meterProvider: import("@opentelemetry/api").MeterProvider;',
  register: 'import { register } from "prom-client";',
  SqlOrders: 'class SqlOrders {}\nconst Orders = Interface<SqlOrders>("Orders");',
};

/** The whole page. @returns {string} @throws Error when nothing is built */
export function apiPage() {
  const sections = entries.map(([name, file]) => ({ name, names: merged(publicNames(join(root, file))) }));
  const index = sections.map(({ name, names }) => {
    const links = names.map(({ name: one }) => `[${one}](#${anchor(name, one)})`);
    return `**\`${name}\`**: ${links.join(" · ")}`;
  });
  const head = [
    "# API reference",
    "Written by `make docs` from the doc comments of the sources: change those, not this page. Guides are in",
    "[docs/](README.md).",
  ];
  const body = sections.map(({ name, names }) =>
    [`## ${name}`, ...names.map((one) => section(name, one))].join("\n\n"),
  );
  return `${[head[0], head.slice(1).join("\n"), ...index, ...body].join("\n\n")}\n`;
}

/** A name that is an interface and a constant (a token, a class with a type) is one entry. */
function merged(names) {
  const byName = new Map();
  for (const one of names) {
    const before = byName.get(one.name);
    if (before === undefined) byName.set(one.name, one);
    else
      byName.set(one.name, {
        ...before,
        value: isValue(before) || isValue(one),
        doc: before.doc || one.doc,
        members: [...before.members, ...one.members],
      });
  }
  return [...byName.values()];
}

/** Is there something to import at run time? */
const isValue = ({ kind, value }) => value ?? !["interface", "type"].includes(kind);

const anchor = (entry, name) => `${entry}-${name}`.toLowerCase().replace(/[^a-z0-9_-]/g, "");

/** @param {string} entry @param {import("./docs/declarations.mjs").Documented} one */
function section(entry, { name, kind, signature, doc, members }) {
  const whole = signature.replace(/^(class|interface|type|const|function) /, "").replace(/;$/, "");
  // What is in a table of constants is for its guide to say.
  const what = kind === "const" ? whole.replace(/: \{ .* \}$/, ": { … }") : whole;
  const list = alike(members).map(({ signature: text, also, doc: said }) => {
    const others = also.length === 0 ? "" : `, and the same for ${also.map(code).join(" ")}`;
    return `- ${code(text)}${others}${said === "" ? "" : `<br>${inline(said)}`}`;
  });
  const parts = [
    `<a id="${anchor(entry, name)}"></a>`,
    `### ${name}`,
    `${kind} ${code(what)}`,
    prose(doc),
    list.join("\n"),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Members that differ from the one before in their name alone, and have nothing to say for themselves, join it. */
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

/** A doc comment as Markdown: prose, what is thrown, the example. */
function prose(doc) {
  const { text, tags } = split(doc);
  const notes = tags.filter(({ tag }) => tag !== "example").map(note);
  const examples = tags.filter(({ tag }) => tag === "example").map(({ text: example }) => exampleBlock(example.trim()));
  return [plain(text), ...notes, ...examples].filter((part) => part !== "").join("\n\n");
}

/** An example, type-checked with what it speaks of declared out of the reader's sight. */
function exampleBlock(example) {
  const declared = Object.entries(cast).filter(([name]) => new RegExp(`\\b${name}\\b`).test(example));
  const hidden = declared.map(([, text]) => text).join("\n");
  const imports = entries.flatMap(([entry, file]) => {
    const used = merged(publicNames(join(root, file))).filter(({ name }) => mentions(`${example}\n${hidden}`, name));
    const names = used.map((one) => (isValue(one) ? one.name : `type ${one.name}`));
    return names.length === 0 ? [] : [`import { ${names.join(", ")} } from "${entry}";`];
  });
  const setup = [...imports, hidden].filter((line) => line !== "").join("\n");
  return `<!-- setup\n${setup}\n-->\n${example.replace(/^```ts$/m, '```ts only="an excerpt, from a doc comment"')}`;
}

/** Does `text` use the name, and not as a property or within an import? */
const mentions = (text, name) => new RegExp(`(?<![."\\w])${name}\\b(?![:"])`).test(text);

/** A member's comment on one line, without examples. */
function inline(doc) {
  const { text, tags } = split(doc);
  return [plain(text), ...tags.filter(({ tag }) => tag !== "example").map(note)].join(" ").replace(/\s+/g, " ").trim();
}

function note({ tag, text }) {
  const label = { throws: "Throws", returns: "Returns", param: "Parameter" }[tag] ?? tag;
  return `*${label}:* ${plain(tag === "param" ? text.replace(/^(\S+)/, "`$1`") : text)}`;
}

/** Splits a comment at the tags that begin a line or follow a sentence. */
function split(doc) {
  const [text = "", ...rest] = doc.split(/(?:^|(?<=[.)\s]))@(?=(?:throws|returns|param|example|see)\b)/m);
  const tags = rest.map((part) => {
    const [, tag = "", body = ""] = /^(\w+)\s*([\s\S]*)$/.exec(part) ?? [];
    return { tag, text: body };
  });
  return { text, tags };
}

/** Links become code, generics and other angle brackets stay visible. */
function plain(text) {
  const linked = text
    .replace(/\{@link ([^}]+)\}/g, "`$1`")
    .replace(/\s*\n\s*(?!\n)/g, (gap) => (gap.includes("\n\n") ? "\n\n" : " "));
  return linked
    .trim()
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("");
}

if (isProgram(import.meta)) {
  const wanted = apiPage();
  if (!process.argv.includes("--check")) writeFileSync(page, wanted);
  else if (readFileSync(page, "utf8") !== wanted) {
    process.stdout.write("docs/api.md is not what the sources say: run `make docs`\n");
    process.exitCode = 1;
  }
}
