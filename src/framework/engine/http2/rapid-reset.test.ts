/** HTTP/2 clients that cancel their requests immediately, and reconnect (ENGINE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { created, serving, until } from "../../testing/harness.testkit.ts";
import { NodeHttp2Engine, type Framework, type Http2Options, type TlsOptions } from "../../index.ts";
import { certificate } from "../../testing/certificate.testkit.ts";
import { overHttp2 } from "../../testing/clients.testkit.ts";
import { framesOf, greeting, headers, request, reset } from "../../testing/frames.testkit.ts";

/** This number of requests, each cancelled immediately. */
const taken = (count: number, path = "/"): Buffer =>
  Buffer.concat([
    greeting,
    ...Array.from({ length: count }, (_, at) =>
      Buffer.concat([headers(2 * at + 1, request("GET", path)), reset(2 * at + 1)]),
    ),
  ]);

/** The events of the app. */
interface Told {
  handled: number;
  hanging: number;
  readonly rejected: number[];
}

function define(app: Framework, told: Told): void {
  app
    .use({
      installed: (life) => life.onRejected(({ status }) => void told.rejected.push(status)),
      handle: (_ctx, next) => next(),
    })
    .get("/", () => ((told.handled += 1), "x"))
    .get("/canary", () => "alive")
    .get("/hang", () => {
      told.hanging += 1;
      return new Promise(() => undefined);
    })
    .get("/torn", async function* () {
      yield "begun";
      throw new Error("the source broke");
    });
}

/** Runs an app with a client on a separate session. */
async function attacked(
  use: (tools: { port: number; app: Framework; client: ClientHttp2Session; told: Told }) => Promise<void>,
  { tls, ...options }: Http2Options & { readonly tls?: TlsOptions } = {},
): Promise<void> {
  const told: Told = { handled: 0, hanging: 0, rejected: [] };
  await serving(
    (app) => define(app, told),
    async ({ port, app }) => {
      const client = connectHttp2(app.url, { ca: certificate.cert, servername: "localhost" });
      client.on("error", () => undefined);
      try {
        await use({ port, app, client, told });
      } finally {
        client.destroy();
      }
    },
    { engine: new NodeHttp2Engine(tls, options), timeouts: { checkMs: 50_000 } },
  );
}

const opened = (port: number, tls: boolean, localAddress = "127.0.0.1"): Socket =>
  tls
    ? connectTls({ port, host: "127.0.0.1", ca: certificate.cert, servername: "localhost", ALPNProtocols: ["h2"] })
    : connect({ port, host: "127.0.0.1", localAddress });

/** Attackers that connect, send `bytes`, and reconnect when they are cut or a moment has passed. */
function attack(port: number, lanes: number, bytes: Buffer, tls: boolean): { stop(): Promise<number> } {
  let connections = 0;
  const over = new AbortController();
  const lane = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const socket = opened(port, tls);
      socket.on("error", () => undefined).resume();
      socket.once(tls ? "secureConnect" : "connect", () => {
        socket.write(bytes);
        setTimeout(() => socket.destroy(), 50);
      });
      await new Promise((resolve) => socket.once("close", resolve));
      connections += 1;
    }
  };
  const running = Array.from({ length: lanes }, lane);
  return {
    async stop() {
      over.abort();
      await Promise.all(running);
      return connections;
    },
  };
}

/** Sends this number of requests. Returns the sorted response times in milliseconds. */
async function asked(client: ClientHttp2Session, times: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const startedAt = performance.now();
    assert.equal((await overHttp2(client, { target: "/canary" })).body, "alive");
    took.push(performance.now() - startedAt);
  }
  return took.toSorted((a, b) => a - b);
}

/** The 99th percentile, in whole milliseconds. Reported, not asserted, because it depends on the machine. */
const p99 = (took: readonly number[]): number => Math.round(took[Math.floor(took.length * 0.99)] ?? Number.NaN);

