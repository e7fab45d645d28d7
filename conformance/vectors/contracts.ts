/** Requests, checked by the contracts of their routes, as data. Spec: contracts.md (CONTRACT). */
import {
  holds,
  jsonBody,
  shows,
  step,
  type Expectation,
  type Step,
  type ValueExpectation,
  type VectorContent,
} from "./vector.ts";

const line = { sku: "lamp", quantity: 2 };
const acme = { "x-tenant": "acme" };
const sound = jsonBody(line, { ...acme, cookie: "a=1; session=s-1" });
const json = "application/json";
const urlencoded = "application/x-www-form-urlencoded";
/** What the schemas would reject, if they were asked. */
const loose = "/lines/x?notify=perhaps";
const nested = jsonBody({ "a/b": [{ "m~n": 1 }, { "m~n": "x" }] });

const typed = (type: string, body: string): VectorContent => ({ headers: { ...acme, "content-type": type }, body });
const post = (target: string, expect: Expectation, content: VectorContent = sound): Step =>
  step("POST", target, expect, content);
const form = (body: string, expect: Expectation): Step => post("/forms", expect, typed(urlencoded, body));

/** A 422 of whose issues this is true, by pointers below `errors`. */
const rejected = (at: Readonly<Record<string, ValueExpectation>>): Expectation => ({
  status: 422,
  body: { at: Object.fromEntries(Object.entries(at).map(([pointer, value]) => [`/errors${pointer}`, value])) },
});

/** A 422 whose only issue is there. */
const issueAt = (part: string, name: string): Expectation =>
  rejected({ "/*/in": { is: [part] }, "/*/path": { is: [[name]] } });

/** What is sent is rejected, and at most a hundred issues of so many are listed. */
const counted = (sent: number): Step =>
  post(
    "/nested",
    {
      status: 422,
      body: {
        at: {
          "/status": { is: 422 },
          "/errors/0": { present: true },
          "/errors/100": { present: false },
          "/moreErrors": { from: 1, to: sent - 1 },
        },
      },
    },
    jsonBody({ "a/b": Array.from({ length: sent }, () => ({ "m~n": "x" })) }),
  );

