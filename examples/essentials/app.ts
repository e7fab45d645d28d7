/**
 * A whole service in one file: everything a service needs besides its own logic, each feature once.
 *
 *   request id ▸ log ▸ metrics ▸ security headers ▸ CORS ▸ compression ▸ tags ▸ health ▸ limit ▸ session ▸ route ▸ files
 *
 * Its test checks 38 features and counts its lines. Importing this file has no side effect.
 */
import { setTimeout } from "node:timers/promises";
// The middleware around the routes, and what they are made with.
import { CompressionMiddleware, CorsMiddleware, EtagMiddleware, Framework, HealthMiddleware } from "framework";
import { InMemoryMetricsCollector, MetricsMiddleware, RequestIdMiddleware, RequestLoggingMiddleware } from "framework";
import { evaluatePreconditions, form, HttpError, NotFoundError, UnauthorizedError } from "framework";
import { EXPOSITION_CONTENT_TYPE, type Logger, SecurityHeadersMiddleware, signedCookies } from "framework";
import { JwtAuthMiddleware, requirePrincipal, requireRole, sameSecret } from "framework/auth";
import { MemoryBroadcast, messagesOf } from "framework/broadcast";
import { multipart, multipartForm } from "framework/multipart";
import { OpenApiMiddleware } from "framework/openapi";
import { RateLimitMiddleware } from "framework/rate-limit";
import { SessionMiddleware, sessionOf } from "framework/session";
import { StaticMiddleware } from "framework/static";
import { type ServerWebSocket, webSocket } from "framework/websocket";
import { SignJWT } from "jose";
import { z } from "zod";

/** The settings that differ between deployments. */
export interface Settings {
  /** A connection pool, such as those of node-postgres and PGlite. */
  readonly pool: { query<T>(text: string, values?: unknown[]): Promise<{ rows: T[] }>; close(): Promise<void> };
  readonly secret: string;
  readonly password: string;
  readonly files: string;
  readonly uploads: string;
  /** The target of `/upstream`. */
  readonly upstream: string;
  readonly logger?: Logger | undefined;
  readonly write?: ((line: string) => void) | undefined;
}
const issuer = "https://essentials.example";
const params = z.object({ id: z.coerce.number<string>().pipe(z.int()) });
const page = z.object({ limit: z.coerce.number<string>().pipe(z.int().min(1).max(100)).default(20) });
const text = z.strictObject({ text: z.string().trim().min(1).max(1_000) });
const note = z.object({ id: z.number(), text: z.string(), version: z.number() }).meta({ id: "Note" });
type Note = z.infer<typeof note>;

/** The service, ready to start. It closes the pool when it stops. */
export function createApp({ pool, logger, write, ...settings }: Settings): Framework {
  const metrics = new InMemoryMetricsCollector();
  const app = Framework.create({ host: "127.0.0.1", logger });
  app.use(new RequestIdMiddleware());
  app.use(RequestLoggingMiddleware.json({ write, skip: (ctx) => ctx.path.startsWith("/health") }));
  app.use(new MetricsMiddleware(metrics));
  app.use(new SecurityHeadersMiddleware());
  app.use(new CorsMiddleware({ allowOrigins: ["https://app.example"], allowCredentials: true }));
  app.use(new CompressionMiddleware()).use(new EtagMiddleware());
  app.use(new HealthMiddleware({ checks: { pool: async () => void (await pool.query("SELECT 1")) } }));
  app.use(new RateLimitMiddleware({ limit: 1_000, windowMs: 60_000 }));
  app.use(new SessionMiddleware({ secrets: settings.secret }));
  app.use(new OpenApiMiddleware({ info: { title: "Essentials", version: "1" } }));
  app.use(new StaticMiddleware({ root: settings.files, prefix: "/files" }));
  app.get("/metrics", (ctx) => ctx.setHeader("Content-Type", EXPOSITION_CONTENT_TYPE).text(metrics.prometheus()));
  app.onStart(() => pool.query("CREATE TABLE IF NOT EXISTS note (id SERIAL, text TEXT, version INT DEFAULT 1)"));
  app.onStop(() => pool.close());
  app.background("sweep", async (signal) => {
    for (; !signal.aborted; await setTimeout(50, undefined, { signal }).catch(() => undefined))
      await pool.query("DELETE FROM note WHERE text = 'sweep me'").catch(() => undefined);
  });
  addNotes(app, pool);
  addPeople(app, settings);
  addTransfers(app, settings);
  addRooms(app);
  return app;
}

