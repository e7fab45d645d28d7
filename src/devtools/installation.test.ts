/**
 * Devtools as a developer uses them: switched by the environment, installed once, announced in one line.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type AppObserver, Beans, Framework, Interface } from "framework";
import type { ServerEngine } from "framework/engine";
import { Devtools, type DevtoolsOptions, type Trace } from "./index.ts";
import { appName } from "./serve/application.ts";

interface Greeter {
  greet(): string;
}
const Greeter = Interface<Greeter>("Greeter");
const dev = "/framework/dev";
const paths = ["", "/api/routes", "/api/graph", "/api/requests", "/api/stream", "/unknown"].map((path) => dev + path);

type Environment = Readonly<Record<"FRAMEWORK_DEVTOOLS" | "NODE_ENV", string | undefined>>;

function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** The result of `run` while the environment has exactly these variables. */
function within<T>(env: Partial<Environment>, run: () => T): T {
  const { FRAMEWORK_DEVTOOLS, NODE_ENV } = process.env;
  setEnvironment({ FRAMEWORK_DEVTOOLS: undefined, NODE_ENV: undefined, ...env });
  try {
    return run();
  } finally {
    setEnvironment({ FRAMEWORK_DEVTOOLS, NODE_ENV });
  }
}

/** An engine without a listener, so that an application can start on any interface. */
const nowhere: ServerEngine = { name: "nowhere", start: async ({ port }) => ({ port, stop: async () => undefined }) };

/** An application with the given devtools, and every line that it logs. */
function application(devtools: Devtools, host = "127.0.0.1"): { app: Framework; beans: Beans; lines: string[] } {
  const lines: string[] = [];
  const app = Framework.create({
    host,
    engine: nowhere,
    logger: { warn: (line) => void lines.push(line), error: () => undefined },
  });
  const beans = Beans.builder()
    .bind(Greeter, () => bean)
    .instrument(devtools.recorder())
    .start();
  app.get("/", (ctx) => ctx.get(Greeter).greet()).beans(beans);
  return { app, beans, lines };
}
const bean: Greeter = { greet: () => "hello" };

/** The response of this address to a client on this machine. */
async function asked(app: Framework, path: string): Promise<string> {
  const request = new Request(`http://localhost${path}`, { headers: { host: "localhost" } });
  return (await app.fetch(request, { peerAddress: "127.0.0.1" })).text();
}
const told = async (app: Framework, name: string): Promise<unknown> =>
  JSON.parse(await asked(app, `${dev}/api/${name}`)) as unknown;

async function statuses(app: Framework): Promise<readonly number[]> {
  const found: number[] = [];
  for (const path of paths) {
    const request = new Request(`http://localhost${path}`, { headers: { host: "localhost" } });
    const response = await app.fetch(request, { peerAddress: "127.0.0.1" });
    await response.body?.cancel();
    found.push(response.status);
  }
  return found;
}

const mounted = [200, 200, 200, 200, 200, 404];
const absent = Array(6).fill(404) as readonly number[];

describe("Devtools that are off", () => {
  for (const word of ["false", "FALSE", "0", "off", "Off", "no", "No"]) {
    it(`DEV-019: with FRAMEWORK_DEVTOOLS=${word} nothing is mounted and every bean is handed back as it is`, async () => {
      const devtools = within({ FRAMEWORK_DEVTOOLS: word }, () => Devtools.create());
      const { app, beans, lines } = application(devtools);
      devtools.install(app, beans);
      assert.deepEqual(await statuses(app), absent);
      assert.equal(beans.get(Greeter), bean);
      assert.deepEqual(lines, []);
      assert.equal(await (await app.fetch(new Request("http://localhost/"))).text(), "hello");
    });
  }

  for (const word of [undefined, "", "1", "on"]) {
    it(`in production with FRAMEWORK_DEVTOOLS=${word} they are off and one line says so`, async () => {
      const devtools = within({ NODE_ENV: "production", FRAMEWORK_DEVTOOLS: word }, () => Devtools.create());
      const { app, beans, lines } = application(devtools);
      devtools.install(app, beans);
      assert.deepEqual(await statuses(app), absent);
      assert.equal(beans.get(Greeter), bean);
      assert.deepEqual(lines, [
        "devtools are off because NODE_ENV is production: FRAMEWORK_DEVTOOLS=true turns them on, which shows the arguments and results of beans",
      ]);
    });
  }

  it("in production FRAMEWORK_DEVTOOLS=true turns them on", async () => {
    const devtools = within({ NODE_ENV: "production", FRAMEWORK_DEVTOOLS: "true" }, () => Devtools.create());
    const { app, beans, lines } = application(devtools);
    devtools.install(app, beans);
    assert.deepEqual([await statuses(app), lines], [mounted, []]);
    assert.notEqual(beans.get(Greeter), bean);
  });
});

