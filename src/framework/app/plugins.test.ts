/** Plugins: scoped, ordered, awaited, with their own beans (PLUGIN). */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import {
  Beans,
  definePlugin,
  Framework,
  type FrameworkOptions,
  Interface,
  type Plugin,
  type PluginScope,
} from "../index.ts";

const quiet = { warn: () => undefined, error: () => undefined };
const create = (options: FrameworkOptions = {}): Framework => Framework.create({ logger: quiet, ...options });
const textOf = async (app: Framework, path: string): Promise<string> => (await app.request(path)).text();

interface Mailer {
  send(to: string): string;
}
const Mailer: Interface<Mailer> = Interface("Mailer");
const Shop: Interface<{ order(): string }> = Interface("Shop");
const OtherShop: Interface<object> = Interface("Shop");

const mail = definePlugin<{ from?: string }>({
  name: "mail",
  beans: (builder, { from = "nobody" }) => builder.bind(Mailer, () => ({ send: (to) => `${from} to ${to}` })),
  install: (scope) => void scope.get("/send/{to}", (ctx) => ctx.get(Mailer).send(ctx.pathParam("to"))),
});

/** A promise that the test resolves. */
function gateway(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}

/** A plugin that only notes its installation, now or later. */
const noting = (name: string, notes: string[], wait?: Promise<void>): Plugin =>
  definePlugin({
    name,
    async install(scope) {
      notes.push(`${name} begins`);
      await wait;
      notes.push(`${name} ends`);
      scope.get(`/${name}`, () => name);
    },
  });

/** The code and sentence of the error that a call throws or rejects with. */
async function failureOf(run: () => unknown): Promise<readonly [code: unknown, message: string, cause: unknown]> {
  try {
    await run();
  } catch (error) {
    assert.ok(error instanceof Error);
    return [Reflect.get(error, "code"), error.message, error.cause];
  }
  throw new Error("nothing was thrown");
}

