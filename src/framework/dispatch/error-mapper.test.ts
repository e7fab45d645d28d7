/** Error mapping at its edges, over real sockets: handlers that only set a status, errors with invalid fields (ERR). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, created, serving } from "../testing/harness.testkit.ts";
import { CorsMiddleware, HttpError, NotFoundError, type Context, type Framework } from "../index.ts";

const raising = (error: unknown) => (app: Framework) =>
  app.get("/", () => {
    throw error;
  });

/** Status, the relevant headers, the body, and the number of log lines. */
const outcomeOf = (define: (app: Framework) => unknown): Promise<unknown> =>
  serving(define, async ({ port, errors }) => {
    const { status, headers, body } = await ask(port, "GET", "/");
    return [status, headers["content-type"], headers["retry-after"], body, errors.length];
  });

const gone = JSON.stringify({ type: "about:blank", title: "Gone", status: 410 });

describe("an exception handler that only chooses a status", () => {
  class Domain extends Error {}
  const handled = (handler: (ctx: Context) => unknown, more: (app: Framework) => unknown = () => undefined) =>
    outcomeOf((app) => {
      more(raising(new Domain("d"))(app).onError(Domain, (_error, ctx) => handler(ctx)));
    });
  const asked = (ctx: Context): void => void ctx.status(410).setHeader("Retry-After", 5);
  const later = async (ctx: Context): Promise<void> => {
    await null;
    asked(ctx);
  };

  it("responds with the problem of an error status, with its headers, and counts as handled", async () => {
    const response = [410, "application/problem+json", "5", gone, 0];
    assert.deepEqual([await handled(asked), await handled(later)], [response, response]);
    const bad = JSON.stringify({ type: "about:blank", title: "Bad Request", status: 400 });
    assert.deepEqual(await handled((ctx) => void ctx.status(400)), [
      400,
      "application/problem+json",
      undefined,
      bad,
      0,
    ]);
  });

  it("lets the renderer of that status respond, and the problem when it does nothing or fails", async () => {
    assert.deepEqual(await handled(asked, (app) => app.onStatus(410, async () => "rendered")), [
      410,
      "text/plain; charset=utf-8",
      "5",
      "rendered",
      0,
    ]);
    assert.deepEqual(await handled(asked, (app) => app.onStatus(410, () => undefined)), [
      410,
      "application/problem+json",
      "5",
      gone,
      0,
    ]);
    const failing = (ctx: Context): never => {
      ctx.text("half");
      throw new Error("renderer");
    };
    assert.deepEqual(await handled(asked, (app) => app.onStatus(410, failing)), [
      410,
      "application/problem+json",
      "5",
      gone,
      1,
    ]);
  });

  it("responds with an empty body below 400", async () => {
    assert.deepEqual(await handled((ctx) => void ctx.status(200)), [200, undefined, undefined, "", 0]);
    assert.deepEqual(await handled((ctx) => void ctx.status(204)), [204, undefined, undefined, "", 0]);
  });
});

/** The ways in which a handler can produce an error. */
const ways: Readonly<Record<string, (make: () => HttpError) => unknown>> = {
  throws: (make) => {
    throw make();
  },
  returns: (make) => make(),
  "rejects with": async (make) => {
    await null;
    throw make();
  },
  "resolves with": async (make) => make(),
};

