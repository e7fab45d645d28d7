/** Hono on @hono/node-server, as a subject: `node conformance/foreign/hono.mjs`, PORT=9300 PROFILE=default. */
import { setTimeout } from "node:timers/promises";
import { Failure, healthPaths, lists, listening, loaded, numberIn, port, Subject, ticks } from "./served.mjs";

const { serve } = loaded("@hono/node-server");
const { Hono } = loaded("hono");
const { cors } = loaded("hono/cors");
const { getCookie, setCookie } = loaded("hono/cookie");
const { HTTPException } = loaded("hono/http-exception");
const { requestId } = loaded("hono/request-id");
const subject = new Subject("hono", ["cors", "request-id", "health-controls"]);

const app = new Hono();
/** A handler that may fail, with Hono's own exception. */
const failing = (run) => {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new HTTPException(error.status, { message: error.message });
  }
};

app.get("/__subject/about", (c) => c.json(subject.about()));
app.get("/__subject/evidence", (c) => c.json(subject.evidence()));
app.post("/__subject/reset", (c) => c.body(null, 204));
app.put("/__subject/checks/:name", async (c) =>
  c.body(null, subject.setCheck(c.req.param("name"), await c.req.json())),
);

if (subject.hasRequestId) app.use(requestId());
app.use("/partner/*", cors({ origin: "https://partner.example" }));
app.use(cors({ origin: "https://app.example", ...(subject.corsMethods && { allowMethods: subject.corsMethods }) }));

app.use("/files/private/*", () => {
  throw new HTTPException(403, { message: "nothing here is public" });
});

for (const [path, names] of Object.entries(healthPaths))
  app.get(path, async (c) => {
    const { status, body } = await subject.health(names);
    return c.json(body, status, { "Cache-Control": "no-store" });
  });

app.get("/users/:id", (c) => c.json({ id: c.req.param("id") }));
app.get("/users/:id/posts/:postId", (c) => c.json({ id: c.req.param("id"), postId: c.req.param("postId") }));
app.get("/partner/:id", (c) => c.json({ id: c.req.param("id") }));
app.get("/reset/:token", (c) => c.json({ method: "GET" }));
app.get("/files/:path{.+}", (c) => c.json({ path: c.req.param("path") }));
app.get("/match/a/x", (c) => c.json({ matched: "/match/a/x" }));
app.get("/match/c/y", (c) => c.json({ matched: "/match/c/y" }));
app.get("/match/:name/y", (c) => c.json({ matched: "/match/{name}/y" }));
app.get("/match/:rest{.+}", (c) => c.json({ matched: "/match/*rest" }));
app.post("/echo", async (c) => c.json(await c.req.json()));
app.post("/orders", async (c) => {
  const order = await c.req.json();
  return c.json(
    failing(() => subject.place(order)),
    201,
  );
});
app.get("/orders/:id", (c) => c.json(failing(() => subject.order(c.req.param("id")))));
app.get("/parallel", (c) => c.json(["Left", "Middle", "Right"]));

for (const prefix of ["", "/api"]) {
  app.get(`${prefix}/search`, (c) => c.json({ method: "GET" }));
  app.on("QUERY", `${prefix}/search`, async (c) => {
    const contentType = c.req.header("content-type");
    return c.json({ method: c.req.method, contentType, body: await c.req.json(), query: lists(c.req.url) });
  });
}
app.on("QUERY", "/lookup", async (c) =>
  c.json({ method: c.req.method, contentType: c.req.header("content-type"), text: await c.req.text() }),
);

app.get("/boom", () => {
  throw new Error("a secret of the server");
});
app.get("/fail/:status", (c) => {
  const status = failing(() => numberIn(c.req.param("status"), 400, 599));
  c.header("X-Failed", String(status));
  throw new HTTPException(status, { message: `failed with ${status} as asked` });
});
app.get("/slow/:ms", async (c) => {
  const ms = failing(() => numberIn(c.req.param("ms"), 0, 30_000));
  await setTimeout(ms);
  return c.json({ ms });
});
app.get("/big/:bytes", (c) => c.text("x".repeat(failing(() => numberIn(c.req.param("bytes"), 0, 67_108_864)))));
app.get("/events/:n", (c) => {
  const count = failing(() => numberIn(c.req.param("n"), 0, 1_000_000));
  return c.body(streamOf(ticks(count)), 200, { "Content-Type": "text/event-stream" });
});
app.get("/cookies", (c) => {
  const attributes = { sameSite: "Lax", httpOnly: true, secure: true, path: "/" };
  setCookie(c, "color", "sea green; äöü", attributes);
  setCookie(c, "size", "9", attributes);
  return c.json(getCookie(c));
});
app.get("/cut", (c) =>
  c.body(
    streamOf(
      (function* () {
        yield "begun";
        throw new Error("cut");
      })(),
    ),
    200,
    { "Content-Type": "application/octet-stream" },
  ),
);

const kinds = {
  text: (c) => c.text("text"),
  json: (c) => c.json({ kind: "json" }),
  bytes: (c) => c.body(new TextEncoder().encode("bytes"), 200, { "Content-Type": "application/octet-stream" }),
  stream: (c) => c.body(streamOf(["stream"]), 200, { "Content-Type": "application/octet-stream" }),
  response: () => new Response("a,b", { status: 202, headers: { "content-type": "text/csv" } }),
  events: (c) => c.body(streamOf(ticks(1)), 200, { "Content-Type": "text/event-stream" }),
  error: () => new HTTPException(409, { message: "returned as asked" }),
  nothing: (c) => c.body(null, 204),
};
app.use("/returns/:kind", async (c, next) => {
  await next();
  c.header("X-After", c.req.param("kind"));
});
app.get("/returns/:kind", (c) => kinds[c.req.param("kind")]?.(c) ?? c.notFound());
app.get("/vary/:kind", (c) => {
  const kind = c.req.param("kind");
  if (!["text", "stream", "response", "events"].includes(kind)) return c.notFound();
  c.header("Vary", "Accept", { append: true });
  if (kind === "text") return c.text(kind);
  const body = kind === "events" ? `data: ${kind}\n\n` : kind;
  return c.body(streamOf([body]), 200, {
    "Content-Type": kind === "events" ? "text/event-stream" : "application/octet-stream",
  });
});

/** A body that is written only as fast as the client reads. */
function streamOf(texts) {
  const iterator = texts[Symbol.iterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, (info) => listening(info.port));
