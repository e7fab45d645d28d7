/** onStart under start, fetch, listener and ready: once, before the first request (LIFE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import express from "express";
import { ask, created, until, type Served } from "../testing/harness.testkit.ts";
import { definePlugin, RequestLoggingMiddleware, type Framework } from "../index.ts";

/** A server with the app in it. */
interface Host {
  /** One request: its status and body. */
  asking(): Promise<readonly [status: number, body: string]>;
  /** The number of requests that the app received. */
  arrived(): number;
}

type Listener = (req: object, res: object) => void;

/** The ways in which a host passes requests on. */
const hosts: Readonly<Record<string, (t: TestContext, app: Framework) => Promise<Host>>> = {
  "app.fetch": async (_t, app) => {
    let count = 0;
    return {
      asking: async () => {
        count += 1;
        const response = await app.fetch(new Request("http://h/"));
        return [response.status, await response.text()];
      },
      arrived: () => count,
    };
  },
  "app.listener() in node:http": async (t, app) => hosted(t, (listener) => createServer(listener), app.listener()),
  "app.listener() in Express": async (t, app) =>
    hosted(t, (listener) => createServer(express().use(listener)), app.listener()),
};

async function hosted(t: TestContext, make: (listener: Listener) => Server, listener: Listener): Promise<Host> {
  let count = 0;
  const server = make((req, res) => {
    listener(req, res);
    count += 1;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    asking: async () => {
      const { status, body } = await ask(port, "GET", "/");
      return [status, body];
    },
    arrived: () => count,
  };
}

/** A promise and its resolve functions. */
function gate(): { readonly opened: Promise<void>; open(error?: Error): void; fail(error: Error): void } {
  let open = (): void => undefined;
  let fail: (error: Error) => void = () => undefined;
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open: () => open(), fail: (error) => fail(error) };
}

/** An app that keeps a log. */
function noting(): Omit<Served, "port"> & { readonly notes: string[] } {
  const notes: string[] = [];
  const made = created();
  made.app.get("/", () => (notes.push("request"), "here"));
  return { ...made, notes };
}

const unavailable = [503, '{"type":"about:blank","title":"Service Unavailable","status":503}'] as const;

for (const [host, open] of Object.entries(hosts))
  describe(`onStart under ${host}`, () => {
    it("runs once, in order, before the first requests", async (t) => {
      const { app, notes, errors } = noting();
      const database = gate();
      app
        .onStart(() => void notes.push("first"))
        .onStart(async () => {
          await database.opened;
          notes.push("second");
        });
      const { asking, arrived } = await open(t, app);
      const early = [asking(), asking(), asking()];
      await until(() => notes.length > 0 && arrived() === 3);
      assert.deepEqual(notes, ["first"]);
      database.open();
      const responses = await Promise.all([...early, asking()]);
      assert.deepEqual(new Set(responses.map(String)), new Set(["200,here"]));
      assert.deepEqual(notes, ["first", "second", "request", "request", "request", "request"]);
      assert.equal(await app.ready(), app);
      assert.deepEqual([notes.length, errors], [6, []]);
    });

    it("retries a failed listener, and logs the failure once", async (t) => {
      const { app, notes, errors } = noting();
      let attempts = 0;
      app
        .onStart(() => void notes.push("first"))
        .onStart(() => {
          attempts += 1;
          notes.push(`attempt ${attempts}`);
          if (attempts === 1) throw new Error("no database");
        })
        .onStart(() => void notes.push("last"));
      const { asking } = await open(t, app);
      assert.deepEqual(await asking(), unavailable);
      assert.deepEqual(
        errors.map(({ line, error }) => [line.slice(0, 30), (error as Error).message]),
        [["an app.onStart listener failed", "no database"]],
      );
      assert.deepEqual(await asking(), [200, "here"]);
      assert.deepEqual(notes, ["first", "attempt 1", "attempt 2", "last", "request"]);
      assert.equal(errors.length, 1);
    });

    it("responds to all requests that wait for one failure, and logs it once", async (t) => {
      const { app, errors, notes } = noting();
      const database = gate();
      app.onStart(() => database.opened);
      const lines: string[] = [];
      app.use(new RequestLoggingMiddleware({ write: (line) => void lines.push(line) }));
      const { asking, arrived } = await open(t, app);
      const early = [asking(), asking()];
      await until(() => arrived() === 2);
      database.fail(new Error("no database"));
      assert.deepEqual(await Promise.all(early), [unavailable, unavailable]);
      await until(() => lines.length === 2);
      assert.ok(
        lines.every((line) => line.includes(" 503 ")),
        lines.join(),
      );
      assert.deepEqual([errors.length, notes], [1, []]);
    });
  });

