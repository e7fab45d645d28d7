/** The list of sockets: which it ends and which it forgets. */
import assert from "node:assert/strict";
import { Socket } from "node:net";
import { describe, it } from "node:test";
import { ConnectionTracker, schemeOf, uncounted, type OpenExchange } from "./connection-tracker.ts";

/** A socket that records its calls. */
class Noting extends Socket {
  readonly done: unknown[] = [];
  override destroySoon(): void {
    this.done.push("destroySoon");
  }
  override setTimeout(ms: number): this {
    this.done.push(ms);
    return this;
  }
}

/** An exchange that records when its client leaves. */
const exchangeOf = (left: string[], name: string): OpenExchange => ({
  earlier: undefined,
  later: undefined,
  leave: () => void left.push(name),
});

/** Has `drained` settled by the next turn of the event loop? */
async function isDrained(tracker: ConnectionTracker): Promise<boolean> {
  let settled = false;
  void tracker.drained.then(() => (settled = true));
  await new Promise(setImmediate);
  return settled;
}

/** Runs `use` with a tracker, and counts the references followed. */
function following(use: (book: ConnectionTracker) => void): number {
  const Native = globalThis.WeakRef;
  let followed = 0;
  globalThis.WeakRef = class<T extends WeakKey> extends Native<T> {
    override deref(): T | undefined {
      followed += 1;
      return super.deref();
    }
  };
  try {
    use(new ConnectionTracker());
  } finally {
    globalThis.WeakRef = Native;
  }
  return followed;
}