describe("a handler that produces an HttpError", () => {
  class Domain extends Error {}
  const taken = (): HttpError => new HttpError(409, "taken", { code: "E_TAKEN", headers: { "Retry-After": "5" } });
  const body = { type: "about:blank", title: "Conflict", status: 409, detail: "taken", code: "E_TAKEN" };
  const problem = [409, "application/problem+json", "5", JSON.stringify(body), 0];
  const failing = (app: Framework): Framework => raising(new Domain("d"))(app);

  for (const [way, come] of Object.entries(ways)) {
    it(`ERR-021: that of a route ${way} it: the problem`, async () => {
      assert.deepEqual(await outcomeOf((app) => app.get("/", () => come(taken))), problem);
      assert.deepEqual(await outcomeOf((app) => app.get("/", (ctx) => (ctx.text("half"), come(taken)))), problem);
      const middleware = (app: Framework): unknown => app.use(() => come(taken)).get("/", () => "");
      assert.deepEqual(await outcomeOf(middleware), problem);
      const around = (app: Framework): unknown => app.use((_ctx, next) => next()).get("/", () => come(taken));
      assert.deepEqual(await outcomeOf(around), problem);
    });

    it(`that of a class ${way} it: the problem`, async () =>
      assert.deepEqual(await outcomeOf((app) => failing(app).onError(Domain, () => come(taken))), problem));

    it(`that of a status ${way} it: the problem`, async () =>
      assert.deepEqual(await outcomeOf((app) => app.onStatus(404, () => come(taken))), problem));

    it(`a renderer that a handler chose ${way} it: the problem`, async () => {
      const chosen = (app: Framework): unknown =>
        failing(app)
          .onError(Domain, (_error, ctx) => void ctx.status(410))
          .onStatus(410, () => come(taken));
      assert.deepEqual(await outcomeOf(chosen), problem);
    });

    it(`that of HttpError ${way} it again: the problem, asked once`, async () => {
      let times = 0;
      const again = (error: HttpError): unknown => ((times += 1), come(() => error));
      const define = (app: Framework): unknown => raising(taken())(app).onError(HttpError, again);
      assert.deepEqual([await outcomeOf(define), times], [problem, 1]);
    });

    it(`those of two statuses that ${way} each other's: terminates`, async () => {
      const define = (app: Framework): unknown =>
        app
          .onStatus(404, () => come(() => new HttpError(410)))
          .onStatus(410, () => come(() => new HttpError(404, "round")));
      const round = { type: "about:blank", title: "Not Found", status: 404, detail: "round" };
      const response = [404, "application/problem+json", undefined, JSON.stringify(round), 0];
      assert.deepEqual(await outcomeOf(define), response);
    });
  }

  it("is mapped like any other HttpError: by the class, then by the status", async () => {
    const define = (app: Framework): unknown =>
      failing(app)
        .onError(Domain, () => taken())
        .onError(HttpError, (error, ctx) => ctx.status(error.status).text(`form of ${error.message}`));
    assert.deepEqual(await outcomeOf(define), [409, "text/plain; charset=utf-8", "5", "form of taken", 0]);
    const rendered = (app: Framework): unknown =>
      failing(app)
        .onError(Domain, () => taken())
        .onStatus(409, () => "rendered");
    assert.deepEqual(await outcomeOf(rendered), [409, "text/plain; charset=utf-8", "5", "rendered", 0]);
  });

  it("keeps the headers that the handler set before, and Vary", () =>
    serving(
      (app) =>
        failing(app.use(CorsMiddleware.builder().allowOrigins("https://a.example").build())).onError(
          Domain,
          (_error, ctx) => {
            ctx
              .setHeader("WWW-Authenticate", "Bearer")
              .setHeader("Vary", "Accept")
              .setHeader("ETag", '"1"')
              .text("half");
            return new HttpError(401);
          },
        ),
      async ({ port }) => {
        const { status, headers } = await ask(port, "GET", "/");
        assert.deepEqual(
          [status, headers["www-authenticate"], headers["vary"], headers["etag"], headers["content-type"]],
          [401, "Bearer", "Accept, Origin", undefined, "application/problem+json"],
        );
      },
    ));
});

describe("an HttpError with invalid fields", () => {
  const plain = JSON.stringify({ type: "about:blank", title: "Conflict", status: 409 });
  it("gets its status without a header that HTTP does not allow", async () => {
    const error = new HttpError(409, "Conflict", { headers: { "Retry-After": "5\r\nX: y", "bad name": "1" } });
    assert.deepEqual(await outcomeOf(raising(error)), [409, "application/problem+json", undefined, plain, 2]);
  });

  it("gets its status alone when its issues have no JSON form", async () => {
    const error = new HttpError(409, "no", { issues: [{ path: [1n as unknown as number], message: "m" }] });
    assert.deepEqual(await outcomeOf(raising(error)), [409, "application/problem+json", undefined, plain, 1]);
  });

  it("is 500 when a subclass gives an invalid status", async () => {
    const ofStatus = async (value: number): Promise<unknown> => {
      const error = Object.defineProperty(new HttpError(409, "no"), "status", { value });
      return ((await outcomeOf(raising(error))) as unknown[])[0];
    };
    assert.deepEqual([await ofStatus(42), await ofStatus(399), await ofStatus(600)], [500, 500, 500]);
    assert.deepEqual([await ofStatus(400), await ofStatus(599)], [400, 599]);
  });
});

describe("an error handler that sets Vary", () => {
  it("keeps the earlier names of Vary", async () => {
    const vary = (given: string): Promise<unknown> =>
      serving(
        (app) =>
          raising(new RangeError("r"))(
            app.use(CorsMiddleware.builder().allowOrigins("https://a.example").build()),
          ).onError(RangeError, (_error, ctx) => ctx.setHeader("Vary", given).text("mine")),
        async ({ port }) => (await ask(port, "GET", "/")).headers["vary"],
      );
    assert.deepEqual(
      [await vary("Accept"), await vary("accept, origin"), await vary("*")],
      ["Accept, Origin", "accept, origin", "*"],
    );
  });
});

const plain500 = { type: "about:blank", title: "Internal Server Error", status: 500 };

/** Status, headers and body of one request, and the number of log lines. */
async function requested(
  define: (app: Framework) => unknown,
): Promise<{ readonly response: Response; readonly body: string; readonly logged: number }> {
  const { app, errors } = created();
  define(app);
  const response = await app.request("/");
  return { response, body: await response.text(), logged: errors.length };
}

