/**
 * Tests framework/bun and framework/deno, each on its runtime if that is installed: requests, WebSockets and the stop.
 *
 *   served.mjs ──▶ bun · deno ──▶ "listening <port>" ──▶ fetch, ws ──▶ SIGTERM ──▶ "over"
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { locateRuntime } from "../test/environment.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A started runtime and its output. */
class Served {
  readonly lines: string[] = [];
  readonly child: ChildProcess;
  #port = 0;
  readonly #until = performance.now() + 15_000;

  constructor(binary: string, args: readonly string[], port = 0) {
    this.child = spawn(binary, [...args, "conformance/runtimes/served.mjs"], {
      cwd: root,
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      if (stream) createInterface(stream).on("line", (line) => void this.lines.push(line));
  }

  async listening(): Promise<this> {
    this.#port = Number(await this.printed(/^listening (\d+)$/));
    return this;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** The first group of the matching line, as soon as it appears. */
  async printed(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.lines.map((line) => pattern.exec(line)).find((match) => match !== null);
      if (found !== undefined) return found[1] ?? found[0];
      if (performance.now() > this.#until || this.child.exitCode !== null)
        throw new Error(`ended with ${this.child.exitCode}: ${this.lines.join("\n")}`);
      await tick();
    }
  }

  async text(path: string, init: RequestInit = {}): Promise<string> {
    return (await fetch(this.origin + path, init)).text();
  }

  /** The app's notes, as soon as there are `count`. */
  async told(count: number): Promise<readonly string[]> {
    for (;;) {
      const told = JSON.parse(await this.text("/told")) as string[];
      if (told.length >= count) return told.splice(0);
      await tick();
    }
  }

  async open(
    path: string,
    protocols: string[] = [],
  ): Promise<{ socket: WebSocket; got: (n: number) => Promise<unknown[]> }> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.#port}${path}`, protocols);
    const messages: unknown[] = [];
    socket.on("message", (data, isBinary) => void messages.push(isBinary ? data : String(data)));
    await once(socket, "open");
    const got = async (n: number): Promise<unknown[]> => {
      while (messages.length < n) await tick();
      return messages;
    };
    return { socket, got };
  }
}

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const runtimes = {
  bun: ["run"],
  deno: ["run", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-sys"],
};

for (const [name, args] of Object.entries(runtimes)) {
  const { binary, missing } = locateRuntime(name);
  describe(`framework/${name}`, { skip: missing ?? false, timeout: 20_000 }, () => {
    let served: Served;
    before(async () => void (served = await new Served(binary ?? "", args).listening()));
    after(() => void served.child.kill("SIGKILL"));

    test("sends the app's responses, and knows its peer", async () => {
      const response = await fetch(`${served.origin}/hello/you`);
      const seen = [response.status, response.headers.get("x-through"), await response.text()];
      assert.deepEqual(seen, [200, "yes", "Hello, you!"]);
      assert.equal(await served.text("/peer"), '{"peer":"127.0.0.1"}');
      const headers = { "Content-Type": "application/json" };
      assert.equal(await served.text("/search", { method: "QUERY", headers, body: '{"q":1}' }), '{"found":{"q":1}}');
      assert.equal(await served.text("/events"), "event: hello\ndata: one\n\n");
      assert.equal((await fetch(`${served.origin}/none`, { method: "POST" })).status, 404);
      assert.equal((await fetch(`${served.origin}/ws/x`)).status, 426);
    });

    test("reports in a sentence that its port is in use", async () => {
      const second = new Served(binary ?? "", args, served.port);
      try {
        await second.printed(/127\.0\.0\.1:\d+ is in use: stop what listens there/);
      } finally {
        second.child.kill("SIGKILL");
      }
    });

    test("rejects a request without a Host", async () => {
      const socket = connect(served.port, "127.0.0.1");
      socket.write("GET /hello/you HTTP/1.1\r\nConnection: close\r\n\r\n");
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 400 /);
    });

    test("notices a client that leaves while its handler is pending", async () => {
      const noted = (await served.told(0)).length;
      for (const path of ["/held", "/signal"]) {
        const leaving = new AbortController();
        const asked = fetch(served.origin + path, { signal: leaving.signal }).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 60));
        leaving.abort();
        await asked;
      }
      const told = await served.told(noted + 2);
      assert.deepEqual(told.slice(noted).toSorted(), ["/held 499 true", "/signal 499 true"]);
    });

    test("supports the whole WebSocket contract of the handlers", async () => {
      const { socket, got } = await served.open("/ws/ada", ["other", "chat"]);
      assert.equal(socket.protocol, "chat");
      for (const message of ["slow", "quick", Buffer.from([1, 2]), "ä"]) socket.send(message);
      const expected = ["hello ada from 127.0.0.1", "slow", "quick", Buffer.from([1, 2]), "ä"];
      assert.deepEqual(await got(5), expected);
      const noted = (await served.told(0)).length;
      socket.send("close");
      const [code, reason] = (await once(socket, "close")) as [number, Buffer];
      assert.deepEqual([code, String(reason)], [3001, "asked to"]);
      assert.deepEqual((await served.told(noted + 1)).slice(noted), ["closed 3001"]);
    });

    test("sends the app's headers with the 101", async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${served.port}/ws/ada`);
      const [response] = (await once(socket, "upgrade")) as [{ headers: Record<string, string> }];
      assert.equal(response.headers["x-through"], "yes");
      socket.terminate();
    });

    test("closes with 1011 when a handler throws, and with 1009 on a message that is too long", async () => {
      const codes: number[] = [];
      for (const message of ["throw", "x".repeat(1_001)]) {
        const { socket } = await served.open("/ws/ada");
        socket.send(message);
        codes.push(((await once(socket, "close")) as [number])[0]);
      }
      assert.deepEqual(codes, [1011, 1009]);
      await served.printed(/its message handler failed/);
    });

    test("reports when a client is slow, and when it no longer is", async () => {
      const { socket, got } = await served.open("/ws/ada");
      await got(1);
      socket.send("fill");
      socket.pause();
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.resume();
      let last: unknown;
      for (let n = 2; typeof last !== "string"; n += 1) last = (await got(n))[n - 1];
      assert.equal(last, '{"wasSlow":true,"isDrained":true}');
      socket.close();
      await once(socket, "close");
    });

    test("closes a socket with 1008 when too many messages wait for its handler", async () => {
      const { socket } = await served.open("/narrow");
      for (const message of ["taken", "waits for that", "and is too much"]) socket.send(message);
      const [code] = (await once(socket, "close")) as [number];
      assert.equal(code, 1008);
    });

    test("finishes requests in flight on stop, and closes sockets with 1001", async () => {
      const { socket } = await served.open("/ws/ada");
      const held = served.text("/held");
      const closed = once(socket, "close");
      await new Promise((resolve) => setTimeout(resolve, 30));
      served.child.kill("SIGTERM");
      assert.equal(((await closed) as [number])[0], 1001);
      assert.equal(await held, "released");
      await served.printed(/^over$/);
      assert.deepEqual(
        served.lines.filter((line) => line === "stopped" || line === "over"),
        ["stopped", "over"],
      );
      if (served.child.exitCode === null) await once(served.child, "exit");
      assert.equal(served.child.exitCode, 0);
    });
  });
}
