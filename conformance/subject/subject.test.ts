/** The subject keeps its contract (spec/subject.md), on every engine and in every profile; so does the independent one. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";
import { HealthResult } from "../../spec/health.ts";
import { MetricsSnapshot } from "../../spec/metrics.ts";
import * as shapes from "../../spec/subject.ts";
import { startIndependent } from "./independent.ts";
import { createSubject, engines, profileNamed, profiles } from "./subject.ts";

const ajv = new Ajv2020({ strict: true, allErrors: true });
const json = { "Content-Type": "application/json" };

interface HttpResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers: Headers;
}

/** One request to a subject. */
async function ask(
  url: string,
  line: string,
  body: string | null = null,
  headers: Readonly<Record<string, string>> = body === null ? {} : json,
): Promise<HttpResponse> {
  const [method = "", path = ""] = line.split(" ");
  const response = await fetch(url + path, { method, body, headers });
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  return { status: response.status, type, text: await response.text(), headers: response.headers };
}

/** The JSON of a response, validated by its shape. */
function valid(schema: TSchema, text: string): unknown {
  const value: unknown = JSON.parse(text);
  const check = ajv.getSchema(String(Reflect.get(schema, "$id"))) ?? ajv.compile(schema);
  assert.equal(check(value), true, `${ajv.errorsText(check.errors)} in ${text}`);
  return value;
}

/** The evidence, as soon as `enough` accepts it, since a request's traces may come shortly after its response. */
async function evidence(url: string, enough: (found: Evidence) => boolean): Promise<Evidence> {
  for (;;) {
    const found = valid(shapes.SubjectEvidence, (await ask(url, "GET /__subject/evidence")).text) as Evidence;
    if (enough(found)) return found;
  }
}

interface Evidence {
  readonly logs: readonly { readonly method: string; readonly path: string; readonly status: number }[];
  readonly spans: readonly { readonly name: string }[];
  readonly metrics: { readonly routes: readonly { readonly route: string; readonly count: number }[] };
}

/** Request → status, shape (or the text itself), and the body to send. */
const contract: readonly (readonly [line: string, status: number, shape: TSchema | string, body?: string])[] = [
  ["GET /users/J%C3%BCrgen", 200, shapes.SubjectId],
  ["GET /users/1/posts/2", 200, shapes.SubjectPost],
  ["GET /files/a/b%2Fc", 200, shapes.SubjectFile],
  ["GET /match/a/x", 200, '{"matched":"/match/a/x"}'],
  ["GET /match/a/y", 200, '{"matched":"/match/{name}/y"}'],
  ["GET /match/c/y", 200, '{"matched":"/match/c/y"}'],
  ["GET /match/a/z", 200, '{"matched":"/match/*rest"}'],
  ["POST /echo", 200, '{"a":[1,null]}', '{ "a": [1, null] }'],
  ["POST /orders", 201, shapes.SubjectId, '{"item":"tea","total":100}'],
  ["QUERY /search?a=1&a=2", 200, shapes.SubjectSearch, '{"q":1}'],
  ["QUERY /api/search", 200, shapes.SubjectSearch, "[]"],
  ["GET /search", 200, shapes.SubjectMethod],
  ["GET /api/search", 200, shapes.SubjectMethod],
  ["QUERY /lookup", 200, shapes.SubjectLookup, "any text"],
  ["GET /parallel", 200, '["Left","Middle","Right"]'],
  ["GET /slow/1", 200, shapes.SubjectSlow],
  ["GET /big/5", 200, "xxxxx"],
  ["GET /events/2", 200, 'event: tick\nid: 1\ndata: {"n":1}\n\nevent: tick\nid: 2\ndata: {"n":2}\n\n'],
  ["GET /returns/stream", 200, "stream"],
  ["GET /returns/response", 202, "a,b"],
  ["GET /returns/nothing", 204, ""],
  ["GET /health", 200, '{"status":"UP","checks":{"db":"UP","disk":"UP"}}'],
  ["GET /health/live", 200, '{"status":"UP","checks":{"disk":"UP"}}'],
  ["GET /health/ready", 200, '{"status":"UP","checks":{"db":"UP"}}'],
  ["GET /metrics", 200, MetricsSnapshot],
];

/** Request → status of its problem. */
const problems: readonly (readonly [line: string, status: number, body?: string])[] = [
  ["POST /orders", 422, '{"item":"tea"}'],
  ["GET /orders/none", 404],
  ["GET /boom", 500],
  ["GET /fail/503", 503],
  ["GET /fail/200", 400],
  ["GET /slow/x", 400],
  ["GET /big/67108865", 400],
  ["GET /returns/error", 409],
  ["GET /returns/else", 404],
  ["GET /none", 404],
  ["DELETE /users/1", 405],
];

