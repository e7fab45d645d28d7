/**
 * Makes every mistake of docs/mistakes.md, and compares the messages with the documented ones.
 *
 *   ## heading … ```text sentence ``` ◀── the same headings, the same sentences ──▶ mistakes made below
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Devtools } from "@framework/devtools";
import { Beans, type Context, Framework, type FrameworkOptions, Interface } from "framework";

interface Service {
  call(): void;
}
const OrderController = Interface<Service>("OrderController");
const OrderService = Interface<Service>("OrderService");
const PaymentService = Interface<Service>("PaymentService");
class Database {
  readonly url: string = "memory:";
}
const find = async (): Promise<number> => 1;

/** What `run` throws. */
async function thrown(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
  return assert.fail("nothing was thrown");
}

/** An app that logs into an array. Stopped after `use`. */
async function withApp(
  use: (app: Framework, said: string[]) => unknown,
  options: FrameworkOptions = {},
): Promise<string[]> {
  const said: string[] = [];
  const error = (_line: string, cause?: unknown): void => void said.push(cause instanceof Error ? cause.message : "");
  const app = Framework.create({ logger: { warn: (line) => void said.push(line), error }, ...options });
  try {
    await use(app, said);
  } finally {
    await app.stop();
  }
  return said;
}

/** The log after a handler has run. */
async function logged(path: string, handler: (ctx: Context) => unknown): Promise<string | undefined> {
  const said = await withApp((app) => app.get(path, handler).fetch(new Request(`http://localhost${path}`)));
  assert.equal(said.length, 1, said.join("\n"));
  return said[0];
}

/** Responds late and returns the message of the first use of the context afterwards. */
function late(): Promise<string> {
  return new Promise((resolve, reject) => {
    const settle = (ctx: Context): unknown =>
      ctx.onComplete(() => void thrown(() => ctx.json(1)).then(resolve, reject));
    withApp((app) => app.get("/slow", (ctx) => void settle(ctx)).fetch(new Request("http://localhost/slow"))).catch(
      reject,
    );
  });
}

async function inEnvironment<T>(name: string, value: string, run: () => T | Promise<T>): Promise<T> {
  const before = process.env[name];
  process.env[name] = value;
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

const enabled = (): Promise<Devtools> => inEnvironment("FRAMEWORK_DEVTOOLS", "true", () => Devtools.create());
const service: Service = { call: () => undefined };

/** The heading in the guide → a function that makes that mistake and returns the message. */
const mistakes: Readonly<Record<string, () => Promise<string | undefined>>> = {
  "A forgotten `await`": () => logged("/user", () => ({ user: find() })),
  "A handler that is not awaited": () => logged("/slow", () => void find()),
  "A middleware that forgets `next()`": async () => {
    const requireUser = (ctx: Context): void => void (ctx.header("authorization") ?? ctx.status(401).text("log in"));
    const [line] = await withApp((app) =>
      app
        .use(requireUser)
        .get("/orders", find)
        .fetch(new Request("http://localhost/orders", { headers: { authorization: "x" } })),
    );
    return line;
  },
  "A response after the response": late,
  "Two responses": () => logged("/twice", (ctx) => void ctx.json(1).json(2)),
  "Configuring after the start": () =>
    thrown(() => withApp(async (app) => (await app.start(0)).use((_ctx, next) => next()))),
  "A route registered twice": () => thrown(() => Framework.create().get("/users", find).get("/users/", find)),
  "An option of a route that does not exist": () =>
    thrown(() => Framework.create().post("/notes", { maxBodybytes: 10_000 } as object, find)),
  "`:name` for a parameter": () => thrown(() => Framework.create().get("/users/:id", find)),
  "A percent-escape in a pattern": () =>
    thrown(() => Framework.create().use("/caf%C3%A9", (_ctx: unknown, next: () => void) => next())),
  "A bean that is not bound": () =>
    thrown(() =>
      Beans.builder()
        .bind(OrderController, (b) => b.get(OrderService))
        .start(),
    ),
  "Beans that need each other": () =>
    thrown(() =>
      Beans.builder()
        .bind(OrderService, (b) => b.get(PaymentService))
        .bind(PaymentService, (b) => b.get(OrderService))
        .start(),
    ),
  "An async bean and `start()`": () =>
    thrown(() => {
      const builder = Beans.builder().bindAsync(Database, async () => new Database());
      const start: unknown = Reflect.get(builder, "start");
      return typeof start === "function" ? start.call(builder) : undefined;
    }),
  "A class that devtools cannot watch": async () => {
    const devtools = await enabled();
    let page = "";
    await withApp(async (app) => {
      devtools.install(app, Beans.builder().start());
      await app.start(0);
      page = await (await fetch(`${app.url}/framework/dev`)).text();
    });
    return /Not traceable: [^.]*\./.exec(page)?.[0];
  },
  "Devtools without the recorder": async () => {
    const devtools = await enabled();
    const beans = Beans.builder().bindInstance(OrderService, service).start();
    const said = await withApp(async (app) => {
      devtools.install(app.beans(beans).get("/", [OrderService, "call"]), beans);
      for (let count = 0; count < 2; count += 1) await app.fetch(new Request("http://localhost/"));
    });
    const lines = said.filter((line) => line.startsWith("devtools"));
    assert.equal(lines.length, 1, lines.join("\n"));
    return lines[0];
  },
  "Devtools after the start": async () => {
    const devtools = await enabled();
    return thrown(() => withApp(async (app) => devtools.install(await app.start(0), Beans.builder().start())));
  },
  "A body read in two ways": async () => {
    const request = new Request("http://localhost/", { method: "POST", body: "{}" });
    const said = await withApp((app) =>
      app.post("/", async (ctx) => [await ctx.bodyAsString(), ctx.bodyAsStream()]).fetch(request),
    );
    return said[0];
  },
  "A port in use": async () => {
    let message = "";
    await withApp(async (app) => {
      const { port } = await app.start(0);
      message = (await thrown(() => withApp((second) => second.start(port)))).replace(String(port), "8080");
    });
    return message;
  },
  "A setting that cannot be": () => inEnvironment("FRAMEWORK_PORT", "http", () => thrown(() => Framework.create())),
};

let root = new URL("..", import.meta.url);
while (!existsSync(new URL("docs/mistakes.md", root)) && root.pathname !== "/") root = new URL("..", root);
const guide = new Map(
  readFileSync(new URL("docs/mistakes.md", root), "utf8")
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), /^```text\n(.*)\n```$/m.exec(section)?.[1]]),
);

/** Mistakes with their own clause. */
const ids: Readonly<Record<string, string>> = { "A forgotten `await`": "", "Devtools without the recorder": "" };

describe("docs/mistakes.md", () => {
  it("has exactly the mistakes of this test", () => {
    assert.deepEqual([...guide.keys()], Object.keys(mistakes));
  });

  for (const [heading, make] of Object.entries(mistakes)) {
    it(`${ids[heading] ?? ""} quotes the message for: ${heading}`, async () => {
      const sentence = guide.get(heading);
      assert.equal(typeof sentence, "string", "the guide has no sentence");
      assert.equal(await make(), sentence);
    });
  }
});