describe("The stream of an application without its own server", () => {
  it("it ends when the application stops", async () => {
    const devtools = within({}, () => Devtools.create());
    const { app, beans } = application(devtools);
    devtools.install(app, beans);
    const request = new Request(`http://localhost${dev}/api/stream`, { headers: { host: "localhost" } });
    const response = await app.fetch(request, { peerAddress: "127.0.0.1" });
    const text = response.text();
    await app.stop();
    assert.equal(await text, ": connected\n\nretry: 1000\n\n");
  });
});

describe("What devtools trace", () => {
  /** The traces after one request for each path, one after the other. */
  async function tracesOf(devtools: Devtools, app: Framework, asked: readonly string[]): Promise<readonly Trace[]> {
    devtools.install(app, app.container ?? Beans.builder().start());
    for (const path of asked) await (await app.fetch(new Request(`http://localhost${path}`))).text();
    const list = new Request(`http://localhost${dev}/api/requests`, { headers: { host: "localhost" } });
    return (await (await app.fetch(list, { peerAddress: "127.0.0.1" })).json()) as Trace[];
  }

  it("a request that ignore picks is not traced, and one is traced if ignore fails", async () => {
    const ignore = ({ path }: { readonly path: string }): boolean => {
      if (path === "/fails") throw new Error("ignore failed");
      return path.startsWith("/probe");
    };
    const devtools = within({}, () => Devtools.create({ ignore }));
    const traces = await tracesOf(devtools, application(devtools).app, ["/", "/probe/1", "/fails", "/probe/2"]);
    assert.deepEqual(
      traces.map(({ path }) => path),
      ["/fails", "/"],
    );
  });

  it("a promise from ignore or redact.custom traces the run, hides the value and is logged once", async () => {
    const rejects = async (): Promise<boolean> => {
      await new Promise((resolve) => void setImmediate(resolve));
      throw new Error("nobody waits for it");
    };
    const options = { ignore: rejects, redact: { custom: rejects } } as unknown as DevtoolsOptions;
    const devtools = within({}, () => Devtools.create(options));
    const { app, lines } = application(devtools);
    const traces = await tracesOf(devtools, app, ["/?a=1", "/?a=2"]);
    await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual(
      traces.map(({ request }) => request.query),
      [{ a: ["[redacted]"] }, { a: ["[redacted]"] }],
    );
    const end = "Make it a function that is not async.";
    assert.deepEqual(lines.toSorted(), [
      `devtools: ignore returned a promise, which nothing waits for: the request is traced. ${end}`,
      `devtools: redact.custom returned a promise, which nothing waits for: what it was asked about is hidden. ${end}`,
    ]);
  });

  it("takes no annotation for an ignored request", async () => {
    const devtools = within({}, () => Devtools.create({ ignore: () => true }));
    const { app, beans } = application(devtools);
    app.get("/noted", (ctx) => {
      ctx.annotations?.add("a", 1);
      ctx.log.info("noted");
      return "noted";
    });
    devtools.install(app, beans);
    assert.equal(await asked(app, "/noted"), "noted");
  });

  it("hides secrets and shows stacks by default; redact and stacks set to false turn that off", async () => {
    for (const [options, password, file] of [
      [{}, "[redacted]", "installation.test"],
      [{ redact: false, stacks: false }, "hunter2-hunter2", undefined],
    ] as const) {
      const devtools = within({}, () => Devtools.create(options));
      const { app } = application(devtools);
      app.get("/fails", (ctx) => {
        ctx.annotations?.add("user", { password: "hunter2-hunter2" });
        throw new Error("no");
      });
      const [trace] = await tracesOf(devtools, app, ["/fails"]);
      assert.deepEqual(trace?.annotations, [{ name: "user", value: { password } }]);
      assert.equal(/installation\.test(?=\.[jt]s$)/.exec(trace.error?.stack?.[0]?.file ?? "")?.[0], file);
    }
  });

  it("a trace holds at most 1 MiB of payload, however much its calls pass", async () => {
    const devtools = within({}, () => Devtools.create());
    const Eater = Interface<{ eat(food: readonly string[]): readonly string[] }>("Eater");
    const beans = Beans.builder()
      .bind(Eater, () => ({ eat: (food) => food }))
      .instrument(devtools.recorder())
      .start();
    const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
    const food = Array.from({ length: 10 }, (_, at) => `${at}${"x".repeat(10_000)}`);
    app.get("/feast", () => {
      for (let course = 0; course < 40; course++) beans.get(Eater).eat(food);
      return food;
    });
    const [trace] = await tracesOf(devtools, app, ["/feast"]);
    const payload = trace?.calls.map(({ args, result }) => JSON.stringify([args, result])) ?? [];
    const [first = "", last = ""] = [payload[0], payload.at(-1)];
    assert.deepEqual([payload.length, first.includes("$truncated"), last.includes("$truncated")], [40, false, true]);
    const size = Buffer.byteLength(payload.join("") + JSON.stringify([trace?.request.body, trace?.response.body]));
    assert.ok(size > 200_000 && size <= 1_048_576, String(size));
  });
});

