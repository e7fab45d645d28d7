/** Secrets planted everywhere a request can carry one. None is in a trace, over any way to serve the app (TRACE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { Beans, type Context, Framework, HttpError, Interface, NodeHttp2Engine } from "framework";
import { Devtools } from "../../index.ts";
import type { Trace } from "../../run/shapes.ts";

interface Vault {
  take(value: unknown): unknown;
  later(value: unknown): Promise<unknown>;
  seen(ctx: Context): string;
  fail(message: string): void;
}
const Vault = Interface<Vault>("Vault");

let planted = 0;
/** A unique secret, in several looks: a word, a hex string, one with characters to escape. */
function plant(): string {
  planted += 1;
  const looks = [
    `hunter-${planted}-zebra`,
    `9f8e7d6c5b4a${planted.toString(16).padStart(4, "0")}`,
    `p&ss w/rd=${planted}!é`,
  ];
  return looks[planted % looks.length] ?? "";
}

class Login {
  readonly passwordHash: string;

  constructor(secret: string) {
    this.passwordHash = secret;
  }
}

/** The arguments with a secret, by its place. */
const shapes: Readonly<Record<string, (secret: string) => unknown>> = {
  "a key": (secret) => ({ password: secret }),
  "a key in a list": (secret) => [{ user: "ada", apiKey: secret }],
  "a plural key": (secret) => ({ refreshTokens: [secret] }),
  "a nested key": (secret) => ({ a: { b: { clientSecret: secret } } }),
  "a pair": (secret) => ["accessToken", secret],
  "a name and a value": (secret) => ({ name: "password", value: secret }),
  "a header and a value": (secret) => ({ header: "Authorization", value: secret }),
  "a flat list of headers": (secret) => ["Accept", "*/*", "Cookie", secret, "Host", "x"],
  "a map": (secret) => new Map([["sessionToken", secret]]),
  "a map in an object": (secret) => ({ headers: new Map([["x-api-key", secret]]) }),
  "a class": (secret) => new Login(secret),
  "JSON in a text": (secret) => JSON.stringify({ user: "ada", secretKey: secret }),
  "JSON in JSON": (secret) => JSON.stringify({ body: JSON.stringify({ pin: secret }) }),
  "a connection string": (secret) => `Server=db;Password=${encodeURIComponent(secret)};Encrypt=true`,
  "an address with credentials": (secret) => `postgres://ada:${encodeURIComponent(secret)}@db/shop`,
  "an address with a parameter": (secret) => `https://x.example/?access_token=${encodeURIComponent(secret)}&a=1`,
  "an environment": (secret) => ({ env: { AWS_SECRET_ACCESS_KEY: secret, HOME: "/root" } }),
  "a bearer header": (secret) => ({ headers: { Authorization: `Bearer ${encodeURIComponent(secret)}` } }),
  "Basic credentials in a text": (secret) => `Basic ${Buffer.from(`ada:${secret}`, "utf8").toString("base64")}`,
  "a message": (secret) => new Error(`password=${encodeURIComponent(secret)} was wrong`),
  "a parameter of SQL beside its name": (secret) => ({
    sql: "UPDATE users SET hash = $1",
    parameters: [secret],
    passwordHash: secret,
  }),
};

function appOf(engine?: NodeHttp2Engine): Framework {
  const devtools = Devtools.create();
  const beans = Beans.builder()
    .bind(Vault, () => ({
      take: (value) => value,
      later: async (value) => value,
      seen: (ctx) => ctx.method,
      fail: (message) => {
        throw new Error(message);
      },
    }))
    .instrument(devtools.recorder())
    .start();
  const app = Framework.create({ engine, logger: { warn: () => undefined, error: () => undefined } }).beans(beans);
  const vault = beans.get(Vault);
  app
    .post("/shapes", async (ctx) => {
      const { secret } = (await ctx.body()) as { secret: string };
      for (const shape of Object.values(shapes)) {
        vault.take(shape(secret));
        await vault.later(shape(secret));
      }
      vault.take(`and in a text: ${secret}`);
      try {
        vault.fail(`could not log in with ${secret}`);
      } catch {
        // recorded
      }
      return { again: secret };
    })
    .post("/form", async (ctx) => ctx.text(await ctx.bodyAsString()))
    .get("/reset/{token}", (ctx) => vault.seen(ctx))
    .get("/rest/*accessKey", (ctx) => vault.seen(ctx))
    .get("/query", (ctx) => ctx.json({ ...ctx.query }))
    .get("/cookies", (ctx) =>
      ctx
        .appendHeader("Set-Cookie", `sid=${encodeURIComponent(ctx.header("x-plain") ?? "")}`)
        .json({ password: ctx.header("x-plain") }),
    )
    .get("/moved", (ctx) => ctx.redirect(`/there?token=${encodeURIComponent(ctx.queryParam("api_key") ?? "")}`))
    .get("/throws", (ctx) => {
      throw new HttpError(409, `secret=${encodeURIComponent(ctx.queryParam("api_key") ?? "")}`);
    });
  devtools.install(app, beans);
  return app;
}

type Send = (
  method: string,
  target: string,
  headers?: Readonly<Record<string, string>>,
  body?: string,
) => Promise<string>;

