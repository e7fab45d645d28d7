/** Fastify 5 with @fastify/cors, as a subject: `node conformance/foreign/fastify.mjs`, PORT=9300 PROFILE=default. */
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { Failure, healthPaths, lists, listening, loaded, numberIn, port, Subject, ticks } from "./served.mjs";

const fastify = loaded("fastify");
const cors = loaded("@fastify/cors");
const subject = new Subject("fastify", ["cors", "request-id", "health-controls", "raw-path"]);

const app = fastify({
  requestIdHeader: "x-request-id",
  routerOptions: { ignoreTrailingSlash: true },
  bodyLimit: 1_048_576,
});
app.addHttpMethod("QUERY", { hasBody: true, overrideExisting: true });
app.addContentTypeParser("text/plain", { parseAs: "string" }, (_request, body, done) => done(null, body));

app.get("/__subject/about", async () => subject.about());
app.get("/__subject/evidence", async () => subject.evidence());
app.post("/__subject/reset", async (_request, reply) => reply.code(204).send());
app.put("/__subject/checks/:name", async (request, reply) =>
  reply.code(subject.setCheck(request.params.name, request.body)).send(),
);

if (subject.hasRequestId)
  app.addHook("onRequest", async (request, reply) => void reply.header("X-Request-Id", request.id));
// One registration for all routes: the plugin cannot be registered inside itself, so the origin depends on the path.
await app.register(cors, () => (request, done) => {
  const isPartner = request.url.startsWith("/partner/");
  const origin = [isPartner ? "https://partner.example" : "https://app.example"];
  done(null, { origin, ...(subject.corsMethods && { methods: subject.corsMethods }) });
});

app.addHook("onRequest", async ({ url }) => {
  if (/^\/files\/private(?:[/?]|$)/.test(url)) throw new Failure(403, "nothing here is public");
});

for (const [path, names] of Object.entries(healthPaths))
  app.get(path, async (_request, reply) => {
    const { status, body } = await subject.health(names);
    return reply.code(status).header("Cache-Control", "no-store").send(body);
  });

app.get("/users/:id", async ({ params }) => ({ id: params.id }));
app.get("/users/:id/posts/:postId", async ({ params }) => ({ id: params.id, postId: params.postId }));
app.get("/partner/:id", async ({ params }) => ({ id: params.id }));
app.get("/reset/:token", async () => ({ method: "GET" }));
app.get("/files/*", async ({ params }) => ({ path: params["*"] }));
app.get("/match/*", async () => ({ matched: "/match/*rest" }));
app.get("/match/:name/y", async () => ({ matched: "/match/{name}/y" }));
app.get("/match/c/y", async () => ({ matched: "/match/c/y" }));
app.get("/match/a/x", async () => ({ matched: "/match/a/x" }));
app.post("/echo", async (request, reply) => reply.type("application/json").send(JSON.stringify(request.body)));
app.post("/orders", async (request, reply) => reply.code(201).send(subject.place(request.body)));
app.get("/orders/:id", async ({ params }) => subject.order(params.id));
app.get("/parallel", async () => ["Left", "Middle", "Right"]);

for (const prefix of ["", "/api"]) {
  app.get(`${prefix}/search`, async () => ({ method: "GET" }));
  app.route({
    method: "QUERY",
    url: `${prefix}/search`,
    handler: async ({ method, headers, body, url }) => ({
      method,
      contentType: headers["content-type"],
      body,
      query: lists(url),
    }),
  });
}
await app.register(async (any) => {
  any.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  any.route({
    method: "QUERY",
    url: "/lookup",
    handler: async ({ method, headers, body }) => ({ method, contentType: headers["content-type"], text: body }),
  });
});

app.get("/boom", async () => {
  throw new Error("a secret of the server");
});
app.get("/fail/:status", async ({ params }, reply) => {
  const status = numberIn(params.status, 400, 599);
  reply.header("X-Failed", String(status));
  throw new Failure(status, `failed with ${status} as asked`);
});
app.get("/slow/:ms", async ({ params }) => {
  const ms = numberIn(params.ms, 0, 30_000);
  await setTimeout(ms);
  return { ms };
});
app.get("/big/:bytes", async ({ params }) => "x".repeat(numberIn(params.bytes, 0, 67_108_864)));
app.get("/events/:n", async ({ params }, reply) =>
  reply.type("text/event-stream").send(Readable.from(ticks(numberIn(params.n, 0, 1_000_000)))),
);
app.get("/cookies", async ({ headers }, reply) => {
  const pairs = (headers.cookie ?? "").split("; ").filter((pair) => pair.includes("="));
  const attributes = "SameSite=Lax; HttpOnly; Secure; Path=/";
  reply.header("Set-Cookie", [`color=${encodeURIComponent("sea green; äöü")}; ${attributes}`, `size=9; ${attributes}`]);
  return Object.fromEntries(
    pairs.map((pair) => [pair.split("=")[0], decodeURIComponent(pair.slice(pair.indexOf("=") + 1))]),
  );
});
app.get("/cut", async (_request, reply) =>
  reply.type("application/octet-stream").send(
    Readable.from(
      (function* () {
        yield "begun";
        throw new Error("cut");
      })(),
    ),
  ),
);

const kinds = {
  text: (reply) => reply.send("text"),
  json: (reply) => reply.send({ kind: "json" }),
  bytes: (reply) => reply.send(Buffer.from("bytes")),
  stream: (reply) => reply.type("application/octet-stream").send(Readable.from(["stream"])),
  response: (reply) => reply.send(new Response("a,b", { status: 202, headers: { "content-type": "text/csv" } })),
  events: (reply) => reply.type("text/event-stream").send(Readable.from(ticks(1))),
  error: () => new Failure(409, "returned as asked"),
  nothing: (reply) => reply.code(204).send(),
};
app.get("/returns/:kind", async ({ params }, reply) => {
  const kind = kinds[params.kind];
  if (kind === undefined) throw new Failure(404, "no such kind");
  reply.header("X-After", params.kind);
  return kind(reply);
});
app.get("/vary/:kind", async ({ params: { kind } }, reply) => {
  if (!["text", "stream", "response", "events"].includes(kind)) throw new Failure(404, "no such kind");
  reply.header("Vary", [reply.getHeader("Vary"), "Accept"].filter(Boolean).join(", "));
  if (kind === "text") return kind;
  if (kind === "events") return reply.type("text/event-stream").send(Readable.from([`data: ${kind}\n\n`]));
  return reply.type("application/octet-stream").send(Readable.from([kind]));
});

await app.listen({ port, host: "127.0.0.1" });
listening(app.server.address().port);