function keepsTheContract(url: () => string): void {
  for (const [line, status, shape, body] of contract)
    it(`responds to ${line} with ${status}`, async () => {
      const response = await ask(url(), line, body ?? null);
      assert.equal(response.status, status, response.text);
      if (typeof shape === "string") assert.equal(response.text, shape);
      else valid(shape, response.text);
    });

  it("returns an order as it was created", async () => {
    const made = await ask(url(), "POST /orders", '{"item":"tea","total":3.5,"note":"ignored"}');
    const { id } = valid(shapes.SubjectId, made.text) as { id: string };
    const order = valid(shapes.SubjectOrder, (await ask(url(), `GET /orders/${id}`)).text);
    assert.deepEqual(order, { id, item: "tea", total: 3.5 });
  });

  it("responds with problems to errors, with the reason only if it may be shown", async () => {
    for (const [line, status, body] of problems) {
      const response = await ask(url(), line, body ?? null);
      assert.deepEqual([line, response.status, response.type], [line, status, "application/problem+json"]);
      assert.equal(response.text.includes("secret"), false);
    }
    const { text, headers } = await ask(url(), "GET /fail/503");
    assert.deepEqual([JSON.parse(text).detail, headers.get("x-failed")], ["failed with 503 as asked", "503"]);
  });

  it("cuts the connection if a stream fails", async () => {
    await assert.rejects(ask(url(), "GET /cut"), TypeError);
  });

  it("sets its checks by the controls", { timeout: 10_000 }, async () => {
    const statuses: Record<string, number> = {};
    for (const mode of ["down", "throw", "reject", "hang", "up"]) {
      assert.equal((await ask(url(), "PUT /__subject/checks/db", JSON.stringify(mode))).status, 204);
      const { status, text } = await ask(url(), "GET /health");
      valid(HealthResult, text);
      statuses[mode] = status;
    }
    assert.deepEqual(statuses, { down: 503, throw: 503, reject: 503, hang: 503, up: 200 });
    assert.equal((await ask(url(), "PUT /__subject/checks/none", '"up"')).status, 404);
    assert.equal((await ask(url(), "PUT /__subject/checks/db", '"maybe"')).status, 422);
    assert.equal((await ask(url(), "PUT /__subject/checks/db", "up")).status, 400);
  });

  it("shows no evidence after a reset, not even of the controls", async () => {
    assert.equal((await ask(url(), "POST /__subject/reset")).status, 204);
    const about = await ask(url(), "GET /__subject/about");
    valid(shapes.SubjectAbout, about.text);
    assert.equal(about.headers.get("x-request-id"), null);
    const { logs, spans, metrics } = await evidence(url(), () => true);
    assert.deepEqual([logs, spans, metrics.routes], [[], [], []]);
  });

  it("shows the output of its middleware, in order", async () => {
    await ask(url(), "POST /__subject/reset");
    await ask(url(), "GET /users/1");
    await evidence(url(), ({ logs }) => logs.length === 1);
    await ask(url(), "GET /none");
    const { logs, spans, metrics } = await evidence(url(), (found) => found.logs.length === 2);
    assert.deepEqual(
      logs.map(({ method, path, status }) => [method, path, status]),
      [
        ["GET", "/users/1", 200],
        ["GET", "/none", 404],
      ],
    );
    const { features } = JSON.parse((await ask(url(), "GET /__subject/about")).text) as { features: readonly string[] };
    assert.deepEqual(
      spans.map(({ name }) => name),
      features.includes("tracing") ? ["GET /users/{id}", "GET"] : [],
    );
    assert.deepEqual(
      metrics.routes.map(({ route, count }) => [route, count]),
      [
        ["/users/{id}", 1],
        ["UNMATCHED", 1],
      ],
    );
  });
}

// `fetch` does not trust a self-signed certificate. The suite itself tests TLS (own-targets.ts).
for (const engine of Object.keys(engines).filter((name) => name !== "node-http2-tls"))
  describe(`the subject on ${engine}`, () => {
    const subject = createSubject({ engine });
    let url = "";
    before(async () => (url = await subject.start()));
    after(() => subject.stop());

    keepsTheContract(() => url);

    it("traces its beans as the contract draws them, and discards traces on reset", async () => {
      const traces = async (): Promise<readonly Trace[]> =>
        JSON.parse((await ask(url, "GET /framework/dev/api/requests")).text) as Trace[];
      const calls = async (line: string, body: string | null): Promise<readonly string[]> => {
        await ask(url, "POST /__subject/reset");
        assert.deepEqual(await traces(), []);
        await ask(url, line, body);
        await evidence(url, ({ logs }) => logs.length === 1);
        const [trace] = await traces();
        return (trace?.calls ?? []).map(({ depth, bean, method }) => `${depth} ${bean}.${method}`);
      };
      const order = ["0 OrderController.create", "1 OrderService.place", "2 Catalog.find", "2 Pricing.quote"];
      const cheap = [...order, "2 OrderRepository.save"];
      assert.deepEqual(await calls("POST /orders", '{"item":"tea","total":100}'), cheap);
      assert.deepEqual(await calls("POST /orders", '{"item":"tea","total":101}'), [...cheap, "2 Mailer.send"]);
      assert.deepEqual(await calls("GET /orders/order-1", null), ["0 OrderRepository.find"]);
      assert.deepEqual(await calls("GET /parallel", null), [
        "0 ParallelController.run",
        ...["Left", "Middle", "Right"].map((name) => `1 ${name}.work`),
        ...["Leaf", "Leaf", "Leaf"].map((name) => `2 ${name}.touch`),
      ]);
    });
  });

