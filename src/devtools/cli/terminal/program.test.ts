/**
 * The program on a running application: each command, its requests to devtools, and its error messages.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { Readable, Writable } from "node:stream";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Trace } from "../../index.ts";
import { keptRuns, Responding } from "../mcp/responding.testkit.ts";
import { runOf } from "../../run/search/runs.testkit.ts";
import { runProgram, type Surroundings } from "./program.ts";
import { secret, Subject } from "./subject.testkit.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let folder: string;
let subject: Subject;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "terminal-"));
  subject = await Subject.start();
});
after(async () => {
  await subject.stop();
  rmSync(folder, { recursive: true, force: true });
});

const texts = { out: "", err: "" };
const around = (more: Partial<Surroundings> = {}, to: { out: string; err: string } = texts): Surroundings => ({
  env: { FRAMEWORK_DEVTOOLS_TOKEN: secret, FRAMEWORK_DEVTOOLS_URL: subject.url },
  folder,
  output: {},
  pipe: { input: Readable.from([]), output: new Writable() },
  signal: new AbortController().signal,
  print: (text) => void (to.out += text),
  printError: (text) => void (to.err += text),
  ...more,
});

async function run(args: readonly string[], more: Partial<Surroundings> = {}): Promise<Ran> {
  const to = { out: "", err: "" };
  const code = await runProgram(args, around(more, to));
  return { code, ...to };
}

async function sent(...args: readonly string[]): Promise<Trace> {
  const { code, out, err } = await run(["send", ...args, "--json"]);
  assert.deepEqual([code, err], [0, ""]);
  return JSON.parse(out) as Trace;
}

/** Waits until it is true, ten seconds at most; after that, `found` describes the actual state. */
async function come(isSo: () => boolean, found: () => string): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo();) {
    assert.ok(Date.now() < end, found());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("framework-devtools", () => {
  it("explains a run, and what the failed runs share", async () => {
    for (let n = 1; n <= 6; n += 1) await sent("GET", `/shop/orders/${n}`);
    for (let n = 1; n <= 4; n += 1) await sent("GET", "/shop/orders/none");
    const one = await run(["explain", "last"]);
    assert.deepEqual([one.code, one.err], [0, ""]);
    assert.match(one.out, /RangeError: no .* was thrown in Rows\.row/);
    assert.match(one.out, /the request is another one than in the run that worked: params\.id was "6", is "none"/);
    assert.match(one.out, /where the .* went: .*outside beans/);
    const { out } = await run(["explain", "last", "--json"]);
    const { findings, parts } = JSON.parse(out) as { findings: readonly { kind: string }[]; parts: readonly object[] };
    assert.deepEqual([findings[0]?.kind, parts.length > 0], ["error", true]);
    const query = 'route="GET /shop/orders/{id}"';
    const set = await run(["explain", "--set", `${query} status:500`, "--against", `${query} status:200`]);
    assert.deepEqual([set.code, set.err], [0, ""]);
    assert.match(set.out, /4 of 4, 0 of 6 {2}params\.id of the request is none/);
    const failed = await run(["explain", "--set", "status:418"]);
    assert.deepEqual([failed.code, failed.err], [2, 'framework-devtools: no kept run matches "status:418"\n']);
  });

  it("sends only GET to paths of devtools, for any command", async () => {
    const base = join(folder, "reads.json");
    writeFileSync(base, (await run(["graph", "--json"])).out);
    subject.seen.length = 0;
    const commands = [
      ["send", "POST", "/shop/echo", "-d", "{}"],
      ["runs", "status:2xx"],
      ["run", "last"],
      ["graph"],
      ["graph", "diff", base],
    ];
    for (const command of commands) assert.deepEqual((await run(command)).code, 0, command.join(" "));
    const toDevtools = subject.seen.filter((line) => line.includes("/framework/dev"));
    assert.ok(toDevtools.length >= 10, `${toDevtools.length}`);
    assert.deepEqual(new Set(toDevtools.map((line) => line.split(" ")[0])), new Set(["GET"]));
    assert.deepEqual(
      subject.seen.filter((line) => !toDevtools.includes(line)),
      ["POST /shop/echo"],
    );
  });

  for (const path of ["/shop/framework/dev/api/graph", "/shop/%66ramework//dev", "/shop/x/../framework/dev?a=b"])
    it(`sends nothing to ${path}`, async () => {
      subject.seen.length = 0;
      const { code, err } = await run(["send", "DELETE", path]);
      assert.deepEqual([code, subject.seen.filter((line) => line.startsWith("DELETE"))], [2, []]);
      assert.match(err, /is a path of devtools, which only read/);
    });

  it("sends a body and headers, and prints the run of the request", async () => {
    const trace = await sent("POST", "/shop/echo", "-d", '{"a":1}', "-H", "X-Odd: 7");
    assert.deepEqual(
      [trace.method, trace.path, trace.status, trace.request.headers["x-odd"], trace.response.body],
      ["POST", "/shop/echo", 200, ["7"], { got: '{"a":1}', type: "application/json" }],
    );
    writeFileSync(join(folder, "body.txt"), "plain");
    const plain = await sent("POST", "/shop/echo", "-d", `@${join(folder, "body.txt")}`);
    assert.deepEqual(plain.response.body, { got: "plain", type: "text/plain; charset=utf-8" });
    writeFileSync(join(folder, "body.bin"), Buffer.from("00fffe80", "hex"));
    const bytes = await sent("POST", "/shop/bytes", "-d", `@${join(folder, "body.bin")}`);
    assert.deepEqual(bytes.response.body, { hex: "00fffe80" });
    assert.deepEqual(bytes.request.headers["content-type"], ["application/octet-stream"]);
  });

  it("prints a run as a file, as spans and as Markdown, and opens the files without an application", async () => {
    await sent("GET", "/shop/orders/8?a=b");
    const forms = await Promise.all(["--file", "--otlp", "--markdown"].map((form) => run(["run", "last", form])));
    const [file, spans, report] = forms.map(({ out }) => out);
    assert.deepEqual(
      forms.map(({ code, err }) => [code, err]),
      [
        [0, ""],
        [0, ""],
        [0, ""],
      ],
    );
    const saved = JSON.parse(file ?? "") as { readonly format: string; readonly entries: readonly string[] };
    assert.deepEqual([saved.format, saved.entries], ["framework-run/1", ["Orders"]]);
    assert.match(report ?? "", /^## `GET \/shop\/orders\/8` → 200 in /);
    const opened: string[] = [];
    for (const [name, text] of Object.entries({ "saved.json": file, "spans.json": spans })) {
      writeFileSync(join(folder, name), text ?? "");
      const { code, out, err } = await run(["open", join(folder, name)], { env: {} });
      assert.deepEqual([code, err], [0, ""]);
      opened.push(out.replace(/^.*? → /, ""));
    }
    for (const out of opened) assert.match(out, /Orders\.find[^]*Rows\.row/);
    writeFileSync(join(folder, "other.json"), "{}");
    const other = await run(["open", join(folder, "other.json")]);
    assert.deepEqual([other.code, other.err.endsWith("other.json: The file is not a saved run.\n")], [2, true]);
  });

  it("prints the status, the beginning of the body and the run, for people", async () => {
    const { out } = await run(["send", "POST", "/shop/echo", "-d", "x".repeat(3_000)]);
    const [status, body, empty, head = ""] = out.split("\n");
    assert.deepEqual([status, body?.length, empty], ["200 application/json", 2_000, ""]);
    assert.match(head, /^POST \/shop\/echo → 200 in /);
    const [, ...behind] = (await run(["send", "GET", "/shop/ticks"])).out.split("\n");
    assert.deepEqual([behind[0], behind[1]?.split(" → ")[0]], ["", "GET /shop/ticks"]);
    const file = await run(["send", "POST", "/shop/echo", "-d", "@gone.txt"]);
    assert.deepEqual([file.code, file.err], [2, "framework-devtools: -d cannot be read: gone.txt (ENOENT)\n"]);
  });

  it("ends on request, without a message, whatever it waits for", async () => {
    const commands = [
      ["graph", "--wait", "60", "--url", "http://127.0.0.1:9"],
      ["send", "GET", "/shop/never"],
    ];
    for (const command of commands) {
      const controller = new AbortController();
      const running = run(command, { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      assert.deepEqual(await running, { code: 130, out: "", err: "" }, command.join(" "));
    }
  });

  it("draws the graph as a picture, and in Mermaid", async () => {
    const [svg, mermaid] = [(await run(["graph", "--svg"])).out, (await run(["graph", "--mermaid"])).out];
    assert.match(svg, /^<svg [^]*\n<\/svg>\n$/);
    assert.match(mermaid, /^(flowchart|graph) [^]*Orders[^]*Rows/);
  });

  it("does not read an event stream, and sends a path as written", async () => {
    assert.equal((await sent("GET", "/shop/ticks")).status, 200);
    const { code, out } = await run(["send", "GET", "/shop/%zz"]);
    assert.deepEqual([code, out.includes("400")], [0, true]);
  });

  it("prints a response without a type, and reports if devtools have no run of it", async (t) => {
    const devtools = await new Responding(keptRuns([runOf({ instance: "i", sequence: 7 })])).start();
    const withApplication = { routes: [], "": (_: IncomingMessage, response: ServerResponse) => void response.end() };
    devtools.responses = { ...devtools.responses, ...withApplication };
    const sends = (): Promise<Ran> => run(["send", "GET", "/x"], { env: { FRAMEWORK_DEVTOOLS_URL: devtools.url } });
    const { out, err } = await sends();
    assert.deepEqual([out.split("\n").slice(0, 2), err], [["200", ""], ""]);
    devtools.responses = { ...devtools.responses, search: { hits: [] } };
    let now = 0;
    t.mock.method(performance, "now", () => (now += 5_000));
    const without = await sends();
    await devtools.stop();
    assert.deepEqual(
      [without.code, without.out, without.err],
      [2, "", "framework-devtools: the response is 200, and devtools have no run of it: do they record that path?\n"],
    );
  });

  it("names the request that failed, and the header that is malformed", async () => {
    const dropped = await run(["send", "GET", "/shop/dropped"]);
    assert.deepEqual([dropped.code, dropped.out], [2, ""]);
    assert.match(dropped.err, /GET http:\/\/127\.0\.0\.1:\d+\/shop\/dropped failed: /);
    const header = await run(["send", "GET", "/shop/ticks", "-H", "no name: 7"]);
    assert.equal(header.code, 2);
    assert.match(header.err, /-H "no name: 7" is no header/);
  });

  it("prints an error in characters that no terminal obeys", async () => {
    const { code, out } = await run(["send", "GET", "/shop/orders/none"]);
    assert.equal(code, 0);
    assert.match(out, /✗ threw RangeError: no \\u\{1b\}\]0;owned\\u\{7\}/);
    for (const command of [["run", "last", "--json"], ["run", "last"], ["runs"], ["runs", "--json"]]) {
      const { out: text } = await run(command);
      // eslint-disable-next-line no-control-regex -- that none is there
      assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/, command.join(" "));
    }
  });

  it("finds a run by its number, by its instance, by its request id, and the last request", async () => {
    const { instance, sequence, id } = await sent("GET", "/shop/orders/7", "-H", "X-Request-Id: r-77");
    const ids = [`${sequence}`, `${instance}.${sequence}`, `${instance.slice(0, 8)}.${sequence}`, id, "last"];
    await subject.work("reindex");
    assert.match((await run(["runs", "--limit", "1"])).out, /reindex/);
    for (const one of ids) {
      const { out } = await run(["run", one, "--json"]);
      assert.equal((JSON.parse(out) as Trace).sequence, sequence, one);
    }
    assert.match((await run(["run", "last"])).out, /^GET \/shop\/orders\/7 → 200 in /);
    const { out } = await run(["runs", "path:/shop/orders/7"]);
    assert.match(out, new RegExp(`^\\d\\d:\\d\\d:\\d\\d  ${sequence} +200 .* GET /shop/orders/7\\n$`));
  });

  it("goes from one run to the next, in their order", async () => {
    const [a, b] = [await sent("GET", "/shop/orders/a"), await sent("GET", "/shop/orders/b")];
    const { out } = await run(["runs", "--json", "--limit", "2"]);
    const hits = out.trimEnd().split("\n");
    assert.deepEqual(
      hits.map((line) => (JSON.parse(line) as Trace).sequence),
      [a.sequence, b.sequence],
    );
  });

  const inTheWay: Readonly<Record<string, readonly [args: readonly string[], err: RegExp]>> = {
    "no application": [
      ["runs", "--url", "http://127.0.0.1:9"],
      /^nothing responds at http:\/\/127\.0\.0\.1:9 \(.*\): start the application, or name its address by --url$/,
    ],
    "no address": [
      ["runs", "--url", "ftp://x"],
      /^--url is "ftp:\/\/x": an address like http:\/\/localhost:8080 is allowed$/,
    ],
    "a run that is gone": [
      ["run", "999999"],
      /^no run "999999" is kept: it may have been dropped, runs lists those that are$/,
    ],
    "a request that never was": [["run", "never-was"], /^no run "never-was" is kept/],
    "a query with a slip": [
      ["runs", "beam:Orders"],
      /^the query cannot be understood at character 1: beam is no field; .*did you mean bean:Orders$/,
    ],
    "a followed query with a slip": [
      ["runs", "beam:Orders", "--follow"],
      /^the query cannot be understood at character 1: /,
    ],
    "no base": [["graph", "diff", "gone.json"], /^the base cannot be read: gone\.json \(ENOENT\)$/],
    "no command": [["rums"], /^"rums" is no command/],
  };
  for (const [title, [args, err]] of Object.entries(inTheWay))
    it(`prints one line, with exit code 2: ${title}`, async () => {
      const ran = await run(args);
      assert.deepEqual([ran.code, ran.out, ran.err.split("\n").length], [2, "", 2]);
      assert.match(ran.err.replace(/^framework-devtools: /, "").trimEnd(), err);
    });

  it("says what to do without the token, and where the context path is", async () => {
    const without = await run(["graph"], { env: { FRAMEWORK_DEVTOOLS_URL: subject.url } });
    assert.equal(without.code, 2);
    assert.match(
      without.err,
      /devtools: http:\/\/.*: Devtools rejected the request: the token is missing or another one\./i,
    );
    const root = subject.url.replace("/shop", "");
    const above = await run(["graph", "--url", root]);
    assert.equal(above.code, 2);
    assert.match(above.err, /has no devtools: they are off, or its context path is missing/);
  });

  it("accepts the address of the dashboard for the application's", async () => {
    const { code } = await run(["graph", "--url", `${subject.url}/framework/dev/`]);
    assert.equal(code, 0);
  });

  it("waits for an application that starts, on request", async () => {
    const first = await Subject.start();
    const { port } = first;
    await first.stop();
    const waiting = run(["graph", "--wait", "20", "--url", `http://127.0.0.1:${port}/shop`]);
    const second = await Subject.start(port);
    assert.match((await waiting).out, /^2 beans · 1 dependency\n/);
    await second.stop();
  });

  it("follows runs, and continues when the application is restarted", async () => {
    const first = await Subject.start();
    const { port, url } = first;
    const controller = new AbortController();
    const to = { out: "", err: "" };
    const env = { FRAMEWORK_DEVTOOLS_TOKEN: secret, FRAMEWORK_DEVTOOLS_URL: url };
    const until = (what: RegExp): Promise<void> =>
      come(
        () => what.test(to.out + to.err),
        () => `${what} in ${JSON.stringify(to)}`,
      );
    const call = async (id: string): Promise<void> => void (await (await fetch(`${url}/orders/${id}`)).text());
    await call("before");
    const following = runProgram(["runs", "--follow", "path:orders"], around({ env, signal: controller.signal }, to));
    await until(/orders\/before/);
    await (await fetch(`${url}/ticks`)).text();
    await call("live");
    await until(/orders\/live/);
    await first.stop();
    await until(/waiting for it/);
    const second = await Subject.start(port);
    await call("again");
    await until(/orders\/again/);
    controller.abort();
    assert.equal(await following, 0);
    await second.stop();
    assert.deepEqual(
      to.out
        .trimEnd()
        .split("\n")
        .map((line) => line.split("/").at(-1)),
      ["before", "live", "again"],
    );
  });
});

describe("framework-devtools runs --follow", () => {
  it("prints a run once, after any number of reconnections, and says once that it waits", async () => {
    const devtools = await new Responding(keptRuns([runOf({ instance: "i", sequence: 7 })])).start();
    const listens = (of: number): boolean => devtools.seen.filter((asked) => asked === "stream").length >= of;
    const asked: number[] = [];
    let isThere = true;
    const respond = (_: IncomingMessage, response: ServerResponse): void => {
      asked.push(performance.now());
      response.writeHead(isThere ? 200 : 500).end();
    };
    devtools.responses = { ...devtools.responses, stream: respond };
    const controller = new AbortController();
    const to = { out: "", err: "" };
    const env = { FRAMEWORK_DEVTOOLS_URL: devtools.url };
    const following = runProgram(["runs", "--follow"], around({ env, signal: controller.signal }, to));
    const until = (times: number): Promise<void> =>
      come(
        () => listens(times),
        () => JSON.stringify([devtools.seen, to]),
      );
    await until(2);
    isThere = false;
    await until(4);
    const saidAtOnce = to.err;
    await until(5);
    controller.abort();
    assert.equal(await following, 0);
    await devtools.stop();
    assert.deepEqual([to.out.match(/GET \/orders\/7\n/g)?.length, to.err.match(/waiting for it\n/g)?.length], [1, 1]);
    assert.equal(saidAtOnce, to.err);
    const took = Number(asked[4]) - Number(asked[1]);
    assert.ok(took > 1_200, `three attempts in ${took} ms`);
  });
});

describe("framework-devtools graph diff", () => {
  const forbid = ["--forbid", "controller -> repository"];

  it("ends with 1 if there is a forbidden dependency, and with 0 if there is none", async () => {
    const { out } = await run(["graph", "--json"]);
    const base = join(folder, "base.json");
    writeFileSync(base, out);
    const broken = await run(["graph", "diff", base, ...forbid]);
    assert.deepEqual(broken, {
      code: 1,
      out: "the graph has not changed\n\n✗ controller -> repository  forbids  Orders → Rows\n",
      err: "framework-devtools: a dependency is forbidden\n",
    });
    const two = await run(["graph", "diff", base, ...forbid, "--forbid", "Orders -> Rows"]);
    assert.deepEqual([two.code, two.err], [1, "framework-devtools: 2 dependencies are forbidden\n"]);
    assert.equal((await run(["graph", "diff", base, "--forbid", "repository -> controller"])).code, 0);
    assert.equal((await run(["graph", "diff", base])).code, 0);
  });

  it("prints what is new, for people, as Markdown and as JSON, with rules from a file", async () => {
    const document = JSON.parse((await run(["graph", "--json"])).out) as {
      graph: { nodes: object[]; edges: object[] };
    };
    const { graph } = document;
    const before = join(folder, "before.json");
    const nodes = [...graph.nodes, { ...graph.nodes[0], id: "Old|`#", name: "Old" }];
    writeFileSync(before, JSON.stringify({ ...document, graph: { ...graph, nodes, edges: [] } }));
    const rules = join(folder, "rules.json");
    writeFileSync(rules, JSON.stringify({ forbid: ["controller -> repository"] }));
    const text = await run(["graph", "diff", before, "--rules", rules]);
    assert.equal(text.code, 1);
    const reach = "~ reach       GET /shop/orders/{id} also reaches Rows";
    const lines = ["- bean        Old|`# controller", "+ dependency  Orders → Rows", reach];
    assert.equal(
      text.out,
      [...lines, "", "✗ controller -> repository  forbids  Orders → Rows, which is new", ""].join("\n"),
    );
    const markdown = await run(["graph", "diff", before, "--rules", rules, "--markdown"]);
    assert.ok(markdown.out.includes("| `-` | bean | `Old\\|'#` controller |\n"), markdown.out);
    assert.ok(markdown.out.includes("- `controller -> repository` forbids `Orders` → `Rows` (new)\n"));
    const { broken, addedEdges } = JSON.parse(
      (await run(["graph", "diff", before, "--rules", rules, "--json"])).out,
    ) as { broken: object[]; addedEdges: object[] };
    assert.deepEqual(addedEdges, [{ from: "Orders", to: "Rows" }]);
    assert.deepEqual(broken, [{ rule: "controller -> repository", from: "Orders", to: "Rows", isNew: true }]);
  });

  it("rejects a rule with an unknown name, and files with other content", async () => {
    const base = join(folder, "ok.json");
    writeFileSync(base, (await run(["graph", "--json"])).out);
    const odd = join(folder, "odd.json");
    writeFileSync(odd, "[]");
    const [none, atom, number] = ["none.json", "atom.json", "number.json"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(none, "{");
    writeFileSync(atom, "null");
    writeFileSync(number, "7");
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [
        [base, "--forbid", "controler -> repository"],
        /a rule names "controler", which is neither a bean nor a stereotype/,
      ],
      [[base, "--forbid", "controller"], /"controller" is no rule/],
      [[base, "--rules", odd], /odd\.json has no rules/],
      [[base, "--rules", "gone.json"], /--rules cannot be read: gone\.json \(ENOENT\)$/],
      [[none], /none\.json is no JSON$/],
      [[atom], /atom\.json has no object$/],
      [[number], /number\.json has no object$/],
      [[odd], /odd\.json is no graph: framework-devtools graph --json writes one$/],
    ];
    const half: readonly (readonly [object, RegExp, ...string[]])[] = [
      [{ graph: { nodes: [], edges: [] } }, /half\.json is no graph/],
      [{ graph: { nodes: [] }, routes: [] }, /half\.json is no graph/],
      [{ graph: { edges: [] }, routes: [] }, /half\.json is no graph/],
      [{ routes: [] }, /half\.json is no graph/],
      [
        { forbid: "a -> b" },
        /half\.json has no rules: \{ "forbid": \["controller -> repository"\] \} is allowed$/,
        base,
      ],
      [{ forbid: ["controller -> repository", 1] }, /half\.json has no rules/, base],
    ];
    for (const [args, message] of cases) {
      const { code, out, err } = await run(["graph", "diff", ...args]);
      assert.deepEqual([code, out], [2, ""]);
      assert.match(err.trimEnd(), message);
    }
    for (const [value, message, ...before] of half) {
      const file = join(folder, "half.json");
      writeFileSync(file, JSON.stringify(value));
      const { code, err } = await run([
        "graph",
        "diff",
        ...(before.length > 0 ? [...before, "--rules", file] : [file]),
      ]);
      assert.equal(code, 2);
      assert.match(err.trimEnd(), message);
    }
  });
});

describe("framework-devtools what-if", () => {
  it("sends the request of a run again with another outcome of one call, and prints the run of it", async () => {
    await sent("GET", "/shop/orders/7?about=what-if", "-H", "X-Note: kept");
    const { code, out, err } = await run(["what-if", "last", "1", "--returns", '{"id":"other"}', "--json"]);
    const { status, request, response, replayOf, calls } = JSON.parse(out) as Trace;
    assert.deepEqual([code, err, status, response.body], [0, "", 200, { id: "other" }]);
    assert.deepEqual([request.query, request.headers["x-note"]], [{ about: ["what-if"] }, ["kept"]]);
    assert.deepEqual([replayOf?.whatIf, calls.length], [[{ call: 1, returns: { id: "other" } }], 2]);
    const thrown = await run(["what-if", "last", "1", "--throws", "410: gone", "--recorded", "Rows"]);
    assert.match(thrown.out, /^410 application\/problem\+json\n.*gone/);
  });

  it("says why it sends nothing, or nothing ran", async () => {
    const { sequence } = await sent("GET", "/shop/orders/7", "-H", "Authorization: Bearer secret-of-mine");
    const id = String(sequence);
    const why = async (...args: readonly string[]): Promise<string> =>
      (await run(["what-if", id, ...args])).err.replace(/^framework-devtools: |\n$/g, "");
    const again = /^the request of \S+ cannot be sent again: /;
    assert.match(await why("9", "--returns", "1"), /^the run has no call 9: its tree has the ids$/);
    assert.match(await why("1", "--returns", "1"), again);
    assert.match(await why("1", "--returns", "1"), /its header authorization is redacted or cut$/);
    assert.equal(
      await why("1", "--returns", '{"$function":"f"}', "-H", "authorization: x"),
      "nothing ran: Rows.row() cannot have this outcome: result is a function",
    );
  });
});

describe("framework-devtools profile", () => {
  it("sends the request of a run again, and prints the lines that took its time", async () => {
    await sent("GET", "/shop/orders/7");
    const { code, out, err } = await run(["profile", "last"]);
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^\d\S* (?:ms|µs|s) of the processor for this run, \d\S* (?:ms|µs|s) for others\n/);
    const { profile, replayOf } = JSON.parse((await run(["profile", "last", "--json"])).out) as Trace;
    assert.deepEqual([profile?.intervalUs, replayOf?.beans], [200, []]);
  });
});
