/** The book of sockets: what it ends, what it forgets. */
import assert from "node:assert/strict";
import { Socket } from "node:net";
import { describe, it } from "node:test";
import { ConnectionTracker } from "./connection-tracker.ts";

/** Runs `use` with a book, and how many of its references are followed meanwhile. */
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
  it("ends each open socket once, however often it was noted", () => {
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

  it("forgets sockets that closed, and looks at each no more than twice", () => {
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
});
