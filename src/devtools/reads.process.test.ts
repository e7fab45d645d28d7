/**
 * What reading devtools runs and changes, and what their responses contain about this machine, for every endpoint of their table.
 *
 * The application is in a separate folder, the working directory of this process, with a source file, a history, a plugin
 * with a panel, a health check and a failed request.
 */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { METHODS } from "node:http";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import {
  Beans,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  Interface,
  MetricsMiddleware,
  definePlugin,
} from "framework";
import type { Trace } from "./run/shapes.ts";
import type { Endpoints } from "./serve/endpoints.ts";
import { Installation } from "./installation.ts";
import { readOptions, type DevtoolsOptions } from "./options.ts";

interface Ledger {
  book(): string;
  fail(): never;
}
const Ledger = Interface<Ledger>("Ledger");
const Idle = Interface<object>("Idle");

const folder = realpathSync(mkdtempSync(join(tmpdir(), "devtools-reads-")));
const before = process.cwd();
process.chdir(folder);
after(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});
const source = join(folder, "ledger.mjs");
writeFileSync(
  source,
  `export class SqlLedger {
  constructor(ran) { this.ran = ran; } // source-canary
  book() { this.ran.push("bean"); return "booked"; } // source-canary
  fail() { throw new RangeError("closed"); } // source-canary
}
`,
);
utimesSync(source, 1, 1);
const { SqlLedger } = (await import(pathToFileURL(source).href)) as { SqlLedger: new (ran: string[]) => Ledger };

/** The client to ask as, and how. */
interface Asking {
  readonly method?: string;
  readonly peer?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Subject {
  readonly endpoints: Endpoints;
  /** The parts of the application that ran, in order. */
  readonly ran: string[];
  readonly ask: (path: string, as?: Asking) => Promise<Response>;
  /** The trace of the failed request. */
  readonly failed: Trace;
}

const dev = "/framework/dev";

async function subject(t: TestContext, options: DevtoolsOptions = {}): Promise<Subject> {
  const history = join(folder, `runs-${crypto.randomUUID()}.jsonl`);
  const devtools = new Installation(readOptions({ history, ...options } as DevtoolsOptions<never>, {}));
  const ran: string[] = [];
  const beans = Beans.builder()
    .bind(Ledger, () => new SqlLedger(ran))
    .bind(Idle, () => (ran.push("factory"), {}))
    .instrument(devtools.recorder)
    .buildLazy();
  const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } })
    .use((_, next) => (ran.push("middleware"), next()))
    .use(new HealthMiddleware({ checks: { disk: () => void ran.push("check") } }))
    .use(new MetricsMiddleware(new InMemoryMetricsCollector()))
    .plugin(
      definePlugin({
        name: "mail",
        panel: { title: "Mails", kind: "json", read: () => (ran.push("panel"), ["read"]) },
      }),
    )
    .get("/book", (ctx) => ctx.get(Ledger).book())
    .get("/fail", (ctx) => ctx.get(Ledger).fail())
    .beans(beans);
  const endpoints = devtools.mount(app, undefined);
  t.after(() => app.stop({ graceMs: 0 }));
  const ask: Subject["ask"] = async (path, { method = "GET", peer = "127.0.0.1", headers = {} } = {}) => {
    const sent = { host: "localhost", "last-event-id": "another.1", ...headers };
    return app.fetch(new Request(`http://localhost${path}`, { method, headers: sent }), { peerAddress: peer });
  };
  for (const path of ["/book", "/fail"]) await (await ask(path)).text();
  const traces = (await (await ask(`${dev}/api/requests`)).json()) as Trace[];
  const failed = traces.find(({ path }) => path === "/fail") ?? assert.fail("the failure is not recorded");
  return { endpoints, ran, ask, failed };
}

/**
 * An address of each endpoint of the table. An endpoint that serves all paths below it gets the address of something that exists.
 */
function addressesOf({ endpoints, failed: { instance, sequence, run } }: Subject): readonly string[] {
  const below: Readonly<Record<string, readonly string[]>> = {
    "panels/": ["mail"],
    "runs/": [`${instance}.${sequence}`],
    "jobs/": ["mail/1"],
    "replays/": [`${instance}.${sequence}`, `${instance}.${sequence}/test`],
    run: [`?id=${instance}.${run}`],
    search: ["?q=fail"],
  };
  assert.ok(endpoints.paths.length > 8, "no table");
  return endpoints.paths.flatMap((path) => {
    const found = below[path.slice(`${dev}/api/`.length)];
    if (found === undefined && path.endsWith("/")) assert.fail(`${path}: say here what stands below it`);
    return (found ?? [""]).map((rest) => path + rest);
  });
}

/** The endpoint of an address, by its name below. */
const nameOf = (address: string): string =>
  address.slice(dev.length).replace(/\?.*|(?<=\/(?:runs|replays)\/)[^/]+/g, "");

/** The text of a response, for the stream up to the trace of the failure. */
async function textOf(response: Response): Promise<string> {
  const isStream = response.headers.get("content-type") === "text/event-stream";
  if (!isStream) return response.text();
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (!/^data: .*"path":"\/fail".*\n/m.test(text))
    text += (await reader?.read())?.value ?? assert.fail("the stream has ended");
  await reader?.cancel();
  return text;
}

