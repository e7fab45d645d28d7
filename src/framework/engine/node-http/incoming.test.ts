/** Requests without the unread parts of a stream: the savings, and proof that a later read gets everything. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { describe, it } from "node:test";
import { ClientGoneError, ContentTooLargeError } from "../../internal/errors.ts";
import { announcesBody, incomingClass, upgradingClass, type Incoming } from "./incoming.ts";

type Serve = (req: Incoming, res: ServerResponse) => unknown;

const Request = incomingClass(IncomingMessage);
const head = (path: string, ...fields: string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: x", ...fields, "", ""].join("\r\n");
const empty = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** Runs `use` with a client of a server that responds like that. */
async function withServer(serve: Serve, use: (client: Socket) => Promise<void>): Promise<void> {
  const server = createServer({ IncomingMessage: Request as unknown as typeof IncomingMessage }, (req, res) => {
    const request = req as Incoming;
    if (!announcesBody(req)) request.skip();
    void serve(request, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  try {
    await use(client);
  } finally {
    client.destroy();
    server.close();
  }
}

/** The client's input until it contains `pattern`. */
async function reading(client: Socket, pattern: RegExp): Promise<string> {
  let text = "";
  while (!pattern.test(text)) text += String((await once(client, "data"))[0]);
  return text;
}

/** The outcome of the first request, which is `sent`. */
async function first<T>(sent: string, serve: (req: Incoming, res: ServerResponse) => T | Promise<T>): Promise<T> {
  const { promise, resolve, reject } = withResolvers<T>();
  await withServer(
    (req, res) =>
      Promise.resolve(serve(req, res))
        .then(resolve, reject)
        .finally(() => res.end()),
    async (client) => {
      client.write(sent);
      await promise.catch(() => undefined);
    },
  );
  return promise;
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

const textOf = async (bytes: Promise<Uint8Array> | undefined): Promise<string> =>
  Buffer.from((await bytes) ?? Buffer.from("in the stream")).toString();

describe("a request without a body", () => {
  it("is read to its end without any event", async () => {
    const told: unknown[] = [];
    const ended: boolean[] = [];
    await withServer(
      (req, res) => {
        const emit = req.emit.bind(req);
        req.emit = (event: string, ...values: unknown[]) => told.push(event) > 0 && emit(event, ...values);
        ended.push(req.readableEnded);
        res.end("response");
      },
      async (client) => {
        client.write(empty);
        await reading(client, /response/);
        client.write(empty);
        await reading(client, /response/);
      },
    );
    assert.deepEqual([told, ended], [[], [true, true]]);
  });

  for (const event of ["readable", "end", "close"])
    it(`emits its ${event} to a listener`, async () => {
      const { promise, resolve } = withResolvers<void>();
      await first(empty, (req) => void req.once(event, () => resolve()));
      await promise;
    });

  it("ends for a reader", async () => {
    const read = await first(empty, async (req) => {
      const chunks: unknown[] = [];
      for await (const chunk of req) chunks.push(chunk);
      return chunks;
    });
    assert.deepEqual(read, []);
  });

  it("ends for a reader that listens later", async () => {
    await first(empty, (req) => {
      assert.equal(req.read(), null);
      return once(req, "end");
    });
  });

  it("has nothing to collect", async () => {
    assert.equal(await first(empty, (req) => req.collect(5) === undefined), true);
  });

  for (const [how, hasEnded, ended] of [
    ["is not skipped twice when Node has ended it from the start", true, []],
    ["ends once for a reader", false, [null]],
  ] as const)
    it(how, () => {
      const pushed: unknown[] = [];
      class Base {
        get readableEnded(): boolean {
          return hasEnded;
        }
        push(chunk: unknown): boolean {
          return pushed.push(chunk) > 0;
        }
        read(): null {
          return null;
        }
      }
      const req = new (incomingClass(Base as never))(undefined as never);
      req.skip();
      if (!hasEnded) assert.deepEqual([req.push(null), req.readableEnded, pushed], [false, true, []]);
      assert.deepEqual([req.read(), req.read(), pushed], [null, null, ended]);
    });

  it("ends for a consumer of flowing data", async () => {
    await first(empty, (req) =>
      once(
        req.on("data", () => undefined),
        "end",
      ),
    );
  });
});

describe("collect", () => {
  it("gives a body of one piece", async () => {
    const text = await first(head("/", "Content-Length: 5") + "hello", (req) => textOf(req.collect(5)));
    assert.equal(text, "hello");
  });

  it("gives a body in chunks", async () => {
    const chunks = "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
    const text = await first(head("/", "Transfer-Encoding: chunked") + chunks, (req) => textOf(req.collect(5)));
    assert.equal(text, "hello");
  });

  it("gives nothing when there is nothing", async () => {
    assert.equal(await first(head("/", "Content-Length: 0"), (req) => textOf(req.collect(5))), "");
  });

  it("leaves the connection usable for the next request, and emits no end", async () => {
    const told: unknown[] = [];
    await withServer(
      async (req, res) => {
        req.once("end", () => told.push("end"));
        res.end(`<${await textOf(req.collect(9))}>`);
        assert.equal(req.readableEnded, true);
      },
      async (client) => {
        for (const text of ["one", "two"]) {
          client.write(head("/", "Content-Length: 3"));
          client.write(text);
          await reading(client, new RegExp(`<${text}>`));
        }
      },
    );
    assert.deepEqual(told, []);
  });

  it("rejects bytes over the limit, and leaves the rest in the stream", async () => {
    const chunks = "6\r\nsixsix\r\n4\r\nmore\r\n0\r\n\r\n";
    const rest = await first(head("/", "Transfer-Encoding: chunked") + chunks, async (req) => {
      await assert.rejects(req.collect(5) ?? Promise.resolve(), ContentTooLargeError);
      let text = "";
      for await (const chunk of req) text += String(chunk);
      return text;
    });
    assert.equal(rest, "sixsixmore");
  });

  it("rejects when the body breaks off", async () => {
    const { promise, resolve, reject } = withResolvers<unknown>();
    await withServer(
      (req) => void req.collect(9)?.then(resolve, reject),
      async (client) => {
        client.write(head("/", "Content-Length: 6") + "six");
        client.end();
        await promise.catch(() => undefined);
      },
    );
    await assert.rejects(promise, ClientGoneError);
  });

  it("leaves bytes alone that are in the stream already", async () => {
    const text = await first(head("/", "Content-Length: 5") + "hello", async (req) => {
      await once(req, "readable");
      assert.equal(req.collect(5), undefined);
      return String(req.read());
    });
    assert.equal(text, "hello");
  });

  it("leaves a stream alone that has ended already", async () => {
    const text = await first(head("/", "Content-Length: 0"), async (req) => {
      while (!req.complete) await new Promise(setImmediate);
      assert.equal(req.collect(5), undefined);
      await once(req.resume(), "end");
      return "ended";
    });
    assert.equal(text, "ended");
  });

  it("collects once", async () => {
    const again = await first(head("/", "Content-Length: 5") + "hello", async (req) => {
      await req.collect(5);
      return req.collect(5);
    });
    assert.equal(again, undefined);
  });
});

describe("breakOff", () => {
  const half = head("/", "Content-Length: 6") + "six";

  it("rejects a pending collect", async () => {
    const error = await first(half, (req) => {
      const body = req.collect(9);
      req.breakOff();
      return body?.catch((reason: unknown) => reason);
    });
    assert.ok(error instanceof ClientGoneError);
  });

  it("emits an error to listeners of the stream", async () => {
    const heard: unknown[] = [];
    await first(half, (req) => {
      req.once("error", (error) => heard.push(error));
      req.breakOff();
    });
    assert.deepEqual(
      heard.map((error) => error instanceof ClientGoneError),
      [true],
    );
  });

  it("has no effect when no code reads, with a body or without", async () => {
    for (const sent of [half, empty])
      assert.equal(
        await first(sent, (req) => {
          req.breakOff();
          return req.destroyed;
        }),
        false,
      );
  });
});

describe("a body with an aborted iteration", () => {
  it("may be aborted, although Node takes the socket away then", async () => {
    const socket = await first(head("/", "Content-Length: 6") + "six", async (req) => {
      for await (const chunk of req) {
        assert.equal(String(chunk), "six");
        break;
      }
      return req.socket;
    });
    assert.equal(socket, null);
  });
});

describe("the client of a request whose body was read", () => {
  const body = head("/", "Content-Length: 4") + "abcd";
  it("has not left when the stream of the body has ended", async () => {
    const left = await first(body, async (req) => {
      let count = 0;
      req.exchange = { leave: () => void (count += 1) };
      for await (const chunk of req) assert.equal(String(chunk), "abcd");
      if (!req.destroyed) await once(req, "close");
      return count;
    });
    assert.equal(left, 0);
  });

  it("has left when its connection is gone", async () => {
    const left = await first(head("/", "Content-Length: 9") + "abcd", async (req) => {
      let count = 0;
      req.exchange = { leave: () => void (count += 1) };
      req.on("error", () => undefined);
      req.socket.destroy();
      await new Promise((resolve) => req.once("close", resolve));
      return count;
    });
    assert.ok(left > 0);
  });
});

describe("a request on a server that takes upgrades", () => {
  it("WS-004: is an upgrade when Node says that it asks for one, and the server takes it", () => {
    let isTaken = true;
    const asked: unknown[] = [];
    class Base {
      readonly url: string = "/";
    }
    const Upgrading = upgradingClass(Base as never, (req) => (asked.push(req), isTaken)) as unknown as new () => {
      upgrade: unknown;
    };
    const req = new Upgrading();
    assert.ok(req instanceof Base);
    for (const said of [undefined, null, false, 1]) {
      req.upgrade = said;
      assert.equal(req.upgrade, false);
    }
    assert.deepEqual(asked, []);
    req.upgrade = true;
    assert.equal(req.upgrade, true);
    isTaken = false;
    assert.equal(req.upgrade, false);
    assert.deepEqual(asked, [req, req]);
  });
});
