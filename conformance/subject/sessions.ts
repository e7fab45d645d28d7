/**
 * The sessions of the subject: a group for each session store, all with the same routes.
 *
 * Spec: spec/subject.md
 */
import { setTimeout } from "node:timers/promises";
import { type Context, type Framework, HttpError } from "framework";
import {
  MemorySessionStore,
  SessionMiddleware,
  type SessionOptions,
  type SessionStore,
  sessionOf,
} from "framework/session";

const first = "the first secret with which the subject seals";
const second = "the second secret with which the subject seals";

const fail = (): Promise<never> => Promise.reject(new Error("the store fails as asked"));
const hang = (): Promise<never> => new Promise(() => undefined);
const storeThat = (does: () => Promise<never>): SessionStore => ({ read: does, write: does, destroy: does });

/** The options below `/sessions`, by the last segment of the path. */
const groups = (): Readonly<Record<string, SessionOptions>> => ({
  sealed: { secrets: first },
  rotated: { secrets: [second, first] },
  other: { secrets: first, cookie: { name: "__Host-other" } },
  brief: { secrets: first, idleMs: 1_000, absoluteMs: 2_000 },
  kept: { store: new MemorySessionStore() },
  failing: { store: storeThat(fail) },
  silent: { store: storeThat(hang), storeTimeoutMs: 200 },
  lenient: { store: storeThat(fail), onStoreError: "continue", crossOrigin: "allow" },
});

/** Adds the routes below `/sessions`. */
export function addSessions(app: Framework): void {
  for (const [kind, options] of Object.entries(groups()))
    app.group(`/sessions/${kind}`, (group) =>
      group
        .use(new SessionMiddleware(options))
        .get("/", shown)
        .get("/unasked", () => ({ id: "unasked" }))
        .post("/values/{value}", async (ctx) => {
          const session = sessionOf(ctx);
          ctx.setHeader("Cache-Control", "max-age=60");
          await setTimeout(Math.min(Number(ctx.queryParam("ms") ?? 0), 1_000));
          session.set("name", ctx.pathParam("value"));
          if (ctx.queryParam("fail") === "yes") throw new HttpError(409, "failed as asked");
          return shown(ctx);
        })
        .post("/items/{item}", (ctx) => {
          const items = itemsOf(ctx);
          if (items.push(ctx.pathParam("item")) === 1) sessionOf(ctx).set("items", items);
          return shown(ctx);
        })
        .post("/renewed", (ctx) => {
          sessionOf(ctx).regenerate();
          return shown(ctx);
        })
        .post("/ended", (ctx) => {
          sessionOf(ctx).destroy();
          return shown(ctx);
        }),
    );
}

/** The list in the session itself, not a copy. */
const itemsOf = (ctx: Context): string[] => (sessionOf(ctx).get("items") ?? []) as string[];

const shown = (ctx: Context): object => ({ name: sessionOf(ctx).get("name") ?? null, items: itemsOf(ctx) });
