/**
 * An operation of the client: its name, its input and its result, as TypeScript text.
 *
 *   parameters ──▶ params · query · headers · cookies      requestBody ──▶ body
 *   responses  ──▶ Ok<200, Order> | Failed<404, Problem>, each status in one of them
 *                  only a stream as a success ──▶ its items · x-websocket ──▶ its messages
 */
import { DocumentError } from "../errors.ts";
import { has, isJson, objectIn, textIn, type Json } from "../document/json.ts";
import { followed, nameOf, type Operation, type Parameter } from "../document/operations.ts";
import { isJsonType, mediaIn } from "./media.ts";
import { methodName, type Names, typeName } from "./names.ts";
import { outcomeOf, type Streams } from "./outcome.ts";
import { socketOf, type ClientSocket } from "./socket.ts";
import { streamOf } from "./streams.ts";
import { commentLines, docComment, literal } from "./text.ts";
import { block, docsOf, file, member, type Types } from "./types.ts";

/** The parts of a request that a client sets besides its body. */
export const parts = ["params", "query", "headers", "cookies"] as const;
type PartName = (typeof parts)[number];

/** A query parameter, and the separator of its values; or `json`, or `deep`. */
type Style = readonly [name: string, style: string];

/** How a body is sent. */
export type BodyKind = "json" | "form" | "multipart" | "raw";

/** An operation, ready to be written. */
export interface ClientOperation {
  readonly operation: Operation;
  readonly name: string;
  readonly comment: readonly string[];
  /** The name of its input type, and the members of that. Without members it has only the options of every call. */
  readonly input: { readonly type: string; readonly members: readonly string[]; readonly isRequired: boolean };
  readonly result: { readonly type: string; readonly members: readonly string[] };
  /** What it is called for: one response, a stream of items, or a WebSocket. */
  readonly shape: "call" | "events" | "lines" | "socket";
  /** The name of the items of its stream. */
  readonly item: string | undefined;
  readonly streams: Streams;
  readonly socket: ClientSocket | undefined;
  /** The parts of its input. */
  readonly has: ReadonlySet<PartName>;
  /** Query parameters with their own style. */
  readonly styles: readonly Style[];
  /** Path parameters with their own style: the additional arguments of the call. */
  readonly segments: ReadonlyMap<string, string>;
  readonly body: Pick<Body, "kind" | "type" | "types"> | undefined;
  /** Status, `4XX` or `default` → the kinds of content. */
  readonly kinds: ReadonlyMap<string, string>;
}

/** The scopes for the names of operations. */
export interface Scopes {
  readonly methods: Names;
  readonly types: Names;
}

const places: ReadonlyMap<string, PartName> = new Map([
  ["path", "params"],
  ["query", "query"],
  ["header", "headers"],
  ["cookie", "cookies"],
]);
/** OpenAPI 3.1, §4.8.12.1: a header parameter of that name has no meaning. */
const ignoredHeaders = new Set(["accept", "content-type", "authorization"]);

/** @throws DocumentError naming the part that a client cannot send */
export function clientOperation(document: Json, operation: Operation, types: Types, scopes: Scopes): ClientOperation {
  const { value, method, path } = operation;
  const given = textIn(value["operationId"]) ?? `${method.toLowerCase()} ${path.replaceAll("{", "by ")}`;
  const name = scopes.methods.take(methodName(given, method.toLowerCase()), "Operation");
  const base = typeName(name);
  const sent = operation.parameters
    .filter(isSent)
    .map((parameter) => ({ parameter, part: places.get(parameter.place) ?? unsendable(operation, parameter) }));
  const of = (part: PartName): readonly Parameter[] => sent.flatMap((one) => (one.part === part ? one.parameter : []));
  const isSocket = isJson(value["x-websocket"]);
  const present = parts.filter((part) => of(part).length > 0 && (!isSocket || part === "params" || part === "query"));
  const body = bodyOf(document, operation, types);
  const sections = present.map((part) => sectionOf(part, of(part), types));
  checkPath(operation, of("params"));
  const stream = streamOf(operation);
  const socket = socketOf(operation, types, () => ({
    sent: scopes.types.take(`${base}Sent`, "Model"),
    received: scopes.types.take(`${base}Received`, "Model"),
  }));
  const item = stream === undefined ? undefined : scopes.types.take(`${base}${itemNames[stream]}`, "Model");
  const { members, kinds, streams } = outcomeOf(document, operation, types, item);
  return {
    operation,
    name,
    comment: commentOf(operation),
    input: {
      type: scopes.types.take(`${base}Input`, "Model"),
      members: [...sections.map(({ text: member }) => member), ...(body === undefined ? [] : [body.member])],
      isRequired: sections.some(({ isRequired }) => isRequired) || body?.isRequired === true,
    },
    result: { type: scopes.types.take(`${base}Result`, "Model"), members },
    shape: socket === undefined ? (stream ?? "call") : "socket",
    item,
    streams,
    socket,
    has: new Set(present),
    styles: of("query").flatMap(styleOf),
    segments: new Map(of("params").map((parameter) => [parameter.name, segmentStyleOf(parameter)])),
    body,
    kinds,
  };
}

/** Methods that only read, so that a cache may repeat them. */
export const readMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "QUERY"]);

const itemNames = { events: "Event", lines: "Line" } as const;

const isSent = ({ place, name }: Parameter): boolean => place !== "header" || !ignoredHeaders.has(name.toLowerCase());

