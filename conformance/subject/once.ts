/**
 * The protected requests of the subject.
 *
 * Spec: spec/subject.md
 */
import { setTimeout } from "node:timers/promises";
import { type Framework, HttpError } from "framework";
import { IdempotencyMiddleware } from "framework/idempotency";

/** Adds `POST /once/{name}`. */
export function addOnce(app: Framework): void {
  const once = new IdempotencyMiddleware({ caller: (ctx) => ctx.header("authorization"), required: true });
  app.post("/once/{name}", { use: [once] }, async (ctx) => {
    await setTimeout(Math.min(Number(ctx.queryParam("ms") ?? 0), 1_000));
    const id = crypto.randomUUID();
    if (ctx.queryParam("fail") === "yes") throw new HttpError(503, id);
    ctx.status(201).setHeader("Location", `/once/${id}`).setCookie("once", id);
    return { id };
  });
}
