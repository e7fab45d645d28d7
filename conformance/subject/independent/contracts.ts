/**
 * The routes of the independent subject with contracts. Every check is written out, in the order of the chapter.
 *
 * Written from spec/subject.md and spec/contracts.md.
 */
import { json, jsonOf, mediaType, type Received, Rejection, type Reply, textOf } from "./exchange.ts";

type Part = "params" | "query" | "headers" | "cookies" | "body";
type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

/** The issues of one request. */
class Issues {
  readonly #found: object[] = [];

  /** The value, which `isSound` must accept. */
  take<T>(part: Part, path: Path, value: unknown, isSound: (value: unknown) => value is T): T {
    if (isSound(value)) return value;
    const pointer = path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    this.#found.push({ in: part, path, pointer, message: "another value is needed" });
    return value as T; // Unreachable: `check` throws.
  }

  check(): void {
    if (this.#found.length > 0) throw new Rejection(422, "the contract is broken", {}, this.#found);
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isName = (value: unknown): value is string => isText(value) && value.length >= 2;
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1;
const isNumber = (value: unknown): value is number => typeof value === "number";
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !isList(value);
const isFlag = (value: unknown): value is string | undefined =>
  value === undefined || value === "true" || value === "false";
const isOptionalName = (value: unknown): value is string | undefined => value === undefined || isName(value);

/** One value as a text, several as a list. */
const valueOf = (fields: URLSearchParams, name: string): unknown => {
  const all = fields.getAll(name);
  return all.length > 1 ? all : all[0];
};

/** The cookie of that name, decoded. */
function cookieOf({ request }: Received, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  const found = pairs.find(([key]) => key === name)?.[1];
  return found === undefined ? undefined : decodeURIComponent(found);
}

/** `POST /lines/{order}` */
export async function line(received: Received): Promise<Reply> {
  const { params, query, request } = received;
  const body = await jsonOf(request);
  const issues = new Issues();
  const order = issues.take("params", ["order"], Number(params["order"]), isCount);
  const notify = issues.take("query", ["notify"], valueOf(query, "notify"), isFlag) === "true";
  const tenant = issues.take("headers", ["x-tenant"], request.headers["x-tenant"], isName);
  const session = issues.take("cookies", ["session"], cookieOf(received, "session"), isOptionalName) ?? null;
  const given = issues.take("body", [], body, isObject);
  const { sku, quantity } = isObject(given) ? given : {};
  issues.take("body", ["sku"], sku, isText);
  issues.take("body", ["quantity"], quantity, isCount);
  issues.check();
  return json({ order, notify, tags: query.getAll("tag"), tenant, session, line: { sku, quantity } }, 201);
}

/** `QUERY /lines` */
export async function lookup({ request }: Received): Promise<Reply> {
  const body = await jsonOf(request);
  const issues = new Issues();
  const sku = issues.take("body", ["sku"], isObject(body) ? body["sku"] : undefined, isText);
  issues.check();
  return json({ sku });
}

/** `POST /forms` */
export async function form({ request, contentType }: Received): Promise<Reply> {
  if (mediaType(contentType) !== "application/x-www-form-urlencoded") throw new Rejection(415, "a form is read here");
  const text = await textOf(request);
  if (/%(?![\dA-Fa-f]{2})/.test(text)) throw new Rejection(400, "a percent-escape is malformed");
  const fields = new URLSearchParams(text);
  const issues = new Issues();
  const name = issues.take("body", ["name"], valueOf(fields, "name"), isText);
  if (!fields.has("tag")) issues.take("body", ["tag"], undefined, isText);
  issues.check();
  return json({ name, tags: fields.getAll("tag") });
}

/** `POST /nested` */
export async function nested({ request }: Received): Promise<Reply> {
  const body = await jsonOf(request);
  const issues = new Issues();
  const list = issues.take("body", ["a/b"], isObject(body) ? body["a/b"] : undefined, isList);
  for (const [at, item] of isList(list) ? list.entries() : [])
    issues.take("body", ["a/b", at, "m~n"], isObject(item) ? item["m~n"] : undefined, isNumber);
  issues.check();
  return { status: 204, headers: {}, body: "" };
}

/** `GET /replies/{kind}` */
export function reply({ params }: Received): Reply {
  const value: Fields = params["kind"] === "broken" ? { id: 1, secret: "s3cr3t" } : { id: "1" };
  if (!isText(value["id"])) throw new Error("the response breaks its contract");
  return json(value);
}

const sent = (type: string, body: string): Reply => ({ status: 200, headers: { "Content-Type": type }, body });

/** `GET /typed/{name}` */
export const typed: Readonly<Record<string, Reply>> = {
  csv: sent("text/csv; charset=utf-8", "a,b\n"),
  picture: sent("image/png", "png"),
  lines: sent("application/x-ndjson", '{"id":1}\n{"id":2}\n'),
  events: sent("text/event-stream", 'event: tick\nid: 7\ndata: {"n":1}\n\nevent: done\ndata: null\n\n'),
  member: json({ id: "1" }),
  old: { status: 204, headers: { Deprecation: "@1767225600", Sunset: "Fri, 01 Jan 2027 00:00:00 GMT" }, body: "" },
};

/** `GET /tenant/stock` and `GET /tenant/name` */
export function tenant({ query, request }: Received, wantsShelf: boolean): Reply {
  const issues = new Issues();
  const found = issues.take("headers", ["x-tenant"], request.headers["x-tenant"], isName);
  const shelf = wantsShelf ? issues.take("query", ["shelf"], valueOf(query, "shelf"), isText) : undefined;
  issues.check();
  return json({ tenant: found, shelf });
}
