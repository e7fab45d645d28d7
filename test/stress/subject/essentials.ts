/**
 * Features of services other than routes, each on its own path: for headers and bodies that nothing else reads.
 *
 *   /e ──▶ compression ▸ tags ▸ session ──▶ /session · /cookies · /form · /limited          /e/static ──▶ a file
 *   /kept ──▶ session in a store ──▶ /session · /end
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompressionMiddleware, type Context, EtagMiddleware, signedCookies, type Framework } from "framework";
import { multipart } from "framework/multipart";
import { RateLimitMiddleware } from "framework/rate-limit";
import { MemorySessionStore, SessionMiddleware, sessionOf } from "framework/session";
import { StaticMiddleware } from "framework/static";

const secret = "0123456789abcdef0123456789abcdef";

/** A file next to the served folder, which no client may read. */
export const beside = "beside the served folder";

/** The number of visits in this session. */
function visits(ctx: Context): string {
  const session = sessionOf(ctx);
  const visits = Number(session.get("visits") ?? 0) + 1;
  session.set("visits", visits);
  return `visit ${visits}`;
}

/** Registers them. The served folder is removed with the process. */
export function essentials(app: Framework): void {
  const folder = mkdtempSync(join(tmpdir(), "stress-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "public");
  mkdirSync(join(root, "inside"), { recursive: true });
  writeFileSync(join(root, "data.txt"), "0123456789".repeat(10_000));
  for (const path of ["secret.txt", "public/.secret.txt"]) writeFileSync(join(folder, path), beside);
  const cookies = signedCookies(secret);
  app.group("/e", (api) => {
    api
      .use(new CompressionMiddleware({ minBytes: 1 }))
      .use(new EtagMiddleware())
      .use(new SessionMiddleware({ secrets: secret }))
      .get("/session", visits)
      .get("/cookies", async (ctx) => ({ all: ctx.cookies, signed: await cookies.get(ctx, "s") }))
      .post("/form", async (ctx) => {
        let bytes = 0;
        for await (const part of multipart(ctx, { parts: 20, fieldBytes: 1_000 }))
          bytes += part.kind === "file" ? (await part.bytes()).length : part.value.length;
        return { bytes };
      })
      .get("/limited", { use: [new RateLimitMiddleware({ limit: 100, windowMs: 1_000 })] }, () => "not yet");
    api.use(new StaticMiddleware({ root, prefix: "/e/static", precompressed: true }));
  });
  app.group("/kept", (api) => {
    api
      .use(new SessionMiddleware({ store: new MemorySessionStore() }))
      .get("/session", visits)
      .get("/end", (ctx) => void sessionOf(ctx).destroy());
  });
}
