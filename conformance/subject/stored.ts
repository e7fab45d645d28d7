/**
 * The cached responses of the subject.
 *
 * Spec: spec/subject.md
 */
import { setTimeout } from "node:timers/promises";
import type { Context, Framework } from "framework";
import { CacheMiddleware } from "framework/cache";

const kinds: Readonly<Record<string, string>> = {
  fresh: "max-age=60",
  public: "max-age=60, public",
  private: "max-age=60, private",
  "no-store": "max-age=60, no-store",
  cookie: "max-age=60",
};

/** Adds the routes below `/stored`. */
export function addStored(app: Framework): void {
  const respond = async (ctx: Context): Promise<object> => {
    await setTimeout(Math.min(Number(ctx.queryParam("ms") ?? 0), 1_000));
    const kind = ctx.pathParam("kind");
    const id = crypto.randomUUID();
    ctx
      .setHeader("Cache-Control", kinds[kind] ?? "no-store")
      .setHeader("ETag", `"${id}"`)
      .vary("X-Variant");
    if (kind === "cookie") ctx.setCookie("stored", id);
    return { id };
  };
  app.group("/stored", (group) =>
    group
      .use(new CacheMiddleware())
      .get("/{kind}/{name}", respond)
      .query("/{kind}/{name}", respond)
      .post("/{kind}/{name}", (ctx) => void ctx.reply(204)),
  );
}