/** Sends every planted request in rounds, and returns the secrets and their places. */
async function plantAll(
  send: Send,
  roundIsOver: () => Promise<void>,
): Promise<{ secrets: string[]; places: Set<string> }> {
  const secrets: string[] = [];
  const places = new Set<string>();
  const at = (place: string): string => {
    places.add(place);
    const secret = plant();
    secrets.push(secret);
    return secret;
  };
  const json = { "Content-Type": "application/json" };
  const escaped = (place: string): string => encodeURIComponent(at(place));
  for (let round = 0; round < 18; round += 1) {
    await send("POST", "/shapes", json, JSON.stringify({ secret: at("a body, and all that is made of it") }));
    await send(
      "POST",
      "/form",
      { "Content-Type": "application/x-www-form-urlencoded" },
      `a=1&password=${escaped("a form")}`,
    );
    await send("GET", `/reset/${escaped("a parameter of the path")}`);
    await send("OPTIONS", `/reset/${escaped("a path of OPTIONS")}`);
    await send("DELETE", `/reset/${escaped("a path of 405")}`);
    await send("HEAD", `/reset/${escaped("a path of HEAD")}`);
    await send("GET", `/reset/${escaped("a path of 404")}/more`);
    await send("GET", `/rest/${escaped("the rest of a path")}`);
    await send("GET", `/query?a=1&token=${escaped("a query")}&userPassword=${escaped("a second parameter")}`);
    await send("GET", `/moved?api_key=${escaped("a Location")}`);
    await send("GET", `/throws?api_key=${escaped("an error's message")}`);
    const header = (place: string): string => encodeURIComponent(at(place));
    await send("GET", "/query", {
      Authorization: `Bearer ${header("a bearer")}`,
      Cookie: `sid=${header("a cookie")}; theme=dark`,
      "X-Api-Key": header("a header"),
      "X-Auth-User": header("an X-Auth header"),
      Referer: `https://x.example/?session_token=${header("a Referer")}`,
    });
    const twice = header("a Set-Cookie and a body");
    await send("GET", "/cookies", { "X-Plain": twice });
    await roundIsOver();
  }
  for (const shape of Object.keys(shapes)) places.add(shape);
  return { secrets, places };
}

const throughFetch =
  (app: Framework): Send =>
  async (method, target, headers = {}, body) => {
    const init: RequestInit = {
      method,
      headers: { ...headers, Host: "localhost" },
      ...(body === undefined ? {} : { body }),
    };
    return (await app.fetch(new Request(`http://localhost${target}`, init), { peerAddress: "127.0.0.1" })).text();
  };

const overHttp =
  (origin: string): Send =>
  async (method, target, headers = {}, body) =>
    (
      await fetch(origin + target, { method, headers, redirect: "manual", ...(body === undefined ? {} : { body }) })
    ).text();

/** Ways to serve. Each runs `use` with a client, then ends. */
const ways: Readonly<Record<string, (use: (send: Send) => Promise<void>) => Promise<void>>> = {
  "node:http": async (use) => {
    const app = await appOf().start(0);
    await use(overHttp(`http://localhost:${app.port}`)).finally(() => app.stop({ graceMs: 0 }));
  },
  h2c: async (use) => {
    const app = await appOf(new NodeHttp2Engine()).start(0);
    const session = connectHttp2(`http://localhost:${app.port}`);
    await use(async (method, target, headers = {}, body) => {
      const stream = session.request({ ...headers, ":method": method, ":path": target });
      stream.end(body);
      let text = "";
      for await (const chunk of stream.setEncoding("utf8")) text += chunk as string;
      return text;
    }).finally(() => {
      session.destroy();
      return app.stop({ graceMs: 0 });
    });
  },
  "app.fetch": (use) => use(throughFetch(appOf())),
  "app.listener": async (use) => {
    const app = appOf();
    const server = createServer(app.listener()).listen(0, "127.0.0.1");
    await once(server, "listening");
    await use(overHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).finally(() => {
      server.closeAllConnections();
      server.close();
      return app.stop({ graceMs: 0 });
    });
  },
};

describe("planted secrets", () => {
  for (const [way, serve] of Object.entries(ways))
    it(`TRACE-030 TRACE-041: 0 of at least 300 in at least 30 places are in the traces (${way})`, async () => {
      await serve(async (send) => {
        const traces = new Map<number, Trace>();
        let sent = 0;
        const { secrets, places } = await plantAll(
          (...request) => {
            sent += 1;
            return send(...request);
          },
          async () => {
            const kept = JSON.parse(await send("GET", "/framework/dev/api/requests")) as Trace[];
            for (const trace of kept) traces.set(trace.sequence, trace);
          },
        );
        assert.ok(secrets.length >= 300 && places.size >= 30, `${secrets.length} in ${places.size} places`);
        assert.equal(traces.size, sent);
        const shown = JSON.stringify([...traces.values()]);
        const forms = (secret: string): string[] => [
          secret,
          encodeURIComponent(secret),
          JSON.stringify(secret).slice(1, -1),
          encodeURIComponent(encodeURIComponent(secret)),
          Buffer.from(secret).toString("base64").slice(2, -4),
        ];
        const found = secrets.flatMap((secret) => {
          const form = forms(secret).find((text) => shown.includes(text));
          return form === undefined ? [] : shown.slice(Math.max(0, shown.indexOf(form) - 80), shown.indexOf(form) + 60);
        });
        assert.deepEqual(found, [], `${found.length} of ${secrets.length}`);
        assert.ok(shown.includes("[redacted]"));
      });
    });
});