/**
 * The maximum number of handled requests: the reserve, and two sessions (a turn's) at first and whenever the address is
 * accepted again.
 */
const atMost = (seconds: number): number => 1_000 + 1_800 * (1 + Math.ceil(seconds));

const isServed = async (url: string): Promise<boolean> => {
  const client = connectHttp2(url, { ca: certificate.cert, servername: "localhost" });
  client.on("error", () => undefined);
  const { status } = await overHttp2(client, { target: "/canary" }).catch(() => ({ status: 0 }));
  client.destroy();
  return status === 200;
};

describe("clients that cancel requests and reconnect", () => {
  for (const [name, tls] of [
    ["h2c", undefined],
    ["h2 over TLS", certificate],
  ] as const)
    it(`on ${name}, have few of them handled, while another client is served all the time`, (t) =>
      attacked(
        async ({ port, app, client, told }) => {
          await asked(client, 5);
          const startedAt = performance.now();
          const attackers = attack(port, 40, taken(900), tls !== undefined);
          await until(() => told.rejected.includes(429));
          const during = await asked(client, 200);
          const connections = await attackers.stop();
          const after = await asked(client, 50);
          const seconds = (performance.now() - startedAt) / 1_000;
          const allowed = atMost(seconds);
          t.diagnostic(
            `${connections} connections with 900 requests each in ${seconds.toFixed(1)} s, ${told.handled} requests handled; ` +
              `the client beside them waited (p99) ${p99(during)} ms during it and ${p99(after)} ms after it`,
          );
          assert.ok(told.handled <= allowed, `${told.handled} of ${connections * 900} were handled, ${allowed} may be`);
          let isBack = false;
          while (!isBack) isBack = await isServed(app.url);
        },
        tls === undefined ? {} : { tls },
      ));

  it("are rejected by their address alone, and for a second", () =>
    attacked(async ({ port, app, told }) => {
      const attackers = attack(port, 4, taken(900), false);
      await until(() => told.rejected.includes(429));
      await attackers.stop();
      const spent = performance.now();
      const elsewhere = opened(port, false, "127.0.0.2");
      elsewhere.on("error", () => undefined);
      elsewhere.write(Buffer.concat([greeting, headers(1, request("GET", "/canary"))]));
      const chunks: Buffer[] = [];
      elsewhere.on("data", (chunk: Buffer) => void chunks.push(chunk));
      await until(() => Buffer.concat(chunks).includes("alive"));
      elsewhere.destroy();
      while (!(await isServed(app.url))) assert.ok(performance.now() - spent < 20_000);
    }));

  it("get ENHANCE_YOUR_CALM, and cause one log line for each ended connection", () =>
    attacked(async ({ port, told }) => {
      const socket = opened(port, false);
      const chunks: Buffer[] = [];
      socket.on("error", () => undefined).resume();
      socket.write(taken(900));
      await until(() => told.handled >= 900);
      const second = opened(port, false);
      second.on("error", () => undefined).on("data", (chunk: Buffer) => void chunks.push(chunk));
      second.write(Buffer.concat([taken(900), headers(2_001, request("GET", "/hang"))]));
      await new Promise((resolve) => second.once("close", resolve));
      socket.destroy();
      const goaways = framesOf(Buffer.concat(chunks)).filter(({ type }) => type === 7);
      const codes = goaways.map(({ payload }) => payload.readUInt32BE(4));
      assert.deepEqual([codes, told.rejected], [[11], [429]]); // ENHANCE_YOUR_CALM
    }));

  it("are counted before their next request is read, however many send at the same time", () =>
    attacked(async ({ port, client, told }) => {
      const sockets = Array.from({ length: 200 }, () => opened(port, false));
      await Promise.all(sockets.map((socket) => once(socket.on("error", () => undefined).resume(), "connect")));
      await asked(client, 1); // By now all of them have been accepted.
      const bytes = taken(900);
      const startedAt = performance.now();
      for (const socket of sockets) socket.write(bytes);
      const left = (): number => sockets.filter((socket) => !socket.destroyed).length;
      await until(() => left() <= 10); // Those within the budget stay.
      const allowed = atMost((performance.now() - startedAt) / 1_000);
      assert.ok(told.handled <= allowed, `${told.handled} of ${200 * 900} were handled, ${allowed} may be`);
      for (const socket of sockets) socket.destroy();
    }));

  it("are counted when they drop a connection with its requests, which needs no other end", () =>
    attacked(async ({ port, app, told }) => {
      const hanging = Array.from({ length: 120 }, (_, at) => headers(2 * at + 1, request("GET", "/hang")));
      let isRejected = false;
      for (let round = 0; !isRejected; round += 1) {
        const socket = opened(port, false);
        socket.on("error", () => undefined).resume();
        const expected = told.hanging + hanging.length;
        socket.write(Buffer.concat([greeting, ...hanging]));
        await until(() => socket.destroyed || told.hanging === expected);
        isRejected = socket.destroyed;
        if (round % 2 === 0) socket.resetAndDestroy();
        else socket.destroy();
      }
      assert.deepEqual(told.rejected, []);
      while (!(await isServed(app.url)));
    }));

  it("are also counted for requests rejected before the app", () =>
    attacked(async ({ port, told }) => {
      const attackers = attack(port, 4, taken(900, "/caf\u00e9"), false);
      await until(() => told.rejected.includes(429));
      await attackers.stop();
    }));

  it("are served when the bound is removed", () =>
    attacked(
      async ({ port, told }) => {
        const attackers = attack(port, 4, taken(900), false);
        await until(() => told.handled >= 9_000);
        await attackers.stop();
        assert.deepEqual(told.rejected, []);
      },
      { resetsPerSecond: Number.POSITIVE_INFINITY },
    ));
});