function addNotes(app: Framework, pool: Settings["pool"]): void {
  const rows = async (sql: string, ...values: unknown[]) => (await pool.query<Note>(sql, values)).rows;
  const one = async (id: number, [found]: Note[]) =>
    found ?? Promise.reject(new NotFoundError(`there is no note ${id}`));
  const find = async (id: number) => one(id, await rows("SELECT * FROM note WHERE id = $1", id));
  app.get("/notes", { query: page, responses: { 200: z.array(note) } }, (ctx) =>
    rows("SELECT * FROM note ORDER BY id LIMIT $1", ctx.input.query.limit),
  );
  app.post("/notes", { body: text, responses: { 201: note } }, async (ctx) => {
    const made = await one(0, await rows("INSERT INTO note (text) VALUES ($1) RETURNING *", ctx.input.body.text));
    return ctx.setHeader("Location", `/notes/${made.id}`).reply(201, made);
  });
  app.query("/notes", { body: text }, (ctx) => rows("SELECT * FROM note WHERE text = $1", ctx.input.body.text));
  app.get("/notes/{id}", { params, responses: { 200: note } }, (ctx) => find(ctx.input.params.id));
  app.put("/notes/{id}", { params, body: text }, async (ctx) => {
    const { id, version } = await find(ctx.input.params.id);
    if (evaluatePreconditions(ctx, { etag: `"${version}"` }) !== "met") throw new HttpError(412, "read it again");
    const change = "UPDATE note SET text = $2, version = version + 1 WHERE id = $1 RETURNING *";
    return one(id, await rows(change, id, ctx.input.body.text));
  });
}

function addPeople(app: Framework, { secret, password }: Pick<Settings, "secret" | "password">): void {
  const cookies = signedCookies(secret);
  app.put("/theme/{name}", (ctx) => ctx.setCookie("theme", ctx.pathParam("name"), { maxAge: 60 }).text("noted"));
  app.get("/theme", (ctx) => ctx.cookie("theme") ?? "light");
  app.post("/coupon", async (ctx) => (await cookies.set(ctx, "coupon", "SPRING"), "yours"));
  app.get("/coupon", async (ctx) => (await cookies.get(ctx, "coupon")) ?? "none");
  const guesses = new RateLimitMiddleware({ policyName: "login", limit: 3, windowMs: 60_000 });
  const login = form(z.object({ name: z.string().min(1), password: z.string() }));
  app.post("/login", { body: login, use: [guesses] }, async (ctx) => {
    const { name, password: given } = ctx.input.body;
    if (!(await sameSecret(given, password))) throw new UnauthorizedError("the name or the password is wrong");
    sessionOf(ctx).regenerate().set("user", name);
    const token = new SignJWT({ roles: [name] }).setProtectedHeader({ alg: "HS256" }).setSubject(name);
    const signed = token.setIssuer(issuer).setAudience(issuer).setExpirationTime("1 minute");
    return { token: await signed.sign(new TextEncoder().encode(secret)) };
  });
  app.post("/logout", (ctx) => (sessionOf(ctx).destroy(), "bye"));
  app.get("/me", (ctx) => sessionOf(ctx).get("user") ?? new UnauthorizedError("log in first"));
  const tokens = new JwtAuthMiddleware({ secret, issuer, audience: issuer, algorithms: ["HS256"] });
  app.get("/admin", { use: [tokens, requireRole("admin")] }, (ctx) => requirePrincipal(ctx));
}

function addTransfers(app: Framework, { uploads, upstream }: Pick<Settings, "uploads" | "upstream">): void {
  app.post("/uploads", { maxBodyBytes: 10_000_000 }, async (ctx) => {
    const saved: { name: string; bytes: number }[] = [];
    for await (const part of multipart(ctx, { files: 2 }))
      if (part.kind === "file") saved.push({ name: part.filename, bytes: (await part.saveTo(uploads)).bytes });
    return saved;
  });
  const picture = multipartForm({ files: { picture: { maxBytes: 1_000, types: ["image/png"] } } });
  app.put("/picture", { body: picture }, (ctx) => ({ bytes: ctx.input.body.files.picture.bytes.length }));
  app.get("/report", (ctx) => ctx.download(new Blob(["1\n", "2\n"]).stream(), "Übersicht.csv"));
  app.get("/upstream/{name}", (ctx) =>
    fetch(`${upstream}/${encodeURIComponent(ctx.pathParam("name"))}`, { signal: ctx.signal }),
  );
  app.get("/slow", (ctx) => (ctx.log.info("a slow one"), setTimeout(50, "done")));
  app.get("/broken", () => Promise.reject(new Error("the password is swordfish")));
}

function addRooms(app: Framework): void {
  const rooms = new MemoryBroadcast();
  const leaving = new WeakMap<ServerWebSocket, () => void>();
  app.onStop(() => rooms.close());
  app.get("/rooms/{room}/events", (ctx) => ctx.sse(messagesOf(rooms, ctx.pathParam("room"), { signal: ctx.signal })));
  const socket = webSocket({
    open: async (to, ctx) =>
      void leaving.set(to, await rooms.subscribe(ctx.pathParam("room"), (message) => void to.send(message))),
    message: (_from, message, ctx) => rooms.publish(ctx.pathParam("room"), String(message)),
    close: (from) => leaving.get(from)?.(),
  });
  app.ws("/rooms/{room}", socket);
}