function unsendable(operation: Operation, { place, name }: Parameter): never {
  throw new DocumentError(
    `${nameOf(operation)} has the parameter ${literal(name)} in ${literal(place)}: path, query, header and cookie can be sent`,
  );
}

function commentOf({ method, path, value }: Operation): readonly string[] {
  const [request = ""] = commentLines(`\`${method} ${path.replaceAll(/\s/g, " ")}\``);
  const lines = [...commentLines(textIn(value["summary"])), request, ...commentLines(textIn(value["description"]))];
  return value["deprecated"] === true ? [...lines, "@deprecated"] : lines;
}

function sectionOf(
  part: PartName,
  parameters: readonly Parameter[],
  types: Types,
): { text: string; isRequired: boolean } {
  const lines = parameters.map(({ name, isRequired, value }) => {
    const type = types.of(value["schema"] ?? mediaIn(value)?.[1]["schema"], "    ", "input");
    return docComment(docsOf(value), "    ") + `    ${member(name, type, isRequired)}`;
  });
  const isRequired = parameters.some((one) => one.isRequired);
  return { text: `  ${member(part, block(lines, "  "), isRequired)}`, isRequired };
}

/** Each placeholder of a path must have a parameter, and each parameter a placeholder, since the URL is made of both. */
function checkPath(operation: Operation, parameters: readonly Parameter[]): void {
  const names = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name);
  const missing = names.find((name) => !parameters.some((one) => one.name === name));
  if (missing !== undefined)
    throw new DocumentError(`${nameOf(operation)} has no parameter ${literal(missing)}, which its path names`);
}

/** The style of a query parameter, if it does not repeat its name. */
function styleOf({ name, value }: Parameter): readonly Style[] {
  if (value["schema"] === undefined && mediaIn(value) !== undefined) return [[name, "json"]];
  const { style, explode } = value;
  if (style === "deepObject") return [[name, "deep"]];
  const separator = style === "pipeDelimited" ? "|" : style === "spaceDelimited" ? " " : ",";
  return explode === false || separator !== "," ? [[name, separator]] : [];
}

/** The arguments for the style of a path parameter, if it is not `simple`. */
function segmentStyleOf({ value }: Parameter): string {
  if (value["schema"] === undefined && mediaIn(value) !== undefined) return ', "json"';
  const style = value["style"] === "label" || value["style"] === "matrix" ? value["style"] : "simple";
  if (value["explode"] === true) return `, "${style}", true`;
  return style === "simple" ? "" : `, "${style}"`;
}

interface Body {
  readonly kind: BodyKind;
  /** Undefined if the document names a range; then the content provides the type. */
  readonly type: string | undefined;
  /** The media types that the encoding of a form gives to its parts. */
  readonly types: readonly (readonly [name: string, type: string])[];
  readonly member: string;
  readonly isRequired: boolean;
}

/** Does it have a body that `fetch` cannot send? */
export const hasUnsentBody = ({ method, requestBody }: Operation): boolean =>
  requestBody !== undefined && /^(?:GET|HEAD)$/.test(method);

function bodyOf(document: Json, operation: Operation, types: Types): Body | undefined {
  if (hasUnsentBody(operation)) return undefined;
  const { requestBody } = operation;
  const [type, media] = (requestBody === undefined ? undefined : mediaIn(requestBody)) ?? [];
  if (requestBody === undefined || type === undefined || media === undefined) return undefined;
  const kind = kindOf(type);
  const isRequired = requestBody["required"] === true;
  const text =
    kind === "raw"
      ? rawType(type)
      : types.of(kind === "multipart" ? withFiles(document, media) : media["schema"], "  ", "input");
  return {
    kind,
    type: type.includes("*") ? undefined : type,
    types: kind === "multipart" ? partTypes(media) : [],
    isRequired,
    member: docComment(docsOf(requestBody), "  ") + `  ${member("body", text, isRequired)}`,
  };
}

function kindOf(type: string): BodyKind {
  if (isJsonType(type)) return "json";
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return "form";
  return /^multipart\/form-data\b/i.test(type) ? "multipart" : "raw";
}

/** One type, not a range. Otherwise a part's type cannot be known from its name. */
const partTypes = (media: Json): Body["types"] =>
  Object.entries(objectIn(media["encoding"])).flatMap(([name, one]) => {
    const type = textIn(objectIn(one)["contentType"]) ?? "";
    return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.-]+)*$/.test(type) ? [[name, type] as const] : [];
  });

const rawType = (type: string): string => (/^text\//i.test(type) ? "string" : "string | Blob | ArrayBuffer");

/** The schema of a multipart body, with its files as files, not as texts like in JSON. */
function withFiles(document: Json, media: Json): Json {
  const schema = followed(document, media["schema"]);
  const encoding = objectIn(media["encoding"]);
  const properties = Object.entries(objectIn(schema["properties"])).map(([name, given]) => {
    const one = followed(document, given);
    const type = textIn(objectIn(encoding[name])["contentType"]) ?? "";
    if (isFile(one, type)) return [name, file] as const;
    const isOfFiles = has(one, "items") && isFile(followed(document, one["items"]), type);
    return [name, isOfFiles ? { type: "array", items: file } : given] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** 3.0 says `format: binary`; 3.1 a media type, or nothing if the encoding has it. */
const isFile = (schema: Json, encoded: string): boolean =>
  schema["format"] === "binary" ||
  typeof schema["contentMediaType"] === "string" ||
  (Object.keys(schema).length === 0 && !isJsonType(encoded)) ||
  /^(?:image|audio|video)\/|octet-stream/.test(encoded);