describe("app.plugin", () => {
  test("routes are under the prefix, middleware and response hooks apply to the plugin alone", async () => {
    const seen: string[] = [];
    const tagged = definePlugin({
      name: "tagged",
      install(scope) {
        scope.use((ctx, next) => {
          seen.push(ctx.path);
          return next();
        });
        scope.onResponse((ctx) => void ctx.setHeader("X-Tagged", "yes"));
        scope.get("/in", () => "inside");
        scope.group("/deep", (api) => api.get("/in", () => "deep"));
      },
    });
    const app = create()
      .plugin(tagged, { prefix: "/t" })
      .get("/out", () => "outside");
    const responses = await Promise.all(["/t/in", "/t/deep/in", "/out", "/in"].map((path) => app.request(path)));
    assert.deepEqual(
      responses.map(({ status, headers }) => [status, headers.get("x-tagged")]),
      [
        [200, "yes"],
        [200, "yes"],
        [200, null],
        [404, null],
      ],
    );
    assert.deepEqual(seen, ["/t/in", "/t/deep/in"]);
    assert.deepEqual(
      app.routes().map(({ path }) => path),
      ["/out", "/t/deep/in", "/t/in"],
    );
  });

  test("a plugin inside another is under its prefix and after its middleware", async () => {
    const inner = definePlugin({
      name: "inner",
      install: (scope) => void scope.get("/x", (ctx) => ctx.header("x-seen")),
    });
    const outer = definePlugin({
      name: "outer",
      install(scope) {
        scope.onResponse((ctx) => void ctx.setHeader("X-Outer", "yes"));
        scope.plugin(inner, { prefix: "/inner" });
      },
    });
    const response = await create().plugin(outer, { prefix: "/outer" }).request("/outer/inner/x");
    assert.deepEqual([response.status, response.headers.get("x-outer")], [204, "yes"]);
  });

  test("listeners of groups and plugins run in one order with the app's", async () => {
    const order: string[] = [];
    const note = (what: string) => (): void => void order.push(what);
    const plugin = definePlugin({
      name: "p",
      install: (scope) => void scope.onStart(note("plugin starts")).onStop(note("plugin stops")),
    });
    const app = create()
      .onStart(note("first starts"))
      .onStop(note("first stops"))
      .plugin(plugin)
      .group("/g", (api) => void api.onStart(note("group starts")).onStop(note("group stops")))
      .onStart(note("last starts"));
    await app.ready();
    await app.stop();
    assert.deepEqual(order, [
      "first starts",
      "plugin starts",
      "group starts",
      "last starts",
      "group stops",
      "plugin stops",
      "first stops",
    ]);
  });

  test("a second plugin of one name is rejected at the call", async () => {
    const app = create().plugin(mail, { prefix: "/a" });
    assert.deepEqual(await failureOf(() => app.plugin(mail, { prefix: "/b" })), [
      "PLUGIN_DUPLICATE",
      'the plugin "mail" is installed already: an app takes one of a name',
      undefined,
    ]);
  });

  test("a plugin is installed only after the plugins that it needs", async () => {
    const orders = definePlugin({ name: "orders", needs: ["mail"], install: (scope) => void scope.get("/o", () => 1) });
    const sentence =
      'the plugin "orders" needs the plugin "mail", which is not installed: install it first, with app.plugin';
    const app = create();
    assert.deepEqual(await failureOf(() => app.plugin(orders)), ["PLUGIN_NEEDS", sentence, undefined]);
    assert.deepEqual(app.routes(), []);
    assert.equal(await textOf(create().plugin(mail).plugin(orders), "/o"), "1");
    const late = create().plugin(noting("slow", [])).plugin(orders);
    assert.deepEqual(await failureOf(() => late.ready()), ["PLUGIN_NEEDS", sentence, undefined]);
  });

  test("plugins are installed one after another, nested ones as a part of their parent", async () => {
    const notes: string[] = [];
    const gate = gateway();
    const outer = definePlugin({
      name: "outer",
      async install(scope) {
        notes.push("outer begins");
        await gate.promise;
        scope.plugin(noting("inner", notes, Promise.resolve())).plugin(noting("inner2", notes));
        notes.push("outer ends");
      },
    });
    const app = create()
      .plugin(definePlugin({ name: "now", install: () => void notes.push("now") }))
      .plugin(outer)
      .plugin(noting("behind", notes));
    assert.deepEqual(notes, ["now", "outer begins"]);
    gate.resolve();
    await app.ready();
    assert.deepEqual(notes.slice(2), [
      "inner begins",
      "outer ends",
      "inner ends",
      "inner2 begins",
      "inner2 ends",
      "behind begins",
      "behind ends",
    ]);
    assert.equal(await textOf(app, "/behind"), "behind");
  });

  test("an asynchronous installation ends before listening, requests and onStart", async () => {
    const gate = gateway();
    const notes: string[] = [];
    const app = create({ host: "127.0.0.1" })
      .onStart(() => void notes.push("onStart"))
      .plugin(noting("slow", notes, gate.promise));
    const starting = app.start(0);
    assert.throws(() => app.port, { code: "APP_NOT_STARTED" });
    gate.resolve();
    await starting;
    assert.deepEqual(notes, ["slow begins", "slow ends", "onStart"]);
    assert.equal(await (await fetch(`${app.url}/slow`)).text(), "slow");
    await app.stop();

    const hosted = gateway();
    const inside = create().plugin(noting("slow", [], hosted.promise));
    const [first, second] = [textOf(inside, "/slow"), textOf(inside, "/slow")];
    hosted.resolve();
    assert.deepEqual([await first, await second, await textOf(inside, "/slow")], ["slow", "slow", "slow"]);
  });

  test("a node:http server that hosts the app waits for it, too", async (t) => {
    const gate = gateway();
    const server = createServer(
      create()
        .plugin(noting("slow", [], gate.promise))
        .listener(),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    const response = fetch(`http://127.0.0.1:${address.port}/slow`);
    gate.resolve();
    assert.equal(await (await response).text(), "slow");
  });

  test("a failed installation names the plugin and has the error as its cause", async () => {
    const boom = new RangeError("no table");
    const broken = definePlugin({
      name: "broken",
      install() {
        throw boom;
      },
    });
    const sentence = 'the plugin "broken" could not be installed: no table';
    assert.deepEqual(await failureOf(() => create().plugin(broken)), ["PLUGIN_FAILED", sentence, boom]);
    const outer = definePlugin({ name: "outer", install: (scope) => void scope.plugin(broken) });
    const [, nested, cause] = await failureOf(() => create().plugin(outer));
    assert.equal(nested, `the plugin "outer" could not be installed: ${sentence}`);
    assert.equal((cause as Error).cause, boom);
  });

  test("a rejected one fails the start for good, waiting ones are not installed, requests get 503", async () => {
    const lines: string[] = [];
    const notes: string[] = [];
    const app = create({ logger: { ...quiet, error: (line) => void lines.push(line) } })
      .plugin(definePlugin({ name: "broken", install: () => Promise.reject(new Error("no network")) }))
      .plugin(noting("behind", notes));
    const [code, message] = await failureOf(() => app.start(0));
    assert.deepEqual([code, message], ["PLUGIN_FAILED", 'the plugin "broken" could not be installed: no network']);
    assert.deepEqual(await failureOf(() => app.ready()), await failureOf(() => app.start(0)));
    const response = await app.request("/behind");
    assert.deepEqual(
      [response.status, response.headers.get("content-type"), lines, notes],
      [
        503,
        "application/problem+json",
        ["a plugin, a bean or a route failed: the app cannot start, and its requests get 503"],
        [],
      ],
    );
    await app.stop();
  });

  test("one that rejects before the app is started causes no unhandled rejection", async () => {
    const broken = definePlugin({ name: "broken", install: () => Promise.reject(new Error("early")) });
    const outer = definePlugin({ name: "outer", install: (scope) => void scope.plugin(broken) });
    const nested = create().plugin(outer);
    const app = create().plugin(broken);
    await new Promise((resolve) => setImmediate(resolve));
    await app.stop();
    assert.equal(
      (await failureOf(() => nested.ready()))[1],
      'the plugin "outer" could not be installed: the plugin "broken" could not be installed: early',
    );
  });

  test("while the start waits, the app accepts no more, and its plugins do", async () => {
    const gate = gateway();
    const app = create().plugin(noting("slow", [], gate.promise));
    const ready = app.ready();
    for (const late of [
      () => app.get("/late", () => 1),
      () => app.use(() => undefined),
      () => app.plugin(mail),
      () => app.onStart(() => undefined),
      () => app.group("/g", (api) => void api.get("/", () => 1)),
    ])
      assert.throws(late, { code: "APP_STARTED" });
    gate.resolve();
    await ready;
    assert.equal(await textOf(app, "/slow"), "slow");
    assert.equal(app.container, undefined);
  });

  test("a scope accepts nothing after the app has started", async () => {
    const scopes: PluginScope[] = [];
    const app = create().plugin(definePlugin({ name: "kept", install: (scope) => void scopes.push(scope) }));
    await app.ready();
    assert.throws(() => scopes[0]?.get("/late", () => 1), { code: "APP_STARTED" });
    assert.throws(() => scopes[0]?.plugin(mail), { code: "APP_STARTED", message: /\bscope\.plugin\b/ });
  });

  test("a stop before the plugins are installed ends the start, and nothing listens", async () => {
    const gate = gateway();
    const app = create().plugin(noting("slow", [], gate.promise));
    const starting = failureOf(() => app.start(0));
    await app.stop();
    gate.resolve();
    assert.deepEqual((await starting).slice(0, 2), [
      "APP_STOPPED",
      "the app was stopped before its start was over: create a new one",
    ]);
  });

  test("an invalid value is rejected with the allowed ones", async () => {
    const cases: Readonly<Record<string, () => unknown>> = {
      'a plugin has the name "a/b": letters, digits, ".", "_" and "-" are allowed, 64 at most': () =>
        definePlugin({ name: "a/b" }),
      'the plugin "x" has "instal": name, needs, beans, install, panel are allowed; did you mean install?': () =>
        // @ts-expect-error -- it is called install
        definePlugin({ name: "x", instal: 1 }),
      'the plugin "x" has needs that are no list of names: ["mail"] is one': () =>
        definePlugin({ name: "x", needs: "mail" as unknown as [] }),
      'the plugin "x" has an install that is no function (scope, options)': () =>
        definePlugin({ name: "x", install: 7 as unknown as () => void }),
      'the plugin "x" has beans that are no function (builder, options)': () =>
        definePlugin({ name: "x", beans: {} as unknown as () => void }),
      'the plugin "x" has a panel that is none: { title: "Mails", kind: "table" | "json" | "graph", read() { … } } is one':
        () => definePlugin({ name: "x", panel: { title: "X", kind: "tree" as "json", read: () => 1 } }),
      "a plugin is what definePlugin({ name, … }) gives, not undefined": () =>
        create().plugin(undefined as unknown as Plugin),
      "a plugin is what definePlugin({ name, … }) gives, not null": () => create().plugin(null as unknown as Plugin),
      'the plugin "mail" got string for its options': () => create().plugin(mail, "/mail" as unknown as object),
      'the plugin "mail" got a prefix that is no text: "/mail" is one': () =>
        create().plugin(mail, { prefix: 7 as unknown as string }),
    };
    for (const [sentence, make] of Object.entries(cases))
      assert.deepEqual(await failureOf(make), ["PLUGIN_INVALID", sentence, undefined]);
  });

  test("options are typed, so missing and unknown ones do not compile", () => {
    const strict = definePlugin<{ key: string }>({ name: "strict" });
    create().plugin(strict, { key: "k", prefix: "/s" });
    // @ts-expect-error -- the options lack the key
    create().plugin(strict);
    // @ts-expect-error -- no such option
    create().plugin(mail, { form: "x" });
    // @ts-expect-error -- it has no options
    create().plugin(definePlugin({ name: "none" }), { from: "x" });
  });
});

describe("an app whose plugins are synchronous and bring no beans", () => {
  test("handles requests immediately, without a container, and runs its middleware in place", async () => {
    const order: string[] = [];
    const app = create().plugin(
      definePlugin({ name: "plain", install: (scope) => void scope.get("/a", () => (order.push("handled"), "a")) }),
    );
    const responding = app.request("/a");
    await Promise.resolve();
    order.push("behind the call");
    assert.equal((await responding).status, 200);
    assert.deepEqual([order[0], app.container], ["handled", undefined]);
    await app.stop();
  });
});

describe("the beans of plugins", () => {
  test("do not exist before the start, and scope.bean says so", () => {
    const early = definePlugin({ name: "early", install: (scope) => void scope.bean(Mailer) });
    assert.throws(() => create().plugin(early), {
      code: "PLUGIN_FAILED",
      message: /: Mailer was asked for, but before the start there are no beans, or /,
    });
  });

  test("are made once for any number of waiting requests", async () => {
    let made = 0;
    const gate = gateway();
    const counting = definePlugin({
      name: "counting",
      beans: (builder) => builder.bind(Mailer, () => ((made += 1), { send: () => "" })),
      install: () => gate.promise,
    });
    const app = create()
      .plugin(counting)
      .get("/", () => "x");
    const asking = [app.ready(), app.request("/"), app.ready()];
    gate.resolve();
    await Promise.all(asking);
    await app.ready();
    assert.equal(made, 1);
    assert.equal(app.container?.get(Mailer).send(""), "");
    await app.stop();
  });

  /** The app's own container. */
  const shopBuilder = () => Beans.builder().bind(Shop, () => ({ order: () => "ordered" }));

  test("are available to handlers, with any beans of the app", async () => {
    const running = shopBuilder().start();
    for (const app of [create(), create().beans(running), create().beans(shopBuilder())]) {
      app.plugin(mail, { from: "shop" });
      assert.equal(await textOf(app, "/send/ada"), "shop to ada");
      await app.stop();
    }
    await running.close();
  });

  test("can use the app's beans, and a bean handler can use them", async () => {
    const both = definePlugin({
      name: "both",
      beans: (builder) => builder.bind(Mailer, (b) => ({ send: () => b.get(Shop).order() })),
      install: (scope) => void scope.get("/order", [Shop, "order"]).get("/send", (ctx) => ctx.get(Mailer).send("")),
    });
    const app = create().beans(shopBuilder().start()).plugin(both);
    assert.deepEqual([await textOf(app, "/order"), await textOf(app, "/send")], ["ordered", "ordered"]);
  });

  test("are available to the app's own, also asynchronous ones, if it got a builder", async () => {
    const late = definePlugin({
      name: "late",
      beans: (builder) => builder.bindAsync(Mailer, async () => ({ send: (to) => `late to ${to}` })),
    });
    const app = create()
      .beans(Beans.builder().bind(Shop, (b) => ({ order: () => b.get(Mailer).send("ada") })))
      .plugin(late)
      .get("/", [Shop, "order"]);
    assert.equal(await textOf(app, "/"), "late to ada");
  });

  test("are available in scope.bean from onStart on", async () => {
    const seen: string[] = [];
    const early = definePlugin({
      name: "early",
      needs: ["mail"],
      install(scope) {
        assert.throws(() => scope.bean(Mailer), { code: "BEANS_NOT_ATTACHED" });
        scope.onStart(() => void seen.push(scope.bean(Mailer).send("ada")));
      },
    });
    await create().plugin(mail).plugin(early).ready();
    assert.deepEqual(seen, ["nobody to ada"]);
  });

  test("cause an error that names both when two bind one type", async () => {
    const again = definePlugin({ name: "again", beans: (builder) => builder.bindInstance(Mailer, { send: () => "" }) });
    const own = () => Beans.builder().bindInstance(Mailer, { send: () => "" });
    const way = "Remove one, or replace the first with .override(Mailer, …).";
    const cases: readonly (readonly [Framework, string])[] = [
      [create().plugin(mail).plugin(again), `by the plugin "mail" and by the plugin "again". ${way}`],
      [create().beans(own()).plugin(mail), `by the app and by the plugin "mail". ${way}`],
      [create().beans(own().start()).plugin(mail), 'by the container below and by the plugin "mail". Remove one.'],
    ];
    for (const [app, both] of cases)
      assert.deepEqual(await failureOf(() => app.ready()), [
        "BEAN_DUPLICATE",
        `Mailer: Mailer is bound twice, ${both}`,
        undefined,
      ]);
  });

  test("can be replaced by a plugin that needs theirs, and an override of the app's builder stays", async () => {
    const fakes = definePlugin({
      name: "fakes",
      needs: ["mail"],
      beans: (builder) => builder.override(Mailer, () => ({ send: (to) => `nothing to ${to}` })),
    });
    const overridden = shopBuilder().override(Shop, (b) => ({ order: () => b.get(Mailer).send("ada") }));
    const app = create().beans(overridden).plugin(mail).plugin(fakes).get("/order", [Shop, "order"]);
    assert.equal(await textOf(app, "/order"), "nothing to ada");
    await app.stop();
  });

  test("are in one graph, and the decorators of the app's container receive all", async () => {
    const seen: string[] = [];
    const decorator = {
      decorate: <T extends object>(bean: T, { id }: { id: string }): T => {
        seen.push(id);
        return bean;
      },
    };
    const user = definePlugin({
      name: "user",
      beans: (builder) => builder.bind(OtherShop, (b) => ({ shop: b.get(Shop), mail: b.get(Mailer) })),
    });
    for (const form of ["running", "builder"] as const) {
      const builder = shopBuilder().instrument(decorator);
      const app = create()
        .beans(form === "running" ? builder.start() : builder)
        .plugin(mail)
        .plugin(user);
      await app.ready();
      const graph = app.container?.graph();
      assert.ok(graph !== undefined);
      const { edges, nodes } = graph;
      assert.deepEqual(
        nodes.map((node) => node.id),
        ["Shop", "Mailer", "Shop#2"],
      );
      assert.deepEqual(edges, [
        { from: "Shop#2", to: "Shop" },
        { from: "Shop#2", to: "Mailer" },
      ]);
      assert.deepEqual(seen.splice(0), ["Shop", "Mailer", "Shop#2"]);
    }
  });

  test("are closed by stop, which leaves a running container open", async () => {
    const order: string[] = [];
    const closing = (name: string) => ({
      order: () => "",
      send: () => "",
      close: () => void order.push(`${name} closed`),
    });
    const plugin = definePlugin({
      name: "p",
      beans: (builder) => builder.bind(Mailer, () => closing("mailer")),
      install: (scope) => void scope.onStop(() => void order.push("plugin stops")),
    });
    const running = Beans.builder()
      .bind(Shop, () => closing("shop"))
      .start();
    const upper = create()
      .beans(running)
      .onStop(() => running.close())
      .plugin(plugin);
    await upper.ready();
    await upper.stop();
    assert.deepEqual(order.splice(0), ["plugin stops", "mailer closed", "shop closed"]);

    const shared = Beans.builder()
      .bind(Shop, () => closing("shop"))
      .start();
    for (const app of [create().beans(shared).plugin(plugin), create().beans(shared).plugin(plugin)]) {
      await app.ready();
      await app.stop();
    }
    assert.deepEqual(order.splice(0), ["plugin stops", "mailer closed", "plugin stops", "mailer closed"]);
    assert.equal(shared.get(Shop).order(), "");

    const whole = create()
      .onStop(() => void order.push("app stops"))
      .beans(Beans.builder().bind(Shop, () => closing("shop")))
      .plugin(plugin);
    await whole.ready();
    await whole.stop();
    assert.deepEqual(order, ["plugin stops", "app stops", "mailer closed", "shop closed"]);
  });

  test("are closed again when the app cannot be compiled", async () => {
    let closed = 0;
    const plugin = definePlugin({
      name: "p",
      beans: (builder) => builder.bind(Mailer, () => ({ send: () => "", close: () => void (closed += 1) })),
      install: (scope) => void scope.get("/", [Shop, "order"]),
    });
    const app = create().plugin(plugin);
    const message = 'GET / [Shop, "order"] → Shop: it is not bound. Add .bind(Shop, …).';
    assert.deepEqual(await failureOf(() => app.start(0)), ["BEAN_MISSING", message, undefined]);
    assert.equal(closed, 1);
    await app.stop();
    assert.equal(closed, 1);
  });

  test("do not change the builder given to the app", async () => {
    const builder = shopBuilder();
    for (const app of [create().beans(builder).plugin(mail), create().beans(builder).plugin(mail)]) {
      await app.ready();
      await app.stop();
    }
    assert.deepEqual(
      builder
        .start()
        .types()
        .map(({ name }) => name),
      ["Shop"],
    );
  });

  test("cannot be bound asynchronously, and the error says what to use", async () => {
    const app = create().plugin(definePlugin({ name: "p", beans: async () => undefined }));
    assert.equal(
      (await failureOf(() => app.ready()))[1],
      'the plugin "p" binds its beans asynchronously: bindAsync is for that',
    );
  });
});

describe("app.about.panels", () => {
  test("is empty without a plugin", () => assert.deepEqual(create().about.panels(), []));

  test("lists the panels in order of installation, and reads them with the plugin's scope and options", async () => {
    const stock = definePlugin<{ below: number }>({
      name: "stock",
      beans: (builder) => builder.bindInstance(Shop, { order: () => "ordered" }),
      panel: {
        title: "Low stock",
        kind: "table",
        read: (scope, { below }) => [{ below, order: scope.bean(Shop).order() }],
      },
    });
    const app = create().plugin(mail).plugin(stock, { below: 3 });
    await app.ready();
    assert.deepEqual(
      app.about.panels().map(({ read, ...info }) => ({ ...info, value: read() })),
      [{ name: "stock", title: "Low stock", kind: "table", value: [{ below: 3, order: "ordered" }] }],
    );
  });
});