describe("reading devtools", () => {
  it("gives a client on another machine an empty 404, and a foreign origin 403, whatever the endpoint", async (t) => {
    const given = await subject(t);
    for (const address of addressesOf(given)) {
      const found: unknown[] = [address];
      for (const as of [{ peer: "10.0.0.9" }, { headers: { origin: "https://evil.example" } }]) {
        const response = await given.ask(address, as);
        found.push(response.status, (await response.text()) === "");
      }
      assert.deepEqual(found, [address, 404, true, 403, false]);
    }
  });

  it("runs only the panel that is read and the health checks", async (t) => {
    const given = await subject(t);
    const { ran, ask } = given;
    const found: Record<string, readonly string[]> = {};
    for (const address of addressesOf(given)) {
      ran.length = 0;
      await textOf(await ask(address));
      if (ran.length > 0) found[nameOf(address)] = [...ran];
    }
    assert.deepEqual(found, { "/api/panels/mail": ["panel"], "/api/health": ["check"] });
  });

  it("runs and changes nothing by another method, and changes nothing shown by GET", async (t) => {
    const given = await subject(t);
    const { ran, ask } = given;
    const shown = ["requests", "graph", "routes", "sessions", "aggregates", "startup", "metrics"];
    const state = (): Promise<string[]> =>
      Promise.all(shown.map(async (name) => (await ask(`${dev}/api/${name}`)).text()));
    await textOf(await ask(`${dev}/api/health`));
    const earlier = await state();
    ran.length = 0;
    const methods = METHODS.filter((method) => !/^(?:CONNECT|HEAD|GET|TRACE)$/.test(method));
    for (const address of addressesOf(given)) {
      const statuses = await Promise.all(methods.map(async (method) => (await ask(address, { method })).status));
      // A job is tried again and replayed by POST, in JSON and naming what is meant.
      const posted = /\/(?:jobs|replays)\//.test(address) ? [400, 415] : [405];
      for (const [at, method] of methods.entries())
        assert.ok(
          (method === "POST" ? posted : [405]).includes(statuses[at] ?? 0),
          `${method} ${address}: ${statuses[at]}`,
        );
    }
    assert.deepEqual(ran, []);
    for (const address of addressesOf(given)) await textOf(await ask(address));
    assert.deepEqual(await state(), earlier);
  });
});

/** The texts in a response with their places, which are the names of the last two members that lead there. */
function* textsIn(value: unknown, names: readonly string[] = []): Generator<readonly [place: string, text: string]> {
  if (typeof value === "string") yield [names.slice(-2).join("."), value];
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one, names);
  else if (typeof value === "object" && value !== null)
    for (const [name, one] of Object.entries(value)) yield* textsIn(one, [...names, name]);
}

/** The texts of a response with their places. */
function textsOf(text: string, type: string): readonly (readonly [place: string, text: string])[] {
  if (type.includes("json")) return [...textsIn(JSON.parse(text))];
  if (type.startsWith("text/event-stream"))
    return Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = ""]) => [...textsIn(JSON.parse(data))]).flat();
  if (!type.startsWith("text/html")) return [["text", text]];
  // Script and style come from the build, and the policy names them by hash. Only an attribute can hold anything else.
  const [head = ""] = /<html[^>]*>/.exec(text) ?? [];
  return Array.from(head.matchAll(/ (data-[\w-]+)="([^"]*)"/g), ([, name = "", value = ""]) => [name, value] as const);
}

const roots = [folder, tmpdir(), before, homedir(), dirname(process.execPath)].filter((root) => root.length > 1);
/** The kinds of text that reveal something about this machine. */
const shapes: Readonly<Record<string, (text: string) => boolean>> = {
  "a path of this machine": (text) => roots.some((root) => text.includes(root)) || /file:\/\/|node_modules/.test(text),
  "a place in a file": (text) => /(?:^|[\s/\\(])(?:node:[\w/]+|[\w.-]+\.[cm]?[jt]sx?)(?::\d+)*\)?$/m.test(text),
  "a stack": (text) => /^\s*at .+:\d+:\d+\)?$/m.test(text),
  "a line of source": (text) => text.includes("source-canary"),
};

/** By endpoint, the places with a text that reveals something about this machine. */
async function placesOf(given: Subject): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {};
  for (const address of addressesOf(given)) {
    const response = await given.ask(address);
    const type = response.headers.get("content-type") ?? "";
    const telling = textsOf(await textOf(response), type).filter(([, text]) =>
      Object.values(shapes).some((tells) => tells(text)),
    );
    const places = [...new Set(telling.map(([place]) => place))].toSorted();
    if (places.length > 0) found[nameOf(address)] = places;
  }
  return found;
}

describe("the responses of devtools", () => {
  const run = ["excerpt.file", "excerpt.lines", "stack.file"];

  it("hold stacks, code and paths only in the members for them", async (t) => {
    assert.deepEqual(await placesOf(await subject(t)), {
      "": ["data-root"],
      "/api/requests": run,
      "/api/stream": run,
      "/api/run": run,
      "/api/history": run,
      "/api/runs/": run,
      "/api/sessions": ["file"],
      "/api/sources": ["file"],
    });
  });

  it("hold only the file of the history if stacks are hidden", async (t) => {
    assert.deepEqual(await placesOf(await subject(t, { stacks: false })), { "/api/sessions": ["file"] });
  });

  it("hold no environment values", async (t) => {
    process.env["READS_CANARY"] = "environment-canary-19";
    t.after(() => delete process.env["READS_CANARY"]);
    const given = await subject(t);
    for (const address of addressesOf(given)) {
      const text = await textOf(await given.ask(address));
      assert.equal(text.includes("environment-canary-19"), false, address);
    }
  });
});
