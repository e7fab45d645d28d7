/**
 * Several instances of an app after HAProxy, with one Redis or PostgreSQL: what works across them, and what is lost with one
 * of them.
 *
 *   client ──▶ HAProxy ──┬──▶ instance 1 ──┐
 *   client ──▶           └──▶ instance 2 ──┴──▶ redis-server │ postgres
 *
 * Missing programs are skipped with that reason.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { MemoryBroadcast, messagesOf, RedisBroadcast, type RedisPubSubClient } from "framework/broadcast";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { WebSocket } from "ws";
import { isPostgresMissing, startPostgres } from "../test/database-servers.ts";
import { isRedisMissing, startRedis } from "../test/redis-server.ts";
import { freePort } from "../test/free-port.ts";
import { isMissing, startProxy } from "./proxy-process.testkit.ts";

const until = async (ready: () => boolean): Promise<void> => {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 5));
};

interface Instance {
  readonly child: ChildProcess;
  readonly port: number;
  /** The reports of its broadcast. */
  readonly reports: string[];
}

/** The server that the instances share, and what it forgets when it is killed. */
interface Shared {
  readonly name: string;
  /** The arguments of an instance. */
  readonly args: readonly string[];
  readonly keepsSessions: boolean;
  kill(): Promise<void>;
  start(): Promise<void>;
}

const servers: readonly { readonly missing: string | false; start(t: TestContext): Promise<Shared> }[] = [
  {
    missing: isRedisMissing(),
    async start(t) {
      const { path, kill, start } = await startRedis(t);
      return { name: "Redis", args: ["redis", path], keepsSessions: false, kill, start };
    },
  },
  {
    missing: isPostgresMissing(),
    async start(t) {
      const { folder, kill, start } = await startPostgres(t);
      return { name: "PostgreSQL", args: ["postgres", folder], keepsSessions: true, kill, start };
    },
  },
];

