/**
 * The routes of the independent subject, as a table, and route matching.
 *
 * Written from spec/subject.md, spec/routing.md and spec/query.md.
 */
import { setTimeout } from "node:timers/promises";
import * as contracts from "./contracts.ts";
import { json, jsonOf, mediaType, type Received, Rejection, type Reply, textOf } from "./exchange.ts";

type Handler = (received: Received) => Reply | Promise<Reply>;

/** One path and its methods. With `accept`, its QUERY accepts only these types. */
export interface Route {
  readonly pattern: string;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly accept?: readonly string[];
}

const orders = new Map<string, object>();

const search: Readonly<Record<string, Handler>> = {
  GET: () => json({ method: "GET" }),
  QUERY: async ({ method, contentType, query, request }) => {
    const lists = Object.fromEntries([...query.keys()].map((key) => [key, query.getAll(key)]));
    return json({ method, contentType, body: await jsonOf(request), query: lists });
  },
};

const text = (body: string): Reply => ({ status: 200, headers: { "Content-Type": "text/plain; charset=utf-8" }, body });

/** In the order of matching: literal before `{name}` before `*name`. */
export const routes: readonly Route[] = [
  { pattern: "/users/{id}", handlers: { GET: ({ params }) => json(params) } },
  { pattern: "/users/{id}/posts/{postId}", handlers: { GET: ({ params }) => json(params) } },
  { pattern: "/files/*path", handlers: { GET: ({ params }) => json(params) } },
  { pattern: "/match/a/x", handlers: { GET: () => json({ matched: "/match/a/x" }) } },
  { pattern: "/match/c/y", handlers: { GET: () => json({ matched: "/match/c/y" }) } },
  { pattern: "/match/{name}/y", handlers: { GET: () => json({ matched: "/match/{name}/y" }) } },
  { pattern: "/match/*rest", handlers: { GET: () => json({ matched: "/match/*rest" }) } },
  { pattern: "/echo", handlers: { POST: async ({ request }) => json(await jsonOf(request)) } },
  { pattern: "/orders", handlers: { POST: create } },
  { pattern: "/orders/{id}", handlers: { GET: ({ params }) => json(found(params["id"])) } },
  { pattern: "/search", handlers: search, accept: ["application/json"] },
  { pattern: "/api/search", handlers: search, accept: ["application/json"] },
  {
    pattern: "/lookup",
    handlers: {
      QUERY: async ({ method, contentType, request }) => json({ method, contentType, text: await textOf(request) }),
    },
  },
  { pattern: "/lines/{order}", handlers: { POST: contracts.line } },
  { pattern: "/lines", handlers: { QUERY: contracts.lookup }, accept: ["application/json"] },
  { pattern: "/forms", handlers: { POST: contracts.form } },
  { pattern: "/nested", handlers: { POST: contracts.nested } },
  { pattern: "/replies/{kind}", handlers: { GET: contracts.reply } },
  ...Object.entries(contracts.typed).map(([name, reply]) => ({
    pattern: `/typed/${name}`,
    handlers: { GET: () => reply },
  })),
  { pattern: "/tenant/stock", handlers: { GET: (received) => contracts.tenant(received, true) } },
  { pattern: "/tenant/name", handlers: { GET: (received) => contracts.tenant(received, false) } },
  { pattern: "/cookies", handlers: { GET: ({ request }) => cookies(request.headers.cookie ?? "") } },
  { pattern: "/parallel", handlers: { GET: () => json(["Left", "Middle", "Right"]) } },
  {
    pattern: "/boom",
    handlers: {
      GET: () => {
        throw new Error("a secret of the server");
      },
    },
  },
  {
    pattern: "/fail/{status}",
    handlers: {
      GET: ({ params }) => {
        const status = number(params["status"], 400, 599);
        throw new Rejection(status, `failed with ${status} as asked`, { "X-Failed": String(status) });
      },
    },
  },
  {
    pattern: "/slow/{ms}",
    handlers: {
      GET: async ({ params }) => await setTimeout(number(params["ms"], 0, 30_000), json({ ms: Number(params["ms"]) })),
    },
  },
  {
    pattern: "/big/{bytes}",
    handlers: { GET: ({ params }) => text("x".repeat(number(params["bytes"], 0, 67_108_864))) },
  },
  { pattern: "/reset/{token}", handlers: { GET: () => json({ method: "GET" }) } },
  { pattern: "/events/{n}", handlers: { GET: ({ params }) => events(number(params["n"], 0, 1_000_000)) } },
  { pattern: "/vary/{kind}", handlers: { GET: ({ params }) => varied(params["kind"] ?? "") } },
  { pattern: "/partner/{id}", handlers: { GET: ({ params }) => json(params) } },
  { pattern: "/returns/{kind}", handlers: { GET: ({ params }) => returned(params["kind"] ?? "") } },
  { pattern: "/metrics", handlers: { GET: ({ metrics }) => json(metrics()) } },
  { pattern: "/cut", handlers: { GET: () => ({ ...bytes("begun"), cut: true }) } },
];