/** The vectors of this chapter. */
export const contracts = [
  shows("CONTRACT-001", "a handler gets every part as its schema returns it", [
    post("/lines/7?notify=true&tag={{token}}", {
      body: holds({ order: 7, notify: true, tags: ["{{token}}"], tenant: "acme", session: "s-1", line }),
    }),
    post(
      "/lines/8?tag=a",
      { body: holds({ order: 8, notify: false, tags: ["a"], tenant: "other", session: null, line }) },
      jsonBody(line, { "x-tenant": "other" }),
    ),
  ]),
  shows("CONTRACT-004", "one 422 has the issues of every part", [
    post(
      loose,
      rejected({
        "/*/in": { members: ["body", "body", "headers", "params", "query"] },
        ...Object.fromEntries(
          Object.entries({
            quantity: "body",
            sku: "body",
            "x-tenant": "headers",
            order: "params",
            notify: "query",
          }).map(([name, part]) => [`/[in=${part}&pointer=~1${name}]/path`, { is: [name] }]),
        ),
        "/*/message": { lacks: "" },
        "/0/message": { matches: "." },
      }),
      jsonBody({ sku: 1, quantity: 0 }, { "x-tenant": "a" }),
    ),
  ]),
  shows("CONTRACT-005", "half a body and none gets 400", [
    post(loose, { status: 400 }, typed(json, "{")),
    post(loose, { status: 400 }, typed(json, "")),
  ]),
  shows("CONTRACT-022", "another method gets 405", [
    step("PUT", loose, { status: 405 }, sound),
    step("PUT", "/lines/7", { status: 405 }, sound),
  ]),
  shows("CONTRACT-023", "a path without a route gets 404", [
    post("/lines/x/more?notify=perhaps", { status: 404 }),
    post("/lines/7", { status: "2xx" }),
  ]),
  shows("CONTRACT-024", "a body over the limit gets 413", [
    post(loose, { status: 413 }, typed(json, '"{{x*1048576}}"')),
  ]),
  shows("CONTRACT-025", "another media type gets 415", [
    post(loose, { status: 415 }, typed("text/plain", JSON.stringify(line))),
  ]),
  shows("CONTRACT-026", "a QUERY whose body is rejected gets 422", [
    step("QUERY", "/lines", { status: 422 }, jsonBody({ sku: 1 })),
  ]),
  shows("CONTRACT-027", "the names in a pointer are escaped", [
    post("/nested", rejected({ "/0/pointer": { is: "/a~1b/1/m~0n" } }), nested),
  ]),
  shows("CONTRACT-028", "a path leads to a value step by step", [
    post("/nested", rejected({ "/0/path": { is: ["a/b", 1, "m~n"] } }), nested),
  ]),
  shows("CONTRACT-039", "at most a hundred issues are listed, and the others counted", [counted(1_000), counted(150)]),
  shows("CONTRACT-006", "a schema gets all values of a name, in a query and in a form", [
    post("/lines/7?tag=a&tag=b", { body: holds({ tags: ["a", "b"] }) }),
    form("name=a&tag=1&tag=2", { body: holds({ tags: ["1", "2"] }) }),
  ]),
  shows("CONTRACT-029", "a schema of a list gets one value as a list", [
    post("/lines/7?tag=only", { body: holds({ tags: ["only"] }) }),
  ]),
  shows("CONTRACT-037", "several values where one is taken get 422", [
    post("/lines/7?notify=true&notify=false", { status: 422 }),
  ]),
  shows("CONTRACT-030", "a header that is rejected is named", [
    post("/lines/7", issueAt("headers", "x-tenant"), jsonBody(line, { "x-tenant": "a" })),
  ]),
  shows("CONTRACT-031", "a cookie that is rejected is named", [
    post("/lines/7", issueAt("cookies", "session"), jsonBody(line, { ...acme, cookie: "session=s" })),
  ]),
  shows("CONTRACT-007", "the fields of a form are read", [
    form("name=a+b%26&tag=1&tag=", { status: 200, body: holds({ name: "a b&", tags: ["1", ""] }) }),
    form("tag=%C3%A9&name=", { status: 200, body: holds({ name: "", tags: ["é"] }) }),
  ]),
  shows("CONTRACT-032", "a malformed escape in a form gets 400", [form("name=%zz", { status: 400 })]),
  shows("CONTRACT-033", "JSON where a form is declared gets 415", [post("/forms", { status: 415 }, typed(json, "{}"))]),
  shows("CONTRACT-034", "a field of a form that is rejected is named", [form("name=a", issueAt("body", "tag"))]),
  shows("CONTRACT-008", "a QUERY takes and advertises what its contract's body is", [
    step(
      "QUERY",
      "/lines",
      { status: 415, headers: { "accept-query": { structuredList: [json] } } },
      typed("text/plain", "{}"),
    ),
    step("QUERY", "/lines", { status: 200 }, jsonBody({ sku: "a" })),
  ]),
  shows("CONTRACT-012", "a reply has the status and the JSON of the handler", [
    post("/lines/7", { status: 201, headers: { "content-type": { mediaType: json } }, body: holds({ order: 7 }) }),
  ]),
  shows("CONTRACT-035", "a reply without a value has no content", [
    post("/nested", { status: 422 }, jsonBody({})),
    post("/nested", { status: 204, body: { is: "" } }, jsonBody({ "a/b": [{ "m~n": 1 }] })),
  ]),
  shows("CONTRACT-019", "a response that breaks its contract is not sent", [
    step("GET", "/replies/sound", { status: 200, body: { json: { id: "1" } } }),
    step("GET", "/replies/broken", { status: 500, body: { lacks: "s3cr3t" } }),
  ]),
  shows("CONTRACT-040", "a declared text and declared bytes have their media types", [
    step("GET", "/typed/csv", {
      status: 200,
      headers: { "content-type": { mediaType: "text/csv" } },
      body: { is: "a,b\n" },
    }),
    step("GET", "/typed/picture", {
      status: 200,
      headers: { "content-type": { mediaType: "image/png" } },
      body: { is: "png" },
    }),
  ]),
  shows("CONTRACT-041", "each row is a line of JSON", [
    step("GET", "/typed/lines", {
      status: 200,
      headers: { "content-type": { mediaType: "application/x-ndjson" } },
      body: { is: '{"id":1}\n{"id":2}\n' },
    }),
  ]),
  shows("CONTRACT-043", "an event has its name, its id, and its data as JSON", [
    step("GET", "/typed/events", {
      status: 200,
      headers: { "content-type": { mediaType: "text/event-stream" } },
      body: { matches: 'event: ?tick\\n(?:id: ?7\\ndata: ?\\{"n":1\\}|data: ?\\{"n":1\\}\\nid: ?7)\\n\\n' },
    }),
    step("GET", "/typed/events", { status: 200, body: { matches: "event: ?done\\ndata: ?null\\n\\n" } }),
  ]),
  shows("CONTRACT-047", "members that the contract does not name are left out", [
    step("GET", "/typed/member", { status: 200, body: { json: { id: "1" } } }),
  ]),
  shows("CONTRACT-050", "a deprecated route has its dates in each response", [
    step("GET", "/typed/old", {
      status: 204,
      headers: { deprecation: { is: "@1767225600" }, sunset: { is: "Fri, 01 Jan 2027 00:00:00 GMT" } },
    }),
  ]),
  shows(
    "CONTRACT-036",
    "each route of a group is held against what the group shares",
    Object.entries({ acme: 200, a: 422 }).flatMap(([tenant, status]) =>
      ["/tenant/stock?shelf=a", "/tenant/name"].map((target) =>
        step("GET", target, { status }, { headers: { "x-tenant": tenant } }),
      ),
    ),
  ),
];