describe("a client that cancels fewer requests than it completes", () => {
  it("keeps its connection, for any number of cancelled ones", () =>
    attacked(
      async ({ client, told }) => {
        for (let round = 0; round < 30; round += 1) {
          const requests = Array.from({ length: 20 }, (_, at) => ({ target: "/canary", at }));
          await Promise.all(
            requests.map(async ({ target, at }) => {
              if (at % 2 === 0) return overHttp2(client, { target });
              const stream = client.request({ ":path": target });
              stream.on("error", () => undefined).close(8);
              return new Promise((resolve) => stream.once("close", resolve));
            }),
          );
        }
        assert.deepEqual([client.closed, told.rejected], [false, []]);
      },
      { resetsPerSecond: 2 },
    ));

  it("is not charged for responses that the app cuts", () =>
    attacked(
      async ({ client, told }) => {
        for (let n = 0; n < 150; n += 1) assert.equal((await overHttp2(client, { target: "/torn" })).torn, true);
        assert.equal((await overHttp2(client, { target: "/canary" })).body, "alive");
        assert.deepEqual(told.rejected, []);
      },
      { resetsPerSecond: 1 },
    ));
});

describe("NodeHttp2Engine", () => {
  it("accepts a rate, and names the allowed ones", () => {
    for (const resetsPerSecond of [0, -1, Number.NaN])
      assert.throws(() => new NodeHttp2Engine(undefined, { resetsPerSecond }), /a number above 0 is allowed/);
    assert.equal(new NodeHttp2Engine(undefined, { resetsPerSecond: 0.5 }).name, "node-http2");
  });

  it("serves a thousand simultaneous clients", async () => {
    const { app } = created({ engine: new NodeHttp2Engine() });
    await app.get("/", () => "served").start(0);
    const sockets = Array.from({ length: 1_000 }, () => connect(app.port, "127.0.0.1"));
    const served = sockets.map(async (socket) => {
      const chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
      socket.write(Buffer.concat([greeting, headers(1, request("GET", "/"))]));
      await until(() => Buffer.concat(chunks).includes("served"));
      socket.destroy();
    });
    await Promise.all(served);
    await app.stop({ graceMs: 50 });
  });
});
