/** The list of routes over HTTP. Spec: devtools.md (DEV). */
import { Ajv2020 } from "ajv/dist/2020.js";
import { type Static, Type } from "typebox";
import { RouteInfo, RouteList } from "../../spec/routes.ts";
import { proves } from "../kit/case.ts";
import { checked } from "../kit/checked.ts";
import { asJson, routesPath } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";
import { Violation } from "../kit/violation.ts";

type Routes = Static<typeof RouteList>;

/** The routes. Each member is validated when it is read. */
async function routesOf(probe: Probe): Promise<Routes> {
  const listed = probe.json(Type.Array(Type.Unknown()), await probe.send("GET", routesPath, { headers: asJson }));
  return listed.map((route) => checked("a route", RouteInfo, route));
}

type Contract = NonNullable<Routes[number]["contract"]>;
type DeclaredResponse = NonNullable<NonNullable<Contract["responses"]>[string]>;

const contractOf = (routes: Routes, method: string, path: string): Contract | undefined =>
  routes.find((route) => route.method === method && route.path === path)?.contract;

/** The values that the schema accepts, or none without a schema. */
function takes(part: { readonly schema: object | null } | null | undefined, values: readonly unknown[]): boolean[] {
  if (!part?.schema) return [];
  try {
    // Coerces texts, since a subject may describe a number in a query either way.
    const validate = new Ajv2020({ strict: false, coerceTypes: true, validateFormats: false }).compile(part.schema);
    return values.map((value) => validate(structuredClone(value)));
  } catch (error) {
    throw new Violation(`the schema of a contract is none: ${String(error)}`);
  }
}

const parts = ["params", "query", "headers", "cookies", "body", "responses"] as const;

/** The parts that a contract declares. */
const declared = (contract: Contract | undefined): readonly string[] =>
  parts.filter((part) => contract?.[part] !== undefined);

/** Routes of spec/subject.md, by path, then method. A subject may have more. */
const registered: readonly string[] = [
  "GET /api/search",
  "QUERY /api/search",
  "GET /big/{bytes}",
  "GET /boom",
  "POST /echo",
  "GET /events/{n}",
  "GET /fail/{status}",
  "GET /files/*path",
  "QUERY /lookup",
  "GET /metrics",
  "POST /orders",
  "GET /orders/{id}",
  "GET /parallel",
  "GET /search",
  "QUERY /search",
  "GET /slow/{ms}",
  "GET /users/{id}",
  "GET /users/{id}/posts/{postId}",
];

/** The cases of this chapter that are not vectors. */
export const devtoolsRoutes = [
  proves("DEV-002", "lists every route, by path, then method", async (probe) => {
    const response = await probe.send("GET", routesPath, { headers: asJson });
    const listed = probe.json(RouteList, response).map(({ method, path }) => `${method} ${path}`);
    const routes = listed.filter((route) => registered.includes(route));
    probe.equal("status and routes", [response.status, routes], [200, registered]);
  }),

  proves(
    "DEV-070",
    "has the schema of the fields of a form with files",
    async (probe) => {
      const form = contractOf(await routesOf(probe), "POST", "/uploads/form");
      const whole = { title: "two", copies: 1, tag: ["a"] };
      const accepted = takes(form?.body, [whole, { ...whole, title: "t" }]);
      probe.equal("the kind, and what the fields take", [form?.body?.kind, accepted], ["multipart", [true, false]]);
    },
    { features: ["multipart"] },
  ),

  proves(
    "DEV-070",
    "has the kinds, the media types and the events of declared bodies",
    async (probe) => {
      const routes = await routesOf(probe);
      const ok = (name: string): DeclaredResponse | undefined =>
        contractOf(routes, "GET", `/typed/${name}`)?.responses?.["200"] ?? undefined;
      const [csv, picture, lines, events, member] = ["csv", "picture", "lines", "events", "member"].map(ok);
      const kinds = [csv, picture, lines, events].map((one) => [one?.kind, one?.type?.replace(/;.*/, "")]);
      probe.equal("the kinds and media types", kinds, [
        ["text", "text/csv"],
        ["bytes", "image/png"],
        ["stream", "application/x-ndjson"],
        ["events", "text/event-stream"],
      ]);
      const { tick, done } = events?.events ?? {};
      probe.equal("the schemas of a text and of bytes", [csv?.schema, picture?.schema], [null, null]);
      const accepted = [
        takes(lines, [{ id: 1 }, { id: "x" }]),
        takes(tick, [{ n: 1 }, { n: "x" }]),
        takes(done, [null, 1]),
        takes(member, [{ id: "x" }, { id: [] }]),
      ];
      probe.equal("what the schemas of rows, of events and of a value take", accepted, [
        [true, false],
        [true, false],
        [true, false],
        [true, false],
      ]);
    },
    { features: ["bodies"] },
  ),

  proves(
    "DEV-094",
    "marks the WebSocket and no other route",
    async (probe) => {
      const routes = await routesOf(probe);
      const marked = routes.filter(({ upgrades }) => upgrades !== undefined);
      const [socket] = routes.filter(({ path }) => path === "/ws/{name}");
      probe.equal("the mark of a WebSocket", socket?.upgrades, true);
      probe.equal(
        "the marks of other routes",
        marked.filter(({ path }) => !path.includes("/ws/")),
        [],
      );
    },
    { features: ["websocket"] },
  ),

  proves("DEV-070", "has the schemas of a contract", async (probe) => {
    const routes = await routesOf(probe);
    const contract = contractOf(routes, "POST", "/lines/{order}");
    const accepted = {
      params: takes(contract?.params, [{ order: "7" }, { order: "x" }, {}]),
      query: takes(contract?.query, [{}, { notify: "true", tag: ["a"] }, { notify: "perhaps" }]),
      headers: takes(contract?.headers, [{ "x-tenant": "acme" }, { "x-tenant": "a" }, {}]),
      cookies: takes(contract?.cookies, [{}, { session: "s1" }, { session: "s" }]),
      body: takes(contract?.body, [{ sku: "lamp", quantity: 2 }, { sku: "lamp", quantity: 0 }, { sku: "lamp" }]),
    };
    probe.equal("what the schemas of the parts take", accepted, {
      params: [true, false, false],
      query: [true, true, false],
      headers: [true, false, false],
      cookies: [true, true, false],
      body: [true, false, false],
    });
    const form = contractOf(routes, "POST", "/forms");
    probe.equal(
      "the kinds of bodies, what the form takes, and a route without a contract",
      [contract?.body?.kind, form?.body?.kind, takes(form?.body, [{ name: "a", tag: ["b"] }, { name: "a" }])],
      ["json", "form", [true, false]],
    );
    const [nested, sound] = [contractOf(routes, "POST", "/nested"), contractOf(routes, "GET", "/replies/{kind}")];
    probe.equal("the parts that are declared", [contract, form, nested, sound].map(declared), [
      ["params", "query", "headers", "cookies", "body"],
      ["body"],
      ["body", "responses"],
      ["responses"],
    ]);
    const response = sound?.responses?.["200"];
    probe.equal(
      "the responses, and what they may be",
      [
        nested?.responses,
        Object.keys(sound?.responses ?? {}),
        [response?.kind, response?.type, response?.events],
        takes(response, [{ id: "1" }, { id: [] }]),
      ],
      [{ 204: null }, ["200"], [undefined, undefined, undefined], [true, false]],
    );
  }),
];