describe("later requests of app.fetch", () => {
  it("are handled immediately, without a microtask, as without listeners", async () => {
    for (const listen of [true, false]) {
      const { app, notes } = noting();
      if (listen) await app.onStart(async () => void notes.push("started")).ready();
      const before = notes.length;
      const response = app.fetch(new Request("http://h/"));
      assert.deepEqual(notes.slice(before), ["request"]);
      assert.equal((await response).status, 200);
    }
  });
});

describe("a request whose client leaves while it waits", () => {
  for (const outcome of ["open", "fail"] as const)
    it(`is over once, as a request whose client left (${outcome})`, async () => {
      const { app } = created();
      const database = gate();
      const lines: string[] = [];
      app.use(new RequestLoggingMiddleware({ write: (line) => void lines.push(line) }));
      app.get("/", () => "here").onStart(() => database.opened);
      const leaving = new AbortController();
      const response = app.fetch(new Request("http://h/", { signal: leaving.signal }));
      leaving.abort();
      await assert.rejects(async () => response, { name: "AbortError" });
      database[outcome](new Error("no database"));
      await until(() => lines.length === 1);
      assert.match(lines[0] ?? "", / 499 /);
    });
});

/** Lets the deferred timer of an `app.fetch` request fire. The process has one such timer, and it would be lost with the mock. */
function runOut(t: TestContext): void {
  for (let turn = 0; turn < 4; turn += 1) t.mock.timers.tick(25);
}

describe("a listener that does not end", () => {
  it("is reported in one line after ten seconds", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { app, warnings } = created();
    const database = gate();
    app.get("/", () => "here").onStart(() => database.opened);
    const responses = [app.fetch(new Request("http://h/")), app.fetch(new Request("http://h/"))];
    t.mock.timers.tick(9_999);
    assert.deepEqual(warnings, []);
    t.mock.timers.tick(1);
    t.mock.timers.tick(60_000);
    assert.deepEqual(warnings, [
      "requests wait for an app.onStart listener that has not ended for 10 s; one that asks the app itself waits for itself",
    ]);
    database.open();
    assert.deepEqual(
      (await Promise.all(responses)).map(({ status }) => status),
      [200, 200],
    );
    runOut(t);
  });
});

describe("a plugin that is not installed", () => {
  it("is reported in one line after ten seconds", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { app, warnings } = created();
    const installing = gate();
    app.plugin(definePlugin({ name: "slow", install: () => installing.opened })).get("/", () => "here");
    const response = app.fetch(new Request("http://h/"));
    t.mock.timers.tick(10_000);
    assert.deepEqual(warnings, ["requests wait for a plugin or a bean that has not started for 10 s"]);
    installing.open();
    assert.equal((await response).status, 200);
    runOut(t);
  });

  it("is not reported when it is installed in time", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { app, warnings } = created();
    const installing = gate();
    app.plugin(definePlugin({ name: "slow", install: () => installing.opened })).get("/", () => "here");
    const response = app.fetch(new Request("http://h/"));
    installing.open();
    assert.equal((await response).status, 200);
    t.mock.timers.tick(60_000);
    assert.deepEqual(warnings, []);
    runOut(t);
  });
});

