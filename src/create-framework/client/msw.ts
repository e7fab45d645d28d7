/**
 * Writes handlers of Mock Service Worker (v2) for a document: each operation responds with its first success, as an example.
 *
 *   GET /products/{id}, 200 Product ──▶ http.get(at("/products/{id}"), () => HttpResponse.json({ … }))
 */
import { has, isJson, listIn, objectIn, type Json } from "../document/json.ts";
import { followed, nameOf } from "../document/operations.ts";
import { exampleOf, valueOf } from "./example.ts";
import { contentKind, itemSchemaOf, mediaIn } from "./media.ts";
import type { ClientOperation } from "./operation.ts";
import { commentLines, docComment, literal, propertyName } from "./text.ts";

const named = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]);

/** The file. */
export function writeMsw(document: Json, calls: readonly ClientOperation[]): string {
  // The first handler that matches responds, so a path without placeholders comes before one with them.
  const sorted = calls.toSorted((a, b) => placeholdersIn(a) - placeholdersIn(b));
  const sockets = sorted.filter(({ socket }) => socket !== undefined);
  const requests = sorted.filter(({ socket }) => socket === undefined);
  const names = [
    ...(requests.length > 0 ? ["http", "type HttpHandler", "HttpResponse"] : []),
    ...(sockets.length > 0 ? ["type WebSocketHandler", "ws"] : []),
  ];
  const types = [...(requests.length > 0 ? ["HttpHandler"] : []), ...(sockets.length > 0 ? ["WebSocketHandler"] : [])];
  return [
    docComment(["Handlers with examples, for tests. Written by `framework client`: change the document instead."], ""),
    ...(names.length === 0 ? [] : [`import { ${names.join(", ")} } from "msw";`]),
    "",
    "/** A handler for each operation. @param baseUrl the one of the client */",
    `export function createHandlers(${calls.length > 0 ? "" : "_"}baseUrl: string): (${types.join(" | ") || "never"})[] {`,
    ...(calls.length > 0 ? [helper] : []),
    "  return [",
    ...requests.map((one) => `${commentOf(one)}    ${handlerOf(document, one)},`),
    ...sockets.map((one) => `${commentOf(one)}    ${socketHandlerOf(document, one)},`),
    "  ];",
    "}",
    "",
  ].join("\n");
}

const helper = `  const quoted = (text: string): string => text.replaceAll(/[.*+?^$()|[\\]\\\\{}]/g, String.raw\`\\$&\`);
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const base = quoted(new URL(baseUrl, location?.href).href.replace(/\\/+$/, ""));
  const at = (path: string, scheme = base): RegExp =>
    new RegExp(\`^\${scheme}\${path.split(/\\{[^{}]+\\}/).map((part) => quoted(encodeURI(part))).join("[^/]+")}$\`);`;

const placeholdersIn = ({ operation }: ClientOperation): number => operation.path.split("{").length;

const commentOf = ({ operation, name }: ClientOperation): string =>
  commentLines(`${name}: ${nameOf(operation)}`)
    .map((line) => `    // ${line}\n`)
    .join("");

function handlerOf(document: Json, one: ClientOperation): string {
  const { method, path } = one.operation;
  const isNamed = named.has(method);
  const isEvents = one.shape === "events";
  const given = isNamed && !isEvents ? "" : "{ request }";
  const response = responseOf(document, one);
  // A client of events asks again after the end. 204 ends it.
  const events = isEvents
    ? `request.headers.has("Last-Event-ID") ? new HttpResponse(null, { status: 204 }) : ${response}`
    : response;
  const body = isNamed ? events : `request.method === ${literal(method)} ? ${events} : undefined`;
  return `http.${isNamed ? method.toLowerCase() : "all"}(at(${literal(path)}), (${given}) => ${body})`;
}

function responseOf(document: Json, { operation, shape }: ClientOperation): string {
  const documented = [...operation.responses];
  const [status = "200", response = {}] =
    documented.find(([one]) => one.startsWith("2")) ??
    documented.find(([one]) => one === "default") ??
    documented[0] ??
    [];
  const code = /^\d+$/.test(status) ? Number(status) : status === "default" ? 200 : Number(status[0]) * 100;
  const [type, media] = mediaIn(response) ?? [];
  if (type === undefined || media === undefined || operation.method === "HEAD" || [204, 205, 304].includes(code))
    return `new HttpResponse(null, { status: ${code} })`;
  const kind = contentKind(type);
  const headers = `{ status: ${code}, headers: { "Content-Type": ${literal(type.includes("*") ? "application/json" : type)} } }`;
  if (kind === "json" || kind === "any")
    return type === "application/json" && code === 200
      ? `HttpResponse.json(${valueText(exampleOf(document, media))})`
      : `HttpResponse.json(${valueText(exampleOf(document, media))}, ${headers})`;
  const content = shape === "call" ? exampleOf(document, media) : undefined;
  const text =
    kind === "events" ? eventsText(document, media) : kind === "stream" ? linesText(document, media) : textOf(content);
  return kind === "binary"
    ? `new HttpResponse(new Uint8Array(), ${headers})`
    : `new HttpResponse(${literal(text)}, ${headers})`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

/** Each documented event once. */
function eventsText(document: Json, media: Json): string {
  const schema = followed(document, itemSchemaOf(media));
  const alternatives =
    [listIn(schema["oneOf"]), listIn(schema["anyOf"]), [schema]].find((list) => list.length > 0) ?? [];
  const events = alternatives.map((one, at) => {
    const properties = objectIn(followed(document, one)["properties"]);
    const data = followed(document, properties["data"]);
    const name = valueOf(document, properties["event"]);
    const value = has(data, "contentSchema") ? valueOf(document, data["contentSchema"]) : valueOf(document, data);
    const text = has(data, "contentSchema") ? JSON.stringify(value) : textOf(value);
    return `id: ${at + 1}\n${typeof name === "string" ? `event: ${name}\n` : ""}data: ${text.replaceAll("\n", "\ndata: ")}\n\n`;
  });
  return events.join("");
}

const linesText = (document: Json, media: Json): string =>
  isJson(itemSchemaOf(media)) ? `${JSON.stringify(valueOf(document, itemSchemaOf(media)))}\n` : "";

function socketHandlerOf(document: Json, { operation: { value, path } }: ClientOperation): string {
  const { outgoing } = objectIn(value["x-websocket"]);
  const link = `ws.link(at(${literal(path)}, base.replace(/^http/, "ws")))`;
  const sent = outgoing === undefined ? "" : `client.send(${literal(JSON.stringify(valueOf(document, outgoing)))})`;
  return `${link}.addEventListener("connection", (${sent === "" ? "" : "{ client }"}) => ${sent === "" ? "undefined" : sent})`;
}

/** A value of JSON as an expression. */
function valueText(value: unknown): string {
  if (typeof value === "string") return literal(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (!isJson(value)) return JSON.stringify(value ?? null);
  const members = Object.entries(value).map(
    ([name, one]) => `${name === "__proto__" ? `[${literal(name)}]` : propertyName(name)}: ${valueText(one)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