/** An instance of the chat, for the duration of the test. */
async function startInstance(t: TestContext, shared: Shared): Promise<Instance> {
  const program = fileURLToPath(new URL("./chat-process.js", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=modules", program, ...shared.args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  const reports: string[] = [];
  const lines = createInterface(child.stdout);
  const [first] = (await once(lines, "line")) as [string];
  lines.on("line", (line) => void reports.push(line));
  return { child, port: Number(first.replace("port ", "")), reports };
}

const proxyConfig = (listen: number, ports: readonly number[]): string => `
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout tunnel 1h
  retries 2
  option redispatch
frontend web
  bind 127.0.0.1:${listen}
  default_backend app
backend app
  balance roundrobin
${ports.map((port, at) => `  server s${at} 127.0.0.1:${port} check inter 100ms fall 1`).join("\n")}
`;

/** A client in a room, with the process it is connected to. */
interface Guest {
  readonly socket: WebSocket;
  readonly pid: number;
  readonly texts: string[];
}

async function enter(port: number): Promise<Guest> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat/one`);
  const texts: string[] = [];
  socket.on("message", (data) => void texts.push(String(data)));
  socket.on("error", () => undefined);
  await until(() => texts.length > 0 || socket.readyState === socket.CLOSED);
  return { socket, pid: Number(texts.shift()), texts };
}

/** Two instances after HAProxy. Returns HAProxy's port. */
async function startBoth(t: TestContext, shared: Shared): Promise<{ instances: Instance[]; listen: number }> {
  const instances = await Promise.all([startInstance(t, shared), startInstance(t, shared)]);
  const listen = await freePort();
  const ports = instances.map(({ port }) => port);
  const isUp = async (): Promise<boolean> =>
    (await fetch(`http://127.0.0.1:${listen}/health`).catch(() => undefined))?.ok === true;
  await startProxy(t, "haproxy", () => proxyConfig(listen, ports), isUp);
  return { instances, listen };
}

/** A response as plain data. */
interface Asked {
  readonly status: number;
  readonly text: string;
  readonly cookie: string;
  readonly retryAfter: string | null;
}

async function asked(url: string, init: RequestInit = {}): Promise<Asked> {
  const response = await fetch(url, init);
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return {
    status: response.status,
    text: await response.text(),
    cookie,
    retryAfter: response.headers.get("retry-after"),
  };
}

/** Several requests, one after the other, which HAProxy distributes in turn. */
async function times(count: number, ask: () => Promise<Asked>): Promise<Asked[]> {
  const responses: Asked[] = [];
  for (let at = 0; at < count; at += 1) responses.push(await ask());
  return responses;
}

for (const server of servers)
  describe("past one machine", { skip: server.missing || isMissing("haproxy") }, () => {
    test("SESSION-017: sessions and a limit hold across both instances, and what is lost with one of them, and with the server, is what the guide says", async (t) => {
      const shared = await server.start(t);
      const { instances, listen } = await startBoth(t, shared);
      const url = `http://127.0.0.1:${listen}`;
      const users = ["ada", "grace", "mary", "joan"];
      const cookies = new Map<string, string>();
      for (const user of users) cookies.set(user, (await asked(`${url}/session/${user}`, { method: "POST" })).cookie);
      const me = (user: string) => asked(`${url}/session`, { headers: { cookie: cookies.get(user) ?? "" } });
      const known = async (): Promise<number> => {
        const found = await Promise.all(users.map(async (user) => (await me(user)).text.includes(`"user":"${user}"`)));
        return found.filter(Boolean).length;
      };
      const limited = () => asked(`${url}/limited`);
      const statuses = (responses: readonly Asked[]): number[] => responses.map(({ status }) => status);

      const seen = await times(6, () => me("ada"));
      const told = seen.map(({ text }) => JSON.parse(text) as { pid: number; user: string });
      assert.deepEqual(
        [new Set(told.map(({ user }) => user)), new Set(told.map(({ pid }) => pid)).size],
        [new Set(["ada"]), 2],
      );
      const tokens = await times(12, limited);
      assert.deepEqual(statuses(tokens), [...Array(10).fill(200), 429, 429]);
      assert.equal(new Set(tokens.slice(0, 10).map(({ text }) => text)).size, 2);

      // One instance dies: nothing on the server is lost, and the other serves everyone.
      const [victim, survivor] = instances;
      victim?.child.kill("SIGKILL");
      await until(() => victim?.child.signalCode !== null);
      assert.deepEqual([await known(), statuses(await times(4, limited))], [users.length, Array(4).fill(429)]);
      const pids = (await times(4, () => me("ada"))).map(({ text }) => (JSON.parse(text) as { pid: number }).pid);
      assert.deepEqual(new Set(pids), new Set([survivor?.child.pid]));

      // The server dies: a request with a session gets 503, one without is served, and the limit allows everything.
      await shared.kill();
      const without = await asked(`${url}/session`);
      const withSession = await me("ada");
      assert.deepEqual([withSession.status, withSession.retryAfter, without.status], [503, "5", 200]);
      assert.deepEqual(statuses(await times(4, limited)), Array(4).fill(200));

      // Redis restarts empty: every session is over. PostgreSQL has its sessions. The bucket is full again on both.
      await shared.start();
      while ((await me("ada")).status === 503) await new Promise((resolve) => setTimeout(resolve, 10));
      const kept = await known();
      const again = statuses(await times(12, limited));
      const forgotten = again.filter((status) => status === 200).length;
      t.diagnostic(
        `lost: 0 sessions with an instance; ${users.length - kept} of ${users.length} with what ${shared.name} held, and a limit`,
      );
      assert.deepEqual([kept, forgotten], [shared.keepsSessions ? users.length : 0, 10]);
    });

    test("a message reaches the clients of every instance, and an instance takes only its own clients with it", async (t) => {
      const shared = await server.start(t);
      const { instances, listen } = await startBoth(t, shared);
      const guests: Guest[] = [];
      for (let at = 0; at < 6; at += 1) guests.push(await enter(listen));
      t.after(() => guests.forEach(({ socket }) => socket.terminate()));
      const [first] = guests;
      assert.ok(first !== undefined);
      assert.equal(new Set(guests.map(({ pid }) => pid)).size, 2);

      first.socket.send("to all");
      await until(() => guests.every(({ texts }) => texts.length === 1));
      assert.deepEqual([...new Set(guests.flatMap(({ texts }) => texts))], ["to all"]);

      // One instance dies: its clients are cut, the others hear each other, and a client that reconnects is served.
      const victim = instances.find(({ child }) => child.pid !== first.pid);
      victim?.child.kill("SIGKILL");
      const cut = guests.filter(({ pid }) => pid !== first.pid);
      const rest = guests.filter(({ pid }) => pid === first.pid);
      await until(() => cut.every(({ socket }) => socket.readyState === socket.CLOSED));
      first.socket.send("to the rest");
      await until(() => rest.every(({ texts }) => texts.length === 2));
      const again = await enter(listen);
      guests.push(again);
      assert.deepEqual([again.pid, cut.map(({ texts }) => texts.length)], [first.pid, cut.map(() => 1)]);

      // The server dies: messages published in that time are reported as lost. Once it is back, everything continues.
      const survivor = instances.find(({ child }) => child.pid === first.pid);
      await shared.kill();
      for (const report of [`the connection to ${shared.name} is disturbed`, "the publishing connection is lost"])
        await until(() => survivor?.reports.includes(report) === true);
      first.socket.send("into the void");
      await until(() => first.texts.includes("not published"));
      await shared.start();
      let sent = 0;
      while (!again.texts.some((text) => text.startsWith("back"))) {
        first.socket.send(`back ${(sent += 1)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const lost = sent - again.texts.length;
      t.diagnostic(
        `lost: ${cut.length} connections with their instance, 1 message and ${lost} attempts while ${shared.name} was away`,
      );
      assert.deepEqual(
        again.texts.filter((text) => text === "into the void"),
        [],
      );
    });
  });

const clients: Readonly<Record<string, (path: string) => Promise<{ client: RedisPubSubClient; end(): unknown }>>> = {
  redis: async (path) => {
    const client = createClient({ socket: { path, reconnectStrategy: 10 } });
    client.on("error", () => undefined);
    await client.connect();
    return { client, end: () => client.destroy() };
  },
  ioredis: async (path) => {
    const client = new Redis(path, { retryStrategy: () => 10 });
    client.on("error", () => undefined);
    await once(client, "ready");
    return { client: client as RedisPubSubClient, end: () => client.disconnect() };
  },
};

/** Tries until it is accepted. An immediate rejection must not keep the connection from coming back. */
async function insist(attempt: () => Promise<boolean>): Promise<void> {
  while (!(await attempt())) await new Promise(setImmediate);
}

/** Is the publishing connection up? */
const isReady = (client: RedisPubSubClient): boolean =>
  Reflect.get(client, "isReady") === true || Reflect.get(client, "status") === "ready";

for (const [name, connect] of Object.entries(clients))
  describe(`RedisBroadcast over ${name}`, { skip: isRedisMissing() }, () => {
    test("reaches every process, leaves channels, and comes back after Redis was away", async (t) => {
      const redis = await startRedis(t);
      const reports: string[] = [];
      const onError = (what: string): void => void reports.push(what);
      const [here, there] = await Promise.all([connect(redis.path), connect(redis.path)]);
      const one = new RedisBroadcast({ client: here.client, onError });
      const two = new RedisBroadcast({ client: there.client, onError, whenDown: "drop" });
      t.after(async () => {
        await Promise.all([one.close(), two.close()]);
        here.end();
        there.end();
      });
      const heard: string[] = [];
      const leave = await one.subscribe("room", () => {
        throw new Error("a listener's own");
      });
      await one.subscribe("room", (text) => void heard.push(`one ${text}`));
      const leaveTwo = await two.subscribe("room", (text) => void heard.push(`two ${text}`));
      await two.publish("room", "ä");
      await two.publish("elsewhere", "nobody");
      await until(() => heard.length === 2);
      assert.deepEqual([heard.toSorted(), reports], [["one ä", "two ä"], ["a listener of room failed"]]);

      leave();
      leaveTwo();
      leaveTwo();
      const back = await two.subscribe("room", (text) => void heard.push(`again ${text}`));
      await one.publish("room", "b");
      await until(() => heard.length === 4);
      assert.deepEqual(heard.slice(2).toSorted(), ["again b", "one b"]);

      await redis.kill();
      await until(() => reports.includes("the connection to Redis is disturbed"));
      await assert.rejects(one.publish("room", "lost"), /Redis/);
      await two.publish("room", "dropped");
      await until(() => reports.includes("a text for room was dropped"));
      await redis.start();
      const send = setInterval(() => void one.publish("room", "c").catch(() => undefined), 10);
      await until(() => heard.includes("one c") && heard.includes("again c"));
      clearInterval(send);
      back();
      await one.close();
      await assert.rejects(
        one.subscribe("room", () => undefined),
        { message: "this RedisBroadcast is closed" },
      );
    });

    test("rejects a subscription that Redis does not accept in time, and accepts the next one", async (t) => {
      const redis = await startRedis(t);
      const { client, end } = await connect(redis.path);
      const broadcast = new RedisBroadcast({ client, timeoutMs: 100, onError: () => undefined });
      t.after(async () => {
        await broadcast.close();
        end();
      });
      const heard: string[] = [];
      const listen = (channel: string) => broadcast.subscribe(channel, (text) => void heard.push(text));
      await redis.kill();
      const rejected = await Promise.allSettled([listen("room"), listen("room"), listen("hall")]);
      const reasons = rejected.map((one) => (one.status === "rejected" ? String(one.reason) : "taken"));
      assert.equal(reasons[0], "Error: Redis could not be reached within 100 ms");
      assert.ok(!reasons.includes("taken"), reasons.join());
      await redis.start();
      // The connection for subscriptions is a second one, which comes back on its own schedule.
      await insist(() => listen("room").then(Boolean, () => false));
      // On a busy machine the 100 ms may be over for a subscription that Redis accepts.
      await insist(() =>
        broadcast.publish("room", "a").then(
          () => heard.length > 0,
          () => false,
        ),
      );
      await redis.kill();
      await until(() => !isReady(client));
      await assert.rejects(listen("hall"), /Redis/);
      assert.deepEqual([...new Set(heard)], ["a"]);
    });

    test("rejects, drops and continues in bounded time while Redis hangs, and recovers after it", async (t) => {
      const redis = await startRedis(t);
      const reports: string[] = [];
      const [here, there] = await Promise.all([connect(redis.path), connect(redis.path)]);
      const one = new RedisBroadcast({ client: here.client, timeoutMs: 500, onError: () => undefined });
      const two = new RedisBroadcast({
        client: there.client,
        timeoutMs: 500,
        whenDown: "drop",
        onError: (what) => void reports.push(what),
      });
      t.after(async () => {
        await Promise.all([one.close(), two.close()]);
        here.end();
        there.end();
      });
      const heard: string[] = [];
      await two.subscribe("room", (text) => void heard.push(text));
      redis.hang();
      await assert.rejects(one.publish("room", "late"), { message: "Redis did not reply to PUBLISH within 500 ms" });
      await two.publish("room", "late too");
      await assert.rejects(
        one.subscribe("hall", () => undefined),
        /within 500 ms/,
      );
      assert.deepEqual([reports, heard], [["a text for room was dropped"], []]);
      redis.resume();
      await insist(() =>
        one.publish("room", "again").then(
          () => heard.includes("again"),
          () => false,
        ),
      );
    });

    test("closes immediately while it cannot connect, and rejects a subscription that waits for that", async (t) => {
      const redis = await startRedis(t);
      const { client, end } = await connect(redis.path);
      t.after(end);
      await redis.kill();
      const broadcast = new RedisBroadcast({ client, onError: () => undefined });
      const waiting = broadcast.subscribe("room", () => undefined).catch(String);
      await new Promise(setImmediate);
      await broadcast.close();
      assert.match(String(await waiting), /Error: /);
    });
  });

describe("messagesOf", () => {
  test("yields the published messages, bounded, until the signal aborts", async () => {
    const broadcast = new MemoryBroadcast();
    const leaving = new AbortController();
    let dropped = 0;
    const messages = messagesOf(broadcast, "room", {
      signal: leaving.signal,
      limit: 2,
      dropped: (count) => (dropped = count),
    })[Symbol.asyncIterator]();
    const first = messages.next();
    await new Promise(setImmediate);
    for (const text of ["1", "2", "3", "4"]) void broadcast.publish("room", text);
    const got = [(await first).value, (await messages.next()).value];
    const last = messages.next();
    leaving.abort();
    assert.deepEqual([got, (await last).done, dropped], [["3", "4"], true, 2]);
    await broadcast.publish("room", "nobody listens");
    await broadcast.close();
  });

  test("names invalid options", () => {
    const broadcast = new MemoryBroadcast();
    const { signal } = new AbortController();
    assert.throws(() => messagesOf(broadcast, "room", { signal, limit: 0 }), { code: "BROADCAST_INVALID" });
    const client = { sendCommand: () => Promise.resolve(), duplicate: () => undefined };
    for (const options of [{ whenDown: "wait" }, { timeoutMs: 0 }])
      assert.throws(() => new RedisBroadcast({ client, ...(options as object) }), { code: "BROADCAST_INVALID" });
    assert.throws(() => new RedisBroadcast({ client: { sendCommand: client.sendCommand } as never }), {
      code: "REDIS_CLIENT",
    });
  });
});
