/** app.observe, and the names that it replaces (LIFE, CTX, LOG). */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { type AppObserver, Beans, Framework, HttpError, Interface } from "../index.ts";

const Clock: Interface<{ now(): string }> = Interface("Clock");

/** An app in which every event happens on request. */
function subject(): { readonly app: Framework; readonly errors: string[] } {
  const errors: string[] = [];
  const logger = { info: () => undefined, warn: () => undefined, error: (line: string) => void errors.push(line) };
  const app = Framework.create({ logger });
  app
    .beans(
      Beans.builder()
        .bind(Clock, () => ({ now: () => "noon" }))
        .start(),
    )
    .onStart(function warm() {
      return undefined;
    })
    .get("/", (ctx) => {
      app.background("job", () => undefined);
      ctx.log.info("heard");
      ctx.annotations?.add("note", 1);
      return ctx.get(Clock).now();
    });
  return { app, errors };
}

/** The events of an app for `GET /` and an invalid HTTP request. */
async function used(app: Framework): Promise<readonly unknown[]> {
  await app.start(0);
  const response = await fetch(app.url, { headers: { Connection: "close" } });
  const seen = [response.status, await response.text()];
  const socket = connect(app.port, "127.0.0.1").end("no http\r\n\r\n");
  const [statusLine] = (await text(socket)).split("\r\n");
  await app.stop();
  return [...seen, statusLine];
}

describe("app.observe", () => {
  test("notifies an observer of each kind of event, as its own method", async () => {
    const { app, errors } = subject();
    const observer = {
      heard: [] as unknown[],
      watched: {
        start(name: string, run: () => unknown): unknown {
          observer.heard.push(["start", name]);
          return run();
        },
        background(name: string, run: () => unknown, origin?: unknown): unknown {
          observer.heard.push(["background", name, origin]);
          return run();
        },
        resolve(type: unknown): void {
          observer.heard.push(["resolve", type === Clock]);
        },
        log({ message }: { message: string }): void {
          observer.heard.push(["log", message]);
        },
        annotation(_ctx: unknown, name: string, value: unknown): void {
          observer.heard.push(["annotation", name, value]);
        },
        response({ path }: { path: string }, { status, body }: { status: number; body?: unknown }): void {
          observer.heard.push(["response", path, status, body]);
        },
        rejected(this: object, { status }: { status: number }): void {
          observer.heard.push(["rejected", this === observer.watched, status]);
        },
      } satisfies AppObserver,
    };
    app.observe(observer.watched);
    assert.deepEqual(await used(app), [200, "noon", "HTTP/1.1 400 Bad Request"]);
    assert.deepEqual(observer.heard, [
      ["start", "warm"],
      ["background", "job", undefined],
      ["log", "heard"],
      ["annotation", "note", 1],
      ["resolve", true],
      ["response", "/", 200, "noon"],
      ["rejected", true, 400],
    ]);
    assert.deepEqual(errors, []);
  });

  const faults: Readonly<Record<string, () => unknown>> = {
    throws: () => assert.fail("an observer that throws"),
    rejects: () => Promise.reject(new Error("an observer that rejects")),
    "never runs the wrapped work": () => undefined,
    "returns another value": () => ({ status: 500, headers: [], body: "other" }),
  };
  for (const [fault, member] of Object.entries(faults))
    test(`changes nothing when every member of an observer ${fault}`, async () => {
      const { app, errors } = subject();
      const order: string[] = [];
      app.onStart(() => void order.push("started"));
      const every = { start: member, background: member, resolve: member, log: member, annotation: member };
      app.observe({ ...every, response: member, rejected: member });
      assert.deepEqual(await used(app), [200, "noon", "HTTP/1.1 400 Bad Request"]);
      assert.deepEqual([order, errors], [["started"], []]);
    });

  test("runs a start listener once, and fails as it does, however an observer calls it", async () => {
    const { app } = subject();
    const seen: string[] = [];
    app.observe({
      start: async (_name, run) => {
        for (let time = 0; time < 2; time += 1) await Promise.resolve(run()).catch(() => undefined);
      },
    });
    app.onStart(async function migrate() {
      seen.push("ran");
      throw new Error("no database");
    });
    await assert.rejects(app.ready(), /no database/);
    assert.deepEqual(seen, ["ran"]);
    await app.stop();
  });

  test("shows the sent response: after every hook, and when a hook fails", async () => {
    const { app } = subject();
    const seen: unknown[] = [];
    app
      .observe({ response: (ctx, { status, body }) => void seen.push([ctx.path, status, body]) })
      .onResponse((ctx, response) => {
        if (ctx.path === "/fails") throw new HttpError(409, "no");
        return { ...response, body: "replaced" };
      })
      .onStatus(409, () => "conflict")
      .get("/hooked", () => "a")
      .get("/fails", () => "b");
    for (const path of ["/hooked", "/fails"]) await (await app.request(path)).text();
    assert.deepEqual(seen, [
      ["/hooked", 200, "replaced"],
      ["/fails", 409, "conflict"],
    ]);
  });

  const wrong: Readonly<Record<string, readonly [object, string]>> = {
    "an unknown member": [
      { logs: () => undefined },
      "app.observe(…) has no option logs: start, background, sending, resolve, log, annotation, phase, response, rejected can be set; did you mean log?",
    ],
    "a member that is not a function": [{ log: true }, "app.observe({ log }) is true: a function is allowed"],
  };
  for (const [what, [observer, message]] of Object.entries(wrong))
    test(`rejects ${what}`, () =>
      assert.throws(() => Framework.create().observe(observer), {
        name: "TypeError",
        code: "CONFIG_INVALID",
        message,
      }));
});

describe("an old name of a member", () => {
  const called: Readonly<Record<string, string>> = {
    wrapStart: "app.wrapStart(…) is app.observe({ start }) now",
    wrapBackground: "app.wrapBackground(…) is app.observe({ background }) now",
    onResolve: "app.onResolve(…) is app.observe({ resolve }) now",
    onLog: "app.onLog(…) is app.observe({ log }) now",
    onAnnotation: "app.onAnnotation(…) is app.observe({ annotation }) now",
    panels: "app.panels() is app.about.panels() now",
    middlewareOf: "app.middlewareOf(…) is app.about.middlewareOf(…) now",
    declaredRoutes: "app.declaredRoutes() is app.about.declaredRoutes() now",
    contextPath: "app.contextPath is app.about.contextPath now",
    host: "app.host is app.about.host now",
    logger: "app.logger is app.about.logger now",
  };
  for (const [name, message] of Object.entries(called))
    test(`${name} is an error that says the new one`, () => {
      const app = Framework.create() as unknown as Record<string, () => unknown>;
      assert.throws(() => app[name]?.(), { name: "TypeError", code: "RENAMED", message });
    });
});