interface Trace {
  readonly calls: readonly { readonly depth: number; readonly bean: string; readonly method: string }[];
}

describe("the independent subject", () => {
  let close: () => Promise<void> = () => Promise.resolve();
  let url = "";
  before(async () => ({ url, close } = await startIndependent()));
  after(() => close());

  keepsTheContract(() => url);
});

describe("the profiles", () => {
  for (const [profile, expected] of Object.entries({
    default: { devtools: 200, id: true, methods: "GET, HEAD, POST, PUT, PATCH, DELETE" },
    "cors-query": { devtools: 200, id: true, methods: "GET, QUERY" },
    production: { devtools: 404, id: true, methods: "GET, HEAD, POST, PUT, PATCH, DELETE" },
    "no-request-id": { devtools: 200, id: false, methods: "GET, HEAD, POST, PUT, PATCH, DELETE" },
  }))
    it(`give ${profile} its own settings`, async (test) => {
      const subject = createSubject({ profile });
      test.after(() => subject.stop());
      const url = await subject.start();
      const preflight = { Origin: "https://app.example", "Access-Control-Request-Method": "GET" };
      const asked = await ask(url, "OPTIONS /search", null, preflight);
      assert.deepEqual(
        {
          devtools: (await ask(url, "GET /framework/dev/api/routes")).status,
          id: (await ask(url, "GET /users/1")).headers.has("x-request-id"),
          methods: asked.headers.get("access-control-allow-methods"),
        },
        expected,
      );
      assert.equal(JSON.parse((await ask(url, "GET /__subject/about")).text).profile, profile);
    });

  it("leave the environment unchanged, and ignore it", async (test) => {
    const original = process.env["FRAMEWORK_DEVTOOLS"];
    const set = (value: string | undefined): void => {
      if (value === undefined) delete process.env["FRAMEWORK_DEVTOOLS"];
      else process.env["FRAMEWORK_DEVTOOLS"] = value;
    };
    test.after(() => set(original));
    for (const value of [undefined, "off"]) {
      set(value);
      const subject = createSubject();
      assert.equal(process.env["FRAMEWORK_DEVTOOLS"], value);
      assert.equal((await ask(await subject.start(), "GET /framework/dev/api/graph")).status, 200);
      await subject.stop();
    }
  });

  it("are those of the contract, and an unknown one is an error that lists them", () => {
    assert.deepEqual(Object.keys(profiles), [...shapes.profileNames]);
    assert.throws(() => profileNamed("nope"), /no profile called nope: there are default, cors-query, production/);
    assert.throws(() => createSubject({ engine: "nope" }), /no engine called nope: there are node-http, /);
  });
});

describe("main", () => {
  const main = fileURLToPath(new URL("main.js", import.meta.url));

  /** The output of a start, and its exit code. A running subject gets SIGTERM first. */
  async function run(env: Readonly<Record<string, string>>): Promise<readonly [code: number | null, out: string]> {
    const started: ChildProcess = spawn(process.execPath, [main], { env: { ...process.env, ...env }, stdio: "pipe" });
    let out = "";
    started.stderr?.on("data", (chunk: Uint8Array) => (out += String(chunk)));
    started.stdout?.on("data", (chunk: Uint8Array) => {
      out += String(chunk);
      if (out.includes("listening on")) started.kill("SIGTERM");
    });
    const code = await new Promise<number | null>((resolve) => started.once("close", resolve));
    return [code, out];
  }

  it("prints its address, and stops cleanly on SIGTERM", async () => {
    const [code, out] = await run({ PORT: "0", PROFILE: "production" });
    assert.match(out, /^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    assert.equal(code, 0);
  });

  for (const [what, env, sentence] of [
    ["port", { PORT: "70000" }, 'PORT is "70000": a number from 0 to 65535 is allowed\n'],
    ["profile", { PROFILE: "x" }, "no profile called x: there are default, cors-query, production, no-request-id\n"],
    ["engine", { ENGINE: "x" }, `no engine called x: there are ${Object.keys(engines).join(", ")}\n`],
  ] as const)
    it(`rejects a bad ${what} with one sentence and exit code 1`, async () => {
      assert.deepEqual(await run(env), [1, sentence]);
    });
});