describe("Devtools.install", () => {
  const states = [
    { created: undefined, later: "false", expected: mounted },
    { created: "false", later: undefined, expected: absent },
  ];
  for (const { created, later, expected } of states) {
    it(`devtools created with FRAMEWORK_DEVTOOLS=${created} do not notice when it becomes ${later}`, async () => {
      const devtools = within({ FRAMEWORK_DEVTOOLS: created }, () => Devtools.create());
      const { app, beans } = within({ FRAMEWORK_DEVTOOLS: later }, () => application(devtools));
      within({ FRAMEWORK_DEVTOOLS: later }, () => devtools.install(app, beans));
      assert.deepEqual(await statuses(app), expected);
      assert.equal(beans.get(Greeter) === bean, created === "false");
    });
  }

  for (const word of [undefined, "false"]) {
    it(`a second install throws, with FRAMEWORK_DEVTOOLS=${word}`, () => {
      const devtools = within({ FRAMEWORK_DEVTOOLS: word }, () => Devtools.create());
      const { app, beans } = application(devtools);
      devtools.install(app, beans);
      const { app: another } = application(devtools);
      for (const target of [app, another]) assert.throws(() => devtools.install(target, beans), /called twice/);
    });
  }

  it("rejects another container than the application's, before and after the application has one", async () => {
    const other = Beans.builder().start();
    for (const isLate of [false, true]) {
      const lines: string[] = [];
      const logger = { warn: (line: string) => void lines.push(line), error: () => undefined };
      const app = Framework.create({ engine: nowhere, logger });
      const own = Beans.builder().start();
      const expected = { message: /was given another container than app\.beans\(beans\): give both the same one/ };
      const devtools = within({}, () => Devtools.create());
      if (isLate) devtools.install(app, other);
      app.beans(own);
      if (isLate) await assert.rejects(app.start(0), expected);
      else assert.throws(() => devtools.install(app, other), expected);
    }
  });

  it("rejects an application that has devtools already", () => {
    const first = within({}, () => Devtools.create());
    const { app, beans } = application(first);
    first.install(app, beans);
    const second = within({}, () => Devtools.create());
    assert.throws(() => second.install(app, beans), /has devtools already: install them once/);
  });

  const shown =
    "devtools: http://localhost:7007/framework/dev shows arguments and results of beans; a proxy on this machine counts as this machine";
  const binds: readonly (readonly [host: string, allowRemote: boolean, rest: string])[] = [
    ["127.0.0.1", false, ""],
    ["localhost", false, ""],
    ["0.0.0.0", false, "; the server listens on 0.0.0.0, only this machine is served"],
    ["10.1.2.3", true, "; the server listens on 10.1.2.3, other machines are served too"],
  ];
  for (const [host, allowRemote, rest] of binds) {
    it(`logs where it serves what, and to whom, in one line when it listens on ${host}`, async () => {
      const devtools = within({}, () => Devtools.create({ allowRemote }));
      const { app, beans, lines } = application(devtools, host);
      devtools.install(app, beans);
      assert.deepEqual(lines, []);
      await app.start(7_007);
      await app.stop();
      assert.deepEqual(lines, [`${shown.replace("localhost", new URL(app.url).hostname)}${rest}`]);
    });
  }

  it("logs nothing inside a host server, which listens instead, and serves there", async () => {
    const devtools = within({}, () => Devtools.create());
    const { app, beans, lines } = application(devtools);
    devtools.install(app, beans);
    const page = new Request("http://localhost/framework/dev/api/requests");
    assert.equal((await app.fetch(page, { peerAddress: "::ffff:127.0.0.1" })).status, 200);
    assert.deepEqual(lines, []);
  });

  it("accepts a host and beans with only the required members", async () => {
    for (const lacking of [missing, { container: undefined }]) {
      const devtools = within({}, () => Devtools.create());
      const { app, beans } = application(devtools);
      const host = hostOf(app, lacking);
      devtools.install(host, hostOf(beans, { idOf: undefined }));
      assert.equal(await asked(app, "/"), "hello");
      assert.deepEqual(await told(app, "panels"), []);
      const [trace] = (await told(app, "requests")) as Trace[];
      assert.deepEqual([trace?.path, trace?.calls.length], ["/", 1]);
      const { name } = (await told(app, `run?id=${trace?.instance}.${trace?.run}`)) as { name: string };
      assert.equal(name, appName(process.cwd()));
      assert.deepEqual(await told(app, "routes"), [{ method: "GET", path: "/", pathParams: [], beans: ["Greeter"] }]);
    }
  });

  it("accepts an application without beans, with an empty graph, and one without its beans passed", async () => {
    const devtools = within({}, () => Devtools.create());
    const empty = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
    devtools.install(hostOf(empty, { container: undefined }));
    assert.deepEqual(await told(empty, "graph"), { nodes: [], edges: [], unspied: [] });
    const other = within({}, () => Devtools.create());
    const { app } = application(other);
    other.install(app);
    assert.match(JSON.stringify(await told(app, "graph")), /"Greeter"/);
    const plugged = within({}, () => Devtools.create());
    const { app: above, beans } = application(plugged);
    plugged.install(hostOf(above, { container: hostOf(beans, { below: {} }) }));
    assert.match(JSON.stringify(await told(above, "graph")), /"Greeter"/);
  });

  it("requires a generated secret if token is true, and prints it in the line", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "installation-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const devtools = within({}, () => Devtools.create({ token: true }));
    const { app, beans, lines } = application(devtools);
    t.mock.method(process, "cwd", () => folder);
    devtools.install(app, beans);
    await app.start(7_007);
    await app.stop();
    assert.match(lines[0] ?? "", /\/framework\/dev\?\w+=[\w-]{43} shows .*, to all who open this link$/);
    assert.equal(await asked(app, `${dev}/api/graph`).then((text) => text.includes("Greeter")), false);
  });

  it("runs the work of a WebSocket unchanged if its request is not watched", () => {
    const devtools = within({}, () => Devtools.create());
    const { app, beans } = application(devtools);
    const around: unknown[] = [];
    const observe = ({ background }: AppObserver): unknown => background !== undefined && around.push(background);
    devtools.install(hostOf(app, { observe }), beans);
    const [background] = around as ((name: string, work: () => unknown, origin: object) => unknown)[];
    assert.equal(
      background?.("message", () => 5, { ctx: {} }),
      5,
    );
    assert.equal(Reflect.get(devtools.recorder(), "failures"), 0);
  });

  it("lists for a route what it declares, and only for GET the beans that a HEAD request entered", async () => {
    const devtools = within({}, () => Devtools.create());
    const { app, beans } = application(devtools);
    app.get("/x", { summary: "s", example: { query: { a: 1 } } }, (ctx) => ctx.get(Greeter).greet());
    app.post("/x", () => "");
    devtools.install(app, beans);
    await app.fetch(new Request("http://localhost/x", { method: "HEAD" }));
    const route = { path: "/x", pathParams: [] };
    assert.deepEqual(((await told(app, "routes")) as object[]).slice(1), [
      {
        method: "GET",
        ...route,
        beans: ["Greeter"],
        contract: { summary: "s" },
        example: { path: {}, query: { a: ["1"] }, headers: {} },
      },
      { method: "POST", ...route, beans: [] },
    ]);
  });

  it("gives the page its name, the slow limit, and how a file is opened if stacks are shown", async () => {
    const cases = [
      [
        { name: "shop", slowMs: 250, editor: "my://{file}:{line}" },
        `data-slow-ms="250" data-app="shop" data-editor="my://{file}:{line}"`,
      ],
      [{ name: "shop", editor: false }, `data-app="shop" lang`],
      [{ name: "shop", stacks: false }, `data-app="shop" lang`],
    ] as const;
    for (const [options, expected] of cases) {
      const devtools = within({}, () => Devtools.create(options));
      const { app, beans } = application(devtools);
      devtools.install(app, beans);
      const page = await asked(app, dev);
      assert.ok(page.slice(0, 500).includes(expected), page.slice(0, 500));
      assert.equal(page.includes("data-root="), page.includes("data-editor="));
    }
  });

  it("reports that an application without a particular host listens on every interface", async () => {
    const devtools = within({}, () => Devtools.create());
    const { app, beans, lines } = application(devtools);
    devtools.install(hostOf(app, { ...missing, about: { ...app.about, host: undefined } }), beans);
    await app.start(7_007);
    await app.stop();
    assert.match(lines[0] ?? "", /; the server listens on every interface, only this machine is served$/);
  });

  it("logs nothing for an application without an address, and rethrows any other error of the address", async () => {
    const thrown = new Error("no address");
    for (const code of ["APP_NOT_STARTED", "other"]) {
      const devtools = within({}, () => Devtools.create());
      const { app, beans, lines } = application(devtools);
      const url = (): never => {
        throw Object.assign(thrown, { code });
      };
      devtools.install(hostOf(app, missing, { url }), beans);
      if (code === "other") await assert.rejects(app.start(0), thrown);
      else await app.start(0);
      await app.stop();
      assert.deepEqual(lines, []);
    }
  });

  it("names itself in the error when it is installed after the start, and rethrows the application's other errors", async () => {
    const late = within({}, () => Devtools.create());
    const { app, beans } = application(late);
    await app.start(0);
    assert.throws(
      () => late.install(app, beans),
      ({ message, cause }) =>
        message === "devtools.install() came after the app was started: install devtools first, then start" &&
        (cause as { code?: string }).code === "APP_STARTED",
    );
    await app.stop();
    for (const thrown of [new Error("other"), "a text"]) {
      const devtools = within({}, () => Devtools.create());
      const wrap = (): never => {
        throw thrown;
      };
      const other = application(devtools);
      assert.throws(
        () => devtools.install(hostOf(other.app, { wrap }), other.beans),
        (error) => error === thrown,
      );
    }
  });
});

/** The members that a host may lack. */
const missing = { container: undefined, onResponse: undefined };

/** The same object with other members. @param getters are called on each read */
function hostOf<T extends object>(of: T, members: object, getters: Record<string, () => unknown> = {}): T {
  return new Proxy(of, {
    get(target, key) {
      if (typeof key === "string" && Object.hasOwn(getters, key)) return getters[key]?.();
      if (Object.hasOwn(members, key)) return Reflect.get(members, key) as unknown;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
