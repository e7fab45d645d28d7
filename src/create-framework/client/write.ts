/**
 * Writes the client of a document: one TypeScript file that needs only `fetch`.
 *
 *   document ──▶ components as declarations ──▶ an input and a result for each operation ──▶ Client, createClient
 *                                                       what the operations share (templates/client/runtime.ts) ──┘
 *
 * The same document gives the same file, byte for byte. Types are flat: none is computed from another except by `Exclude` of
 * statuses, so an editor's work grows only linearly with the operations.
 */
import { listIn, objectIn, textIn, type Json } from "../document/json.ts";
import { nameOf, operationsOf } from "../document/operations.ts";
import { Names, reservedMethods, reservedTypes } from "./names.ts";
import { clientOperation, hasUnsentBody, parts, type ClientOperation } from "./operation.ts";
import { commentLines, docComment, literal, templateText } from "./text.ts";
import { Types } from "./types.ts";

/** A client, and the operations that it lacks. */
export interface WrittenClient {
  readonly text: string;
  readonly operations: number;
  /** Sentences about operations that `fetch` cannot send. */
  readonly leftOut: readonly string[];
}

/** Methods that the standard of `fetch` forbids. */
const forbidden = new Set(["CONNECT", "TRACE", "TRACK"]);

/** @param runtime the text of templates/client/runtime.ts @throws DocumentError naming the part that cannot be read */
export function writeClient(document: Json, runtime: string): WrittenClient {
  const typeNames = new Names(reservedTypes);
  const types = new Types(document, typeNames);
  const scopes = { methods: new Names(reservedMethods), types: typeNames };
  const all = operationsOf(document);
  const sent = all.filter(({ method }) => !forbidden.has(method));
  const operations = sent.map((one) => clientOperation(document, one, types, scopes));
  const sections = [
    headerOf(document),
    ...types.declarations(),
    ...operations.map(typesOf),
    interfaceOf(operations),
    functionOf(operations),
    runtimeFor(document, operations, runtime),
  ];
  return {
    text: sections.join("\n"),
    operations: operations.length,
    leftOut: all.flatMap((one) => {
      const what = forbidden.has(one.method)
        ? nameOf(one)
        : hasUnsentBody(one)
          ? `the body of ${nameOf(one)}`
          : undefined;
      return what === undefined ? [] : [`left out: ${what}, which fetch does not send`];
    }),
  };
}

function headerOf(document: Json): string {
  const info = objectIn(document["info"]);
  const title = commentLines(`${textIn(info["title"]) ?? "A service"} ${textIn(info["version"]) ?? ""}`.trim()).join(
    " ",
  );
  const lines = [
    `The client of ${title}. Written by \`framework client\` from its OpenAPI document: change that, not this file.`,
    "",
    "A documented response is a result, also where it is a problem: `result.ok` and `result.status` tell which. So is any",
    "other success. Other failures and media types are thrown as UnexpectedResponseError, and what `fetch` throws is thrown.",
  ];
  return docComment(lines, "");
}

function typesOf({ input, result, name }: ClientOperation): string {
  const inputText =
    input.members.length === 0
      ? ""
      : `/** What \`${name}\` takes. */\nexport interface ${input.type} extends CallOptions {\n${input.members.join("\n")}\n}\n\n`;
  return `${inputText}/** What \`${name}\` results in. */\nexport type ${result.type} =${unionOf(result.members)};\n`;
}

/** On one line if it fits, else one member per line. */
function unionOf(members: readonly string[]): string {
  const line = members.length === 0 ? "never" : members.join(" | ");
  return line.length < 90 && !line.includes("\n") ? ` ${line}` : members.map((one) => `\n  | ${one}`).join("");
}

const inputOf = ({ input }: ClientOperation): string =>
  `input${input.isRequired ? "" : "?"}: ${input.members.length === 0 ? "CallOptions" : input.type}`;