describe("ConnectionTracker", () => {
  it("ends each open socket once, however often it was added", () => {
    const book = new ConnectionTracker();
    const ended: Socket[] = [];
    const sockets = Array.from({ length: 500 }, () => new Socket());
    for (const socket of sockets) {
      socket.destroySoon = () => void ended.push(socket);
      book.add(socket);
      book.add(socket);
    }
    const closed = sockets.filter((_, index) => index % 2 === 0);
    for (const socket of closed) socket.destroy();
    book.closeAll();
    assert.deepEqual(
      ended.map((socket) => sockets.indexOf(socket)),
      Array.from({ length: 250 }, (_, index) => 2 * index + 1),
    );
  });

  it("finds each exchange of a long pipeline directly, the oldest first, and none twice", () => {
    let looks = 0;
    const counting = (): OpenExchange => {
      let earlier: OpenExchange | undefined;
      return {
        get earlier() {
          looks += 1;
          return earlier;
        },
        set earlier(exchange) {
          earlier = exchange;
        },
        later: undefined,
        leave: () => undefined,
      };
    };
    const book = new ConnectionTracker();
    const socket = new Socket();
    const pipeline = Array.from({ length: 1_000 }, counting);
    for (const exchange of pipeline) book.open(socket, exchange);
    for (const exchange of pipeline) {
      book.close(socket, exchange);
      book.close(socket, exchange);
    }
    assert.equal(book.isIdle(socket), true);
    assert.ok(looks <= 4_000, `${looks} looks`);
  });

  it("forgets closed sockets, and looks at each no more than twice", () => {
    const count = 10_000;
    const fill = (book: ConnectionTracker, isOpen: (n: number) => boolean): void => {
      for (let n = 0; n < count; n += 1) {
        const socket = new Socket();
        book.add(socket);
        if (!isOpen(n)) socket.destroy();
      }
    };
    const looks = following((book) => fill(book, () => true));
    assert.ok(looks > 0 && looks <= 2 * count, `${looks} looks at ${count} open sockets`);
    const few = (n: number): boolean => n % 1_000 === 0;
    const before = following((book) => fill(book, few));
    const withEnd = following((book) => {
      fill(book, few);
      book.closeAll();
    });
    assert.ok(withEnd - before <= 128, `${withEnd - before} sockets kept, 10 of them open`);
  });

  it("is drained when no exchange is open, in any order of ends on one socket", async () => {
    const tracker = new ConnectionTracker();
    const left: string[] = [];
    const socket = new Noting();
    const [a, b, c] = ["a", "b", "c"].map((name) => exchangeOf(left, name));
    assert.ok(a !== undefined && b !== undefined && c !== undefined);
    tracker.add(socket);
    for (const exchange of [a, b, c]) tracker.open(socket, exchange);
    assert.deepEqual([[...tracker.on(socket)], tracker.isIdle(socket)], [[c, b, a], false]);
    tracker.close(socket, b);
    tracker.close(socket, b);
    assert.deepEqual([...tracker.on(socket)], [c, a]);
    tracker.drain();
    assert.deepEqual([tracker.draining, await isDrained(tracker)], [true, false]);
    assert.deepEqual([tracker.closesAfter(socket, a), tracker.closesAfter(socket, c)], [false, true]);
    tracker.close(socket, a);
    assert.equal(await isDrained(tracker), false);
    tracker.close(socket, c);
    assert.deepEqual([await isDrained(tracker), tracker.isIdle(socket), left], [true, true, []]);
    const idle = new ConnectionTracker();
    idle.open(socket, a);
    idle.close(socket, a);
    assert.equal(await isDrained(idle), false);
    idle.drain();
    assert.equal(await isDrained(idle), true);
  });

  it("closes a draining connection only after the newest of three exchanges", () => {
    const tracker = new ConnectionTracker();
    const socket = new Noting();
    const exchanges = ["a", "b", "c"].map((name) => exchangeOf([], name));
    tracker.add(socket);
    for (const exchange of exchanges) tracker.open(socket, exchange);
    tracker.drain();
    assert.deepEqual(
      exchanges.map((exchange) => tracker.closesAfter(socket, exchange)),
      [false, false, true],
    );
  });

  it("ends idle sockets that have sent all bytes, cuts the others, and leaves handed-off ones to their owners", () => {
    const tracker = new ConnectionTracker();
    const left: string[] = [];
    const [idle, busy, other] = [new Noting(), new Noting(), new Noting()];
    for (const socket of [idle, busy, other]) tracker.add(socket);
    tracker.handOff(other);
    tracker.open(busy, exchangeOf(left, "first"));
    tracker.open(busy, exchangeOf(left, "second"));
    tracker.closeAll();
    assert.deepEqual([idle.done, idle.destroyed], [["destroySoon"], false]);
    assert.deepEqual([busy.done, busy.destroyed, left], [[], true, ["second", "first"]]);
    assert.deepEqual([other.done, other.destroyed], [[], false]);
  });

  it("cuts sockets that are still open after a quarter of a second", ({ mock }) => {
    const late: (() => void)[] = [];
    const unref = mock.fn();
    mock.method(globalThis, "setTimeout", (run: () => void, ms: number) => {
      assert.equal(ms, 250);
      late.push(run);
      return { unref };
    });
    const tracker = new ConnectionTracker();
    const socket = new Noting();
    tracker.add(socket);
    tracker.closeAll();
    assert.deepEqual([late.length, unref.mock.callCount(), socket.destroyed], [1, 1, false]);
    for (const run of late) run();
    assert.equal(socket.destroyed, true);
  });

  it("closes a socket when no exchange is open on it, immediately if there is none, and for the first reason", () => {
    const tracker = new ConnectionTracker(70);
    const log: string[] = [];
    const closing = (name: string, isAnnounced: boolean) => ({ whenIdle: () => void log.push(name), isAnnounced });
    const idle = new Noting();
    tracker.closeAfterResponse(idle, closing("idle", true));
    assert.deepEqual([log, idle.done, tracker.isClosing(idle)], [["idle"], [70], true]);
    const [announced, silent, ended] = [new Noting(), new Noting(), new Noting()];
    const exchange = exchangeOf(log, "left");
    const earlier = exchangeOf(log, "left");
    for (const socket of [announced, silent, ended]) {
      assert.deepEqual([tracker.isClosing(socket), tracker.closesAfter(socket, exchange)], [false, false]);
      tracker.open(socket, earlier);
      tracker.open(socket, exchange);
    }
    tracker.closeAfterResponse(announced, closing("announced", true));
    tracker.closeAfterResponse(announced, closing("again", false));
    tracker.closeAfterResponse(silent, closing("silent", false));
    tracker.finish(ended);
    assert.equal(tracker.isClosing(ended), true);
    assert.deepEqual(
      [announced, silent, ended].map((socket) => tracker.closesAfter(socket, exchange)),
      [true, false, false],
    );
    assert.equal(tracker.closesAfter(announced, earlier), false);
    assert.deepEqual([log, announced.done], [["idle"], [70]]);
    for (const socket of [announced, silent, ended]) tracker.close(socket, exchange);
    assert.deepEqual(log, ["idle"]);
    for (const socket of [announced, silent, ended]) tracker.close(socket, earlier);
    assert.deepEqual(log, ["idle", "announced", "silent"]);
    const destroyed = new Noting();
    tracker.open(destroyed, exchange);
    tracker.closeAfterResponse(destroyed, closing("destroyed", true));
    destroyed.destroy();
    tracker.close(destroyed, exchange);
    assert.equal(log.length, 3);
  });

  it("sets no timeout when its caller does", () => {
    const socket = new Noting();
    new ConnectionTracker().guard(socket);
    new ConnectionTracker(0).guard(socket);
    assert.deepEqual(socket.done, []);
    new ConnectionTracker(1).guard(socket);
    assert.deepEqual(socket.done, [1]);
  });
});

describe("uncounted", () => {
  it("keeps no exchange of a host, and closes none of its connections", () => {
    const socket = new Noting();
    const exchange = exchangeOf([], "a");
    for (const act of ["open", "close"] as const) uncounted[act](socket, exchange);
    for (const act of ["finish", "guard"] as const) uncounted[act](socket);
    assert.deepEqual([uncounted.closesAfter(socket, exchange), socket.done, socket.destroyed], [false, [], false]);
  });
});

describe("schemeOf", () => {
  it("is https when the connection is encrypted", () => {
    assert.deepEqual(
      [schemeOf(new Socket()), schemeOf(Object.assign(new Socket(), { encrypted: true }))],
      ["http", "https"],
    );
  });
});
