/**
 * Writes the client of a document: one TypeScript file that needs only `fetch`.
 *
 *   document ──▶ components as declarations ──▶ an input and a result for each operation ──▶ Client, createClient
 *                                                       what the operations share (templates/client/runtime.ts) ──┘
 *
 * The same document gives the same file, byte for byte. Types are flat: none is computed from another except by `Exclude` of
 * statuses, so an editor's work grows only linearly with the operations.
 */
import { has, listIn, objectIn, textIn, type Json } from "../document/json.ts";
import { nameOf, operationsOf, type Operation } from "../document/operations.ts";
import { Names, reservedMethods, reservedTypes } from "./names.ts";
import { clientOperation, hasUnsentBody, parts, type ClientOperation } from "./operation.ts";
import { partsOf } from "./runtime.ts";
import { commentLines, docComment, literal, templateText } from "./text.ts";
import { Types } from "./types.ts";

/** A client, and the operations that it lacks. */
export interface WrittenClient {
  readonly text: string;
  readonly operations: number;
  /** The operations that it has. */
  readonly calls: readonly ClientOperation[];
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
    calls: operations,
    leftOut: [...all.flatMap(unsentOf), ...operations.flatMap(unsentBySocket)],
  };
}

function unsentOf(one: Operation): readonly string[] {
  if (forbidden.has(one.method)) return [`left out: ${nameOf(one)}, which fetch does not send`];
  return hasUnsentBody(one) ? [`left out: the body of ${nameOf(one)}, which fetch does not send`] : [];
}

const unsentBySocket = ({ operation, shape }: ClientOperation): readonly string[] =>
  shape === "socket" && operation.parameters.some(({ place }) => place === "header" || place === "cookie")
    ? [`left out: the headers of ${nameOf(operation)}, which the WebSocket of a browser does not send`]
    : [];

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

const optionsOf = {
  call: "CallOptions",
  events: "StreamOptions",
  lines: "CallOptions",
  socket: "SocketOptions",
} as const;

function typesOf({ input, result, item, streams, name, shape, socket }: ClientOperation): string {
  const inputText =
    input.members.length === 0
      ? ""
      : `/** What \`${name}\` takes. */\nexport interface ${input.type} extends ${optionsOf[shape]} {\n${input.members.join("\n")}\n}\n\n`;
  if (socket !== undefined)
    return `${inputText}${aliasOf("sends", name, socket.sent.name, socket.sent.type)}\n${aliasOf("receives", name, socket.received.name, socket.received.type)}`;
  const itemText =
    item === undefined ? "" : `/** An item of \`${name}\`. */\nexport type ${item} =${unionOf(streams.items)};\n\n`;
  return `${inputText}${itemText}/** What \`${name}\` results in. */\nexport type ${result.type} =${unionOf(result.members)};\n`;
}

const aliasOf = (verb: string, operation: string, name: string, type: string): string =>
  `/** What \`${operation}\` ${verb}. */\nexport type ${name} = ${type};\n`;

/** On one line if it fits, else one member per line. */
function unionOf(members: readonly string[]): string {
  const line = members.length === 0 ? "never" : members.join(" | ");
  return line.length < 90 && !line.includes("\n") ? ` ${line}` : members.map((one) => `\n  | ${one}`).join("");
}

const inputOf = ({ input, shape }: ClientOperation): string =>
  `input${input.isRequired ? "" : "?"}: ${input.members.length === 0 ? optionsOf[shape] : input.type}`;

/** What a call returns. */
function returnOf({ shape, item, result, socket }: ClientOperation): string {
  if (socket !== undefined) return `TypedSocket<${socket.sent.name}, ${socket.received.name}>`;
  return shape === "call" ? `Promise<${result.type}>` : `Stream<${item ?? "unknown"}, ${result.type}>`;
}

function interfaceOf(operations: readonly ClientOperation[]): string {
  const members = operations.map(
    (one) => `${docComment(one.comment, "  ")}  ${one.name}(${inputOf(one)}): ${returnOf(one)};`,
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
  const query = one.has.has("query") ? [`query: search(${access}query${styles === "" ? "" : `, [${styles}]`})`] : [];
  if (one.socket !== undefined) {
    const { sent, received } = one.socket;
    const lines = [`path: ${pathOf(one)}`, ...query, `sent: "${sent.kind}"`, `received: "${received.kind}"`];
    return `    ${one.name}: (input) =>\n      new Socket<${sent.name}, ${received.name}>(options, input, {\n${linesOf(lines)}      }),`;
  }
  const lines = [
    `method: ${literal(one.operation.method)}`,
    `path: ${pathOf(one)}`,
    ...query,
    ...(one.has.has("headers") ? [`headers: ${access}headers`] : []),
    ...(one.has.has("cookies") ? [`cookie: cookies(${access}cookies)`] : []),
    ...(one.body === undefined ? [] : [`body: ${bodyCall(one.body, access)}`]),
    `responses: { ${[...one.kinds].map(([status, kinds]) => `${/^\d+X/.test(status) ? literal(status) : status}: ${literal(kinds)}`).join(", ")} }`,
    ...(one.streams.events.length === 0 ? [] : [`events: [${pairsOf(one.streams.events)}]`]),
    ...(one.streams.hasValues ? ["areValues: true"] : []),
  ];
  const sender = one.shape === "call" ? `send<${one.result.type}>` : `${one.shape}<${one.item}, ${one.result.type}>`;
  return `    ${one.name}: (input) =>\n      ${sender}(options, input, {\n${linesOf(lines)}      }),`;
}

const linesOf = (members: readonly string[]): string => members.map((line) => `        ${line},\n`).join("");

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
  const helpers = { params: "segment", query: "query", headers: "base", cookies: "cookies" } as const;
  const typed = operations.some(({ streams }) => streams.events.length > 0) ? ["typed"] : [];
  const used = operations.flatMap(({ body, shape, has }) => [
    ...(body === undefined ? [] : [body.kind]),
    ...(shape === "socket" ? ["socket"] : shape === "call" ? ["send"] : ["send", shape]),
    ...parts.filter((part) => has.has(part)).map((part) => helpers[part]),
  ]);
  const text = partsOf(runtime, [...used, ...typed]);
  const server = serverOf(document);
  if (server === undefined) return text;
  return text
    .replace("  readonly baseUrl: string;", () => `  readonly baseUrl?: string | undefined;`)
    .replace("Paths are appended. */", () => "Paths are appended. Default: the document's server. */")
    .replaceAll("options.baseUrl.replace", () => `(options.baseUrl ?? ${literal(server)}).replace`);
}

/** The first server, with the defaults of its variables, if its address is absolute. */
function serverOf(document: Json): string | undefined {
  const server = objectIn(listIn(document["servers"])[0]);
  const variables = objectIn(server["variables"]);
  const url = textIn(server["url"])?.replaceAll(/\{([^{}]+)\}/g, (given, name: string) =>
    has(variables, name) ? (textIn(objectIn(variables[name])["default"]) ?? given) : given,
  );
  return url !== undefined && /^https?:\/\/[^{}]+$/i.test(url) ? url : undefined;
}