describe("the response to an error", () => {
  class Domain extends Error {}
  const heads = ["x-kept", "vary", "content-location", "etag", "cache-control", "content-security-policy"];
  const marked = (app: Framework): Framework =>
    app.use((ctx, next) => {
      for (const name of heads.toReversed()) ctx.setHeader(name, name === "vary" ? "Origin" : "1");
      return next();
    });
  const headed = async (define: (app: Framework) => unknown): Promise<unknown> => {
    const { response } = await requested((app) => define(marked(app)));
    return heads.map((name) => response.headers.get(name));
  };

  it("keeps the headers that do not belong to the discarded response, for any responder", async () => {
    const kept = ["1", "Origin", null, null, null, "1"];
    const rejected = new HttpError(409, "no");
    assert.deepEqual(
      [
        await headed(raising(rejected)),
        await headed((app) => raising(rejected)(app).onError(HttpError, (_error, ctx) => ctx.text("mine"))),
        await headed((app) => raising(rejected)(app).onError(HttpError, () => undefined)),
        await headed((app) => raising(rejected)(app).onStatus(409, async () => "mine")),
        await headed((app) => raising(new Domain("d"))(app).onError(Domain, (_error, ctx) => void ctx.status(410))),
      ],
      Array.from({ length: 5 }, () => kept),
    );
  });

  it("keeps the middleware's Vary, in addition to that of the error and of its handler", async () => {
    const varied = new HttpError(409, "no", { headers: { Vary: "Accept" } });
    const vary = async (define: (app: Framework) => unknown): Promise<unknown> =>
      ((await headed(define)) as unknown[])[1];
    const both = (_error: unknown, ctx: Context): unknown => ctx.setHeader("Vary", "Accept").text("mine");
    assert.deepEqual(
      [
        await vary(raising(varied)),
        await vary((app) => raising(varied)(app).onStatus(409, () => undefined)),
        await vary((app) => raising(new Domain("d"))(app).onError(Domain, both)),
      ],
      Array(3).fill("Accept, Origin"),
    );
  });

  it("is logged once when it was unexpected and its status is rendered, and not for an HttpError", async () => {
    const logged = async (define: (app: Framework) => unknown): Promise<number> => (await requested(define)).logged;
    const silent = (): undefined => undefined;
    assert.deepEqual(
      [
        await logged((app) => raising(new Domain("d"))(app).onStatus(500, silent)),
        await logged((app) => raising(new Domain("d"))(app).onStatus(500, () => "mine")),
        await logged((app) => raising(new Domain("d"))(app).onError(Domain, silent).onStatus(500, silent)),
        await logged((app) => raising(new HttpError(500))(app).onError(HttpError, silent)),
      ],
      [1, 1, 1, 0],
    );
  });

  it("ERR-001: has only the headers of its problem", async () => {
    const { response } = await requested((app) => raising(new Domain("d"))(app).onStatus(500, () => undefined));
    assert.deepEqual(Object.fromEntries(response.headers), {
      "content-length": String(JSON.stringify(plain500).length),
      "content-type": "application/problem+json",
    });
  });

  it("ERR-002: is a 500, logged once, for a thrown non-object, with any error handlers", async () => {
    for (const thrown of [null, undefined, "text"]) {
      const { response, body, logged } = await requested((app) =>
        raising(thrown)(app)
          .onError(Domain, () => "mine")
          .onError(Object, () => "mine"),
      );
      assert.deepEqual([response.status, body, logged], [500, JSON.stringify(plain500), 1]);
    }
  });

  it("is the app's when the router found no route", async () => {
    const responded = async (define: (app: Framework) => unknown): Promise<unknown> => {
      const { response, body } = await requested(define);
      return [response.status, body];
    };
    assert.deepEqual(
      [
        await responded((app) => app.onError(NotFoundError, (_error, ctx) => ctx.text("none"))),
        await responded((app) => app.onStatus(404, () => "none")),
      ],
      Array.from({ length: 2 }, () => [404, "none"]),
    );
  });
});

describe("app.onStatus and app.onError", () => {
  it("reject a status that is no error, a value that is no class, and a second handler", () => {
    const { app } = created();
    const handler = (): string => "";
    for (const status of [399, 600, 404.5, Number.NaN, "404"])
      assert.throws(() => app.onStatus(status as number, handler), {
        name: "RangeError",
        message: `app.onStatus takes a status from 400 to 599, not ${status}`,
      });
    app.onStatus(400, handler).onStatus(599, handler).onError(RangeError, handler);
    assert.throws(() => app.onStatus(400, handler), { name: "TypeError", message: "status 400 has a handler already" });
    assert.throws(() => app.onError(RangeError, handler), {
      name: "TypeError",
      message: "RangeError has an exception handler already",
    });
    for (const none of [() => undefined, Object.assign(() => undefined, { prototype: null })])
      assert.throws(() => app.onError(none as never, handler), {
        name: "TypeError",
        message: "app.onError takes an error class first",
      });
  });
});
