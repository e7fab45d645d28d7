/** Express 5 with cors, as a subject: `node conformance/foreign/express.mjs`, PORT=9300 PROFILE=default. */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { Failure, healthPaths, lists, listening, loaded, numberIn, port, Subject, ticks } from "./served.mjs";

const express = loaded("express");
const cors = loaded("cors");
const subject = new Subject("express", ["cors", "request-id", "health-controls", "raw-path"]);

const app = express();
app.disable("x-powered-by");
const json = express.json({ limit: 1_048_576, strict: false });

app.get("/__subject/about", (_req, res) => void res.json(subject.about()));
app.get("/__subject/evidence", (_req, res) => void res.json(subject.evidence()));
app.post("/__subject/reset", (_req, res) => void res.status(204).end());
app.put(
  "/__subject/checks/:name",
  json,
  (req, res) => void res.status(subject.setCheck(req.params.name, req.body)).end(),
);

if (subject.hasRequestId)
  app.use((req, res, next) => {
    res.set("X-Request-Id", req.get("x-request-id") ?? randomUUID());
    next();
  });
app.use("/partner", cors({ origin: ["https://partner.example"] }));
app.use(cors({ origin: ["https://app.example"], ...(subject.corsMethods && { methods: subject.corsMethods }) }));

app.use("/files/private", () => {
  throw new Failure(403, "nothing here is public");
});

for (const [path, names] of Object.entries(healthPaths))
  app.get(path, async (_req, res) => {
    const { status, body } = await subject.health(names);
    res.status(status).set("Cache-Control", "no-store").json(body);
  });

app.get("/users/:id", (req, res) => void res.json({ id: req.params.id }));
app.get("/users/:id/posts/:postId", (req, res) => void res.json({ id: req.params.id, postId: req.params.postId }));
app.get("/partner/:id", (req, res) => void res.json({ id: req.params.id }));
app.get("/reset/:token", (_req, res) => void res.json({ method: "GET" }));
app.get("/files/*path", (req, res) => void res.json({ path: req.params.path.join("/") }));
app.get("/match/a/x", (_req, res) => void res.json({ matched: "/match/a/x" }));
app.get("/match/c/y", (_req, res) => void res.json({ matched: "/match/c/y" }));
app.get("/match/:name/y", (_req, res) => void res.json({ matched: "/match/{name}/y" }));
app.get("/match/*rest", (_req, res) => void res.json({ matched: "/match/*rest" }));
app.post("/echo", json, (req, res) => void res.json(req.body));
app.post("/orders", json, (req, res) => void res.status(201).json(subject.place(req.body)));
app.get("/orders/:id", (req, res) => void res.json(subject.order(req.params.id)));
app.get("/parallel", (_req, res) => void res.json(["Left", "Middle", "Right"]));

for (const prefix of ["", "/api"]) {
  app.get(`${prefix}/search`, (_req, res) => void res.json({ method: "GET" }));
  app.query(`${prefix}/search`, json, (req, res) => {
    const { method, body, url } = req;
    res.json({ method, contentType: req.get("content-type"), body, query: lists(url) });
  });
}
app.query("/lookup", express.text({ type: () => true }), (req, res) => {
  res.json({ method: req.method, contentType: req.get("content-type"), text: req.body });
});

app.get("/boom", () => {
  throw new Error("a secret of the server");
});
app.get("/fail/:status", (req) => {
  const status = numberIn(req.params.status, 400, 599);
  throw new Failure(status, `failed with ${status} as asked`, { "X-Failed": String(status) });
});
app.get("/slow/:ms", (req, res) => {
  const ms = numberIn(req.params.ms, 0, 30_000);
  setTimeout(() => res.json({ ms }), ms);
});
app.get("/big/:bytes", (req, res) => void res.type("text").send("x".repeat(numberIn(req.params.bytes, 0, 67_108_864))));
app.get("/events/:n", (req, res) => {
  Readable.from(ticks(numberIn(req.params.n, 0, 1_000_000))).pipe(res.type("text/event-stream"));
});
app.get("/cookies", (req, res) => {
  const pairs = (req.get("cookie") ?? "").split("; ").filter((pair) => pair.includes("="));
  const attributes = { sameSite: "lax", httpOnly: true, secure: true, path: "/" };
  res.cookie("color", "sea green; äöü", attributes).cookie("size", "9", attributes);
  res.json(
    Object.fromEntries(
      pairs.map((pair) => [pair.split("=")[0], decodeURIComponent(pair.slice(pair.indexOf("=") + 1))]),
    ),
  );
});
app.get("/cut", (_req, res) => {
  res.type("application/octet-stream").write("begun", () => res.destroy(new Error("cut")));
});

const kinds = {
  text: (res) => res.type("text").send("text"),
  json: (res) => res.json({ kind: "json" }),
  bytes: (res) => res.send(Buffer.from("bytes")),
  stream: (res) => Readable.from(["stream"]).pipe(res.type("application/octet-stream")),
  response: (res) => res.status(202).type("text/csv").send("a,b"),
  events: (res) => Readable.from(ticks(1)).pipe(res.type("text/event-stream")),
  error: () => {
    throw new Failure(409, "returned as asked");
  },
  nothing: (res) => res.status(204).end(),
};
app.get("/returns/:kind", (req, res, next) => {
  const kind = kinds[req.params.kind];
  if (kind === undefined) return next();
  res.set("X-After", req.params.kind);
  kind(res);
});
app.get("/vary/:kind", (req, res, next) => {
  const { kind } = req.params;
  if (!["text", "stream", "response", "events"].includes(kind)) return next();
  res.vary("Accept");
  if (kind === "text") return void res.type("text").send(kind);
  const body = kind === "events" ? `data: ${kind}\n\n` : kind;
  Readable.from([body]).pipe(res.type(kind === "events" ? "text/event-stream" : "application/octet-stream"));
});

// The default error handler writes the error's `headers`. In production it does not show the stack.
app.set("env", "production");
const server = app.listen(port, "127.0.0.1", () => listening(server.address().port));
