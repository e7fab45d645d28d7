/**
 * What services have besides routes, each behind a path of its own: for the headers and bodies that nothing else reads.
 *
 *   /e ──▶ compression ▸ tags ▸ session ──▶ /session · /cookies · /form · /limited          /e/static ──▶ a file
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompressionMiddleware, EtagMiddleware, signedCookies, type Framework } from "framework";
import { multipart } from "framework/multipart";
import { RateLimitMiddleware } from "framework/rate-limit";
import { SessionMiddleware, sessionOf } from "framework/session";
import { StaticMiddleware } from "framework/static";

const secret = "0123456789abcdef0123456789abcdef";

/** Registers them. The folder that is served goes with the process. */
export function essentials(app: Framework): void {
  const folder = mkdtempSync(join(tmpdir(), "stress-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "data.txt"), "0123456789".repeat(10_000));
  const cookies = signedCookies(secret);
  app.group("/e", (api) => {
    api
      .use(new CompressionMiddleware({ minBytes: 1 }))
      .use(new EtagMiddleware())
      .use(new SessionMiddleware({ secrets: secret }))
      .get("/session", (ctx) => {
        const session = sessionOf(ctx);
        session.set("visits", Number(session.get("visits") ?? 0) + 1);
        return "visited";
      })
      .get("/cookies", async (ctx) => ({ all: ctx.cookies, signed: await cookies.get(ctx, "s") }))
      .post("/form", async (ctx) => {
        let bytes = 0;
        for await (const part of multipart(ctx, { parts: 20, fieldBytes: 1_000 }))
          bytes += part.kind === "file" ? (await part.bytes()).length : part.value.length;
        return { bytes };
      })
      .get("/limited", { use: [new RateLimitMiddleware({ limit: 100, windowMs: 1_000 })] }, () => "not yet");
    api.use(new StaticMiddleware({ root: folder, prefix: "/e/static", precompressed: true }));
  });
}