describe("app.ready", () => {
  it("runs the listeners once, also when start comes after it or during it", async () => {
    for (const first of ["ready", "start"] as const) {
      const { app, notes } = noting();
      const database = gate();
      app.onStart(async () => {
        notes.push("begun");
        await database.opened;
        notes.push("done");
      });
      const both = first === "ready" ? [app.ready(), app.start(0)] : [app.start(0), app.ready(), app.ready()];
      await until(() => notes.length > 0);
      database.open();
      assert.ok((await Promise.all(both)).every((one) => one === app));
      assert.deepEqual(notes, ["begun", "done"]);
      assert.equal((await ask(app.port, "GET", "/")).body, "here");
      await app.stop();
    }
  });

  it("under start, runs them once the app listens", async () => {
    const { app, notes } = noting();
    app.onStart(() => void notes.push(`port ${app.port > 0}`));
    const starting = app.start(0);
    await app.ready();
    assert.deepEqual(notes, ["port true"]);
    await starting;
    await app.stop();
  });

  it("lets a listener under start ask the app itself", async () => {
    const { app, notes } = noting();
    app.onStart(async () => {
      notes.push((await ask(app.port, "GET", "/")).body);
      notes.push(await (await app.fetch(new Request("http://h/"))).text());
    });
    await app.start(0);
    await app.stop();
    assert.deepEqual(notes, ["request", "here", "request", "here"]);
  });

  it("ends the configuration", async () => {
    const { app } = created();
    await app.ready();
    assert.throws(() => app.get("/", () => ""), { code: "APP_STARTED" });
  });

  it("rejects with the listener's error and retries it, and with that of a failed start", async () => {
    const { app } = created();
    let attempts = 0;
    app.onStart(() => {
      attempts += 1;
      if (attempts < 3) throw new Error(`attempt ${attempts}`);
    });
    await assert.rejects(app.ready(), /^Error: attempt 1$/);
    await assert.rejects(app.ready(), /^Error: attempt 2$/);
    await app.ready();
    assert.equal(attempts, 3);

    const busy = await created().app.start(0);
    const late = created().app.onStart(() => void (attempts += 1));
    const starting = assert.rejects(late.start(busy.port), { code: "EADDRINUSE" });
    await assert.rejects(late.ready(), { code: "EADDRINUSE" });
    await starting;
    await busy.stop();
    assert.equal(attempts, 3);
    await (await late.start(0)).stop();
    assert.equal(attempts, 4);
  });

  it("rejects, and requests get 503, after the app was stopped before the listeners had run", async () => {
    for (const fails of [true, false]) {
      const { app, errors } = noting();
      let runs = 0;
      app.onStart(() => {
        runs += 1;
        throw new Error("no database");
      });
      if (fails) await assert.rejects(app.start(0), /no database/);
      else await app.stop();
      await assert.rejects(app.ready(), { code: "APP_STOPPED" });
      assert.equal((await app.fetch(new Request("http://h/"))).status, 503);
      assert.deepEqual([runs, errors.length], [fails ? 1 : 0, 1]);
    }
  });
});

describe("app.observe({ start })", () => {
  it("wraps each listener, also those of middleware, the first outermost", async () => {
    const { app } = created();
    const seen: string[] = [];
    for (const mark of ["outer", "inner"])
      app.observe({
        start: async (name, run) => {
          seen.push(`${mark} ${name}`);
          await run();
          seen.push(`${mark} ended`);
        },
      });
    app.onStart(async function warm() {
      seen.push("warm");
    });
    app.use({
      handle: (_, next) => next(),
      installed: (lifecycle) => lifecycle.onStart(() => seen.push("middleware")),
    });
    await app.ready();
    const around = (name: string, does: string): readonly string[] => [
      `outer ${name}`,
      `inner ${name}`,
      does,
      "inner ended",
      "outer ended",
    ];
    assert.deepEqual(seen, [...around("warm", "warm"), ...around("", "middleware")]);
  });
});

describe("app.about.middlewareOf", () => {
  it("gives the installed middleware of a class in the app, groups and routes, each once", async () => {
    class Marked {
      readonly name: string;
      constructor(name: string) {
        this.name = name;
      }
      handle(_: unknown, next: () => void): void {
        next();
      }
    }
    const { app } = created();
    const twice = new Marked("twice");
    app
      .use(twice)
      .use(twice)
      .use((_, next) => next());
    app.group("/g", (group) => void group.use(new Marked("group")));
    app.get("/r", { use: [new Marked("route")] }, () => "");
    await app.ready();
    const names = app.about.middlewareOf(Marked).map(({ name }) => name);
    assert.deepEqual([names, app.about.middlewareOf(RequestLoggingMiddleware)], [["twice", "group", "route"], []]);
  });
});
