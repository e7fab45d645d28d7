import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, test, type TestContext } from "node:test";
import fc from "fast-check";
import { Framework } from "../../app/framework.ts";
import { isRequestId, RequestIdMiddleware, type RequestIdOptions } from "./request-id.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function serve(
  t: TestContext,
  options?: RequestIdOptions,
): Promise<{ app: Framework; middleware: RequestIdMiddleware; warnings: string[] }> {
  const middleware = new RequestIdMiddleware(options);
  const warnings: string[] = [];
  const logger = { warn: (line: string) => void warnings.push(line), error: () => undefined };
  const app = Framework.create({ host: "127.0.0.1", logger })
    .use(middleware)
    .get("/", (ctx) => ctx.attribute("requestId"))
    .get("/boom", () => {
      throw new Error("boom");
    });
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  return { app, middleware, warnings };
}

async function ask(
  url: string,
  headers: Record<string, string> = {},
  name = "x-request-id",
): Promise<{ echoed: string | null; attribute: string }> {
  const response = await fetch(url, { headers });
  return { echoed: response.headers.get(name), attribute: await response.text() };
}

describe("RequestIdMiddleware", () => {
  for (const id of ["a", "abc-1._X", "x".repeat(128)]) {
    test(`keeps ${id.slice(0, 10)} as the attribute and sends it back`, async (t) => {
      const { app } = await serve(t);
      assert.deepEqual(await ask(app.url, { "X-Request-Id": id }), { echoed: id, attribute: id });
    });
  }

  for (const [name, id] of Object.entries({
    "an empty id": "",
    "a blank inside": "a b",
    "129 characters": "x".repeat(129),
    "a quote": 'a"b',
    "a slash": "../a",
    "a tab": "a\tb",
    "a next-line character": "a\u0085b",
    "a comma": "a,b",
  })) {
    test(`makes a UUID instead of ${name}`, async (t) => {
      const { app } = await serve(t);
      const { echoed, attribute } = await ask(app.url, { "X-Request-Id": id });
      assert.match(attribute, uuid);
      assert.equal(echoed, attribute);
    });
  }

  // Node joins repeated X-Request-Id lines, but keeps only the first From. Both must count as two.
  for (const header of ["X-Request-Id", "From"]) {
    test(`makes a UUID for two ${header} lines, even equal ones`, async (t) => {
      const { app } = await serve(t, { header });
      const echoed = await new Promise((resolve, reject) => {
        const sent = request(app.url, { headers: ["Host", "x", header, "a", header, "a"] }, (response) => {
          response.resume();
          resolve(response.headers[header.toLowerCase()]);
        });
        sent.on("error", reject).end();
      });
      assert.match(String(echoed), uuid);
    });
  }

  test("makes a new one for every request", async (t) => {
    const { app, middleware } = await serve(t);
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await ask(app.url)).attribute));
    assert.deepEqual([new Set(ids).size, middleware.faults], [50, 0]);
  });

  for (const path of ["/boom", "/nowhere"]) {
    test(`echoes the id on the error at ${path}`, async (t) => {
      const { app } = await serve(t);
      assert.equal((await ask(app.url + path, { "X-Request-Id": "abc" })).echoed, "abc");
    });
  }

  test("reads and writes the configured header", async (t) => {
    const { app } = await serve(t, { header: "X-Correlation" });
    assert.deepEqual(await ask(app.url, { "X-Correlation": "c1", "X-Request-Id": "r1" }, "x-correlation"), {
      echoed: "c1",
      attribute: "c1",
    });
  });

  test("uses the result of generate", async (t) => {
    const { app, middleware } = await serve(t, { generate: () => "mine" });
    assert.deepEqual([await ask(app.url), middleware.faults], [{ echoed: "mine", attribute: "mine" }, 0]);
  });

  const odd = (type: string): string => `it returned ${type}, not 1 to 128 characters of A-Z a-z 0-9 . _ -`;
  for (const [name, [generate, faults, fault]] of Object.entries({
    throws: [
      () => {
        throw new Error("no entropy");
      },
      1,
      "no entropy",
    ],
    "returns a line feed": [() => "a\nb", 1, odd("string")],
    "returns nothing": [() => undefined, 1, odd("undefined")],
    rejects: [() => Promise.reject(new Error("late")), 2, odd("object")],
  } satisfies Record<string, [() => unknown, number, string]>)) {
    test(`makes a UUID, counts and logs when generate ${name}`, async (t) => {
      const { app, middleware, warnings } = await serve(t, { generate: generate as () => string });
      assert.match((await ask(app.url)).attribute, uuid);
      assert.equal(middleware.faults, faults);
      assert.deepEqual(warnings, [`RequestIdMiddleware: generate failed: ${fault} (further faults are only counted)`]);
    });
  }

  test("rejects an invalid header name", () => {
    for (const header of ["X Id", "", 7])
      assert.throws(() => new RequestIdMiddleware({ header: header as string }), {
        name: "TypeError",
        message: `RequestIdMiddleware: header is ${JSON.stringify(header)}; a header name is allowed`,
      });
  });
});

describe("isRequestId", () => {
  test("REQID-001: accepts letters, digits, dot, underscore and hyphen, and no other of 256 characters", () => {
    const accepted = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter(isRequestId);
    assert.equal(accepted.join(""), "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
  });

  test("accepts exactly 1 to 128 characters of the alphabet", () => {
    const alphabet = [..."ABCXYZabcxyz0189._-"];
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 128 }), isRequestId),
      { numRuns: Number(process.env["FC_RUNS"] ?? 5_000) },
    );
    const others = Array.from({ length: 256 }, (_, at) => String.fromCharCode(at)).filter((one) => !/[\w.-]/.test(one));
    assert.deepEqual(
      others.filter((one) => isRequestId(`a${one}b`)),
      [],
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const expected =
          text.length >= 1 && text.length <= 128 && [...text].every((char) => /[A-Za-z0-9._-]/.test(char));
        assert.equal(isRequestId(text), expected);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 10_000) },
    );
  });
});