function interfaceOf(operations: readonly ClientOperation[]): string {
  const members = operations.map(
    (one) => `${docComment(one.comment, "  ")}  ${one.name}(${inputOf(one)}): Promise<${one.result.type}>;`,
  );
  return `/** Every operation of the service. */\nexport interface Client {\n${members.join("\n")}\n}\n`;
}

function functionOf(operations: readonly ClientOperation[]): string {
  return [
    "/** A client of the service. */",
    "export function createClient(options: ClientOptions): Client {",
    "  return {",
    ...operations.map(callOf),
    "  };",
    "}",
    "",
  ].join("\n");
}

function callOf(one: ClientOperation): string {
  const access = one.input.isRequired ? "input." : "input?.";
  const styles = pairsOf(one.styles);
  const lines = [
    `method: ${literal(one.operation.method)}`,
    `path: ${pathOf(one)}`,
    ...(one.has.has("query") ? [`query: search(${access}query${styles === "" ? "" : `, [${styles}]`})`] : []),
    ...(one.has.has("headers") ? [`headers: ${access}headers`] : []),
    ...(one.has.has("cookies") ? [`cookie: cookies(${access}cookies)`] : []),
    ...(one.body === undefined ? [] : [`body: ${bodyCall(one.body, access)}`]),
    `responses: { ${[...one.kinds].map(([status, kinds]) => `${/^\d+X/.test(status) ? literal(status) : status}: ${literal(kinds)}`).join(", ")} }`,
  ];
  const call = lines.map((line) => `        ${line},\n`).join("");
  return `    ${one.name}: (input) =>\n      send<${one.result.type}>(options, input, {\n${call}      }),`;
}

function bodyCall({ kind, type, types }: NonNullable<ClientOperation["body"]>, access: string): string {
  const takesType = kind === "json" || kind === "raw";
  const parts = types.length === 0 ? "" : `, [${pairsOf(types)}]`;
  return `${kind}(${access}body${takesType ? `, ${type === undefined ? "undefined" : literal(type)}` : parts})`;
}

const pairsOf = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map((pair) => `[${pair.map(literal).join(", ")}]`).join(", ");

/** A path with its parameters, encoded. */
function pathOf({ operation, has, segments }: ClientOperation): string {
  if (!has.has("params")) return literal(operation.path);
  const text = operation.path
    .split(/(\{[^{}]+\})/)
    .map((piece) => {
      const name = /^\{([^{}]+)\}$/.exec(piece)?.[1];
      return name === undefined
        ? templateText(piece)
        : `\${segment(${literal(name)}, input.params[${literal(name)}]${segments.get(name) ?? ""})}`;
    })
    .join("");
  return `\`${text}\``;
}

/** The parts of the runtime that these operations use. If the document names a server, it is the default. */
function runtimeFor(document: Json, operations: readonly ClientOperation[], runtime: string): string {
  const used = new Set<string>(["base", ...operations.flatMap(({ body }) => body?.kind ?? [])]);
  const helpers = { params: "segment", query: "query", headers: "base", cookies: "cookies" } as const;
  for (const part of parts) if (operations.some(({ has }) => has.has(part))) used.add(helpers[part]);
  if (used.has("segment") || used.has("query")) used.add("encoded");
  const text = runtime
    .split(/^\/\/ #part /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)] as const)
    .filter(([name]) => used.has(name))
    .map(([, body]) => body)
    .join("");
  const server = serverOf(document);
  if (server === undefined) return text;
  return text
    .replace("  readonly baseUrl: string;", () => `  readonly baseUrl?: string | undefined;`)
    .replace("paths are put behind it. */", () => "paths are put behind it. Default: the document's server. */")
    .replace("options.baseUrl.replace", () => `(options.baseUrl ?? ${literal(server)}).replace`);
}

/** The first server, if its address is absolute. */
function serverOf(document: Json): string | undefined {
  const url = textIn(objectIn(listIn(document["servers"])[0])["url"]);
  return url !== undefined && /^https?:\/\/[^{}]+$/i.test(url) ? url : undefined;
}