/** The cookies of a request, and two of the subject's own. */
function cookies(field: string): Reply {
  const pairs = field.split("; ").filter((pair) => pair !== "");
  const read = pairs.map((pair) => [pair.split("=")[0], decodeURIComponent(pair.slice(pair.indexOf("=") + 1))]);
  const { headers, ...reply } = json(Object.fromEntries(read));
  const attributes = "SameSite=Lax; HttpOnly; Secure; Path=/";
  const set = [`color=${encodeURIComponent("sea green; äöü")}; ${attributes}`, `size=9; ${attributes}`];
  return { ...reply, headers: { ...headers, "Set-Cookie": set } };
}

async function create({ request }: Received): Promise<Reply> {
  const order = await jsonOf(request);
  const given = (name: string): unknown =>
    typeof order === "object" && order !== null ? Reflect.get(order, name) : undefined;
  const [item, total] = [given("item"), given("total")];
  const issues = [
    ...(typeof item === "string" && item !== "" ? [] : [{ path: ["item"], message: "a text is needed" }]),
    ...(typeof total === "number" && total >= 0 ? [] : [{ path: ["total"], message: "a number from 0 is needed" }]),
  ];
  if (issues.length > 0) throw new Rejection(422, "no such order can be made", {}, issues);
  const id = String(orders.size + 1);
  orders.set(id, { id, item, total });
  return json({ id }, 201);
}

function found(id = ""): object {
  const order = orders.get(id);
  if (order === undefined) throw new Rejection(404, "no such order");
  return order;
}

function number(given = "", min: number, max: number): number {
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= min && value <= max) return value;
  throw new Rejection(400, `a number from ${min} to ${max} is allowed`);
}

function events(count: number): Reply {
  return { status: 200, headers: { "Content-Type": "text/event-stream" }, body: "", more: ticks(count) };
}

function* ticks(count: number): Generator<string> {
  for (let n = 1; n <= count; n += 1) yield `event: tick\nid: ${n}\ndata: {"n":${n}}\n\n`;
}

const bytes = (body: string): Reply => ({ status: 200, headers: { "Content-Type": "application/octet-stream" }, body });

function returned(kind: string): Reply {
  const reply = formOf(kind);
  return { ...reply, headers: { ...reply.headers, "X-After": kind } };
}

function formOf(kind: string): Reply {
  if (kind === "text") return text("text");
  if (kind === "json") return json({ kind });
  if (kind === "bytes" || kind === "stream") return bytes(kind);
  if (kind === "response") return { status: 202, headers: { "Content-Type": "text/csv" }, body: "a,b" };
  if (kind === "events") return events(1);
  if (kind === "error") throw new Rejection(409, "returned as asked");
  if (kind === "nothing") return { status: 204, headers: {}, body: "" };
  throw new Rejection(404, "no such kind");
}

function varied(kind: string): Reply {
  if (!["text", "stream", "response", "events"].includes(kind)) throw new Rejection(404, "no such kind");
  const said = { events: { ...events(0), more: [`data: ${kind}\n\n`] }, stream: bytes(kind) }[kind];
  const reply = said ?? text(kind);
  return { ...reply, headers: { ...reply.headers, Vary: "Origin, Accept" } };
}

/** The path as a handler may read it: decoded once, with plain slashes, without repeated ones. */
export function readable(path: string): string {
  try {
    return decodeURIComponent(path).replace(/[/\\]+/g, "/");
  } catch {
    return path;
  }
}

/** A path's segments, decoded once. @throws Rejection 400 for a bad escape and for a dot segment */
export function segmentsOf(path: string): readonly string[] {
  const raw = path
    .replace(/^https?:\/\/[^/]*/, "")
    .slice(1)
    .split("/");
  const segments = raw.map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      throw new Rejection(400, "the path holds a malformed escape");
    }
  });
  const parts = segments.flatMap((segment) => segment.split(/[/\\]/));
  if (parts.some((part) => part === "." || part === "..")) throw new Rejection(400, "a dot segment");
  return segments;
}

/** The route of a path. A wildcard does not accept a path that would belong to another route with plain slashes. */
export function routeAt(segments: readonly string[]): Route | undefined {
  const first = (parts: readonly string[]): Route | undefined =>
    routes.find(({ pattern }) => fit(pattern, parts) !== undefined);
  const found = first(segments);
  if (found?.pattern.includes("*") !== true) return found;
  return first(
    readable(`/${segments.map(encodeURIComponent).join("/")}`)
      .slice(1)
      .split("/"),
  ) === found
    ? found
    : undefined;
}

/** The parameters of a pattern for the segments, or undefined if it does not match. */
export function fit(pattern: string, segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  const parts = pattern.slice(1).split("/");
  const params: Record<string, string> = {};
  const ended = segments.length > 1 && segments.at(-1) === "" ? segments.slice(0, -1) : segments;
  for (const [i, part] of parts.entries()) {
    const segment = ended[i] ?? "";
    if (segment === "") return undefined;
    if (part.startsWith("*")) {
      const rest = segments.slice(i).join("/");
      return /^[/\\]/.test(rest) ? undefined : { ...params, [part.slice(1)]: rest };
    }
    if (part.startsWith("{")) params[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return ended.length === parts.length ? params : undefined;
}

/** Rejects a QUERY without a well-formed type (400), or with one that is not accepted (415). */
export function checkQuery({ accept }: Route, { contentType }: Received): void {
  const type = mediaType(contentType);
  if (type === undefined) throw new Rejection(400, "QUERY needs a well-formed Content-Type");
  if (accept !== undefined && !accept.includes(type)) throw new Rejection(415, `${accept.join(", ")} is taken here`);
}
