/**
 * Incoming: Node's request without the unused parts of its stream.
 *
 *   no body     ──▶ ended from the start; its stream starts when it gets a reader or listener
 *   collect()   ──▶ the parser's chunks are kept as they come, no "data", no "end"
 *   all others  ──▶ a normal Readable
 *   destroy()   ──▶ with its connection gone: its exchange learns that the client has left
 *
 * Otherwise each request's stream is run to its end, even if it is empty, which is a twentieth of Node's time for a small
 * request. Newer Nodes skip this for requests without a body (`optimizeEmptyRequests`).
 *
 * It is the `IncomingMessage` option of `http.createServer`. It relies on the contract of streams, that an implementation
 * passes its chunks to `push`, and null at the end.
 *
 * Spec: spec/engines.md
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ClientGoneError } from "../../internal/errors.ts";
import { BodyCollection } from "../node-streams.ts";

/** A request on this server. */
export interface Incoming extends IncomingMessage {
  /** Called when the connection is gone before the response is over. */
  exchange: { leave(): void } | undefined;
  /** The response of a client that waits for 100 (Continue), which is sent when the body is read. */
  expecting: Pick<ServerResponse, "headersSent" | "writeContinue"> | undefined;
  /** Call it for a request that announces no body, before any read. */
  skip(): void;
  /**
   * The whole body, or undefined when it is in the stream already, or was read. Over the limit the rest stays there.
   *
   * @throws (rejects) ContentTooLargeError past `limit` bytes, ClientGoneError when it breaks off.
   */
  collect(limit: number): Promise<Uint8Array> | undefined;
  /** The rest of its body will never come, although its connection is open. A reader gets an error. */
  breakOff(): void;
}

/** The class of a server's requests. */
export type IncomingClass = new (socket: Socket) => Incoming;

/** The overridden part of Node's own class. Its types declare accessors as fields. */
interface Message {
  readonly readableEnded: boolean;
  push(chunk: Buffer | null, encoding?: BufferEncoding): boolean;
  destroy(error?: Error): unknown;
  read(size?: number): unknown;
  resume(): unknown;
}

type MessageClass = new (socket: Socket) => Message & Omit<IncomingMessage, keyof Message>;

/** Does its head announce a body (RFC 9112 §6.3), even an empty one? */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** The events of a stream's end. */
const watched = ["data", "readable", "end", "close"] as const;

/** Nothing to read, or nothing any more. */
const over = Symbol("over");

/** Requests that know when their connection is gone. */
function leavingClass(Base: MessageClass): MessageClass {
  return class extends Base {
    exchange: Incoming["exchange"] = undefined;

    /** Node calls this for each request without a response when its connection closes, and for each request that was read. */
    override destroy(error?: Error): unknown {
      const { socket } = this as { readonly socket: Socket | null }; // Gone when an iteration over the body was aborted.
      const destroyed = super.destroy(error);
      if (socket?.destroyed === true) this.exchange?.leave();
      return destroyed;
    }
  };
}

/** Requests that ask for their body with 100 (Continue) on the first read. */
function expectingClass(Base: MessageClass): MessageClass & (new (socket: Socket) => Pick<Incoming, "expecting">) {
  return class extends Base {
    expecting: Incoming["expecting"] = undefined;

    override resume(): unknown {
      this.#ask();
      return super.resume();
    }

    override read(size?: number): unknown {
      this.#ask();
      return super.read(size);
    }

    /** Not after the head of its response, when Node reads the rest. */
    #ask(): void {
      const { expecting } = this;
      if (expecting === undefined || expecting.headersSent) return;
      this.expecting = undefined;
      expecting.writeContinue();
    }
  };
}

/** Node's value: does the request ask for an upgrade? Kept under a symbol, because Node's own constructor sets it. */
const asks: unique symbol = Symbol("asks for an upgrade");

/**
 * Requests that are upgrades when `takes` agrees. When a server listens for upgrades, Node makes one of every request with an
 * `Upgrade` field and reads no body of it, but an `h2c` request is an ordinary one.
 */
export function upgradingClass(Base: MessageClass, takes: (req: IncomingMessage) => boolean): MessageClass {
  return class extends Base {
    [asks]: unknown;

    get upgrade(): boolean {
      return this[asks] === true && takes(this as unknown as IncomingMessage);
    }

    set upgrade(value: unknown) {
      this[asks] = value;
    }
  };
}

/** Is there nothing to come, and no listener for it? */
const isSpared = (
  req: Pick<IncomingMessage, "listenerCount">,
  body: BodyCollection | typeof over | undefined,
): boolean => body === over && watched.every((event) => req.listenerCount(event) === 0);

/** Is some of its body here already, or all? */
const hasBegun = (req: Pick<IncomingMessage, "complete" | "readableDidRead" | "readableLength">): boolean =>
  req.complete || req.readableDidRead || req.readableLength > 0;

/** Gives a reader of the body an error, because the rest will not come. */
function tellTorn(
  req: Pick<IncomingMessage, "listenerCount" | "emit">,
  body: BodyCollection | typeof over | undefined,
): void {
  if (body !== undefined && body !== over) body.breakOff();
  else if (req.listenerCount("error") > 0) req.emit("error", new ClientGoneError());
}

/** The class for a server of the module of `Base`. */
export function incomingClass(Base: MessageClass): IncomingClass {
  class IncomingRequest extends leavingClass(expectingClass(Base)) {
    #body: BodyCollection | typeof over | undefined;

    skip(): void {
      if (!this.readableEnded) this.#body = over;
    }

    collect(limit: number): Promise<Uint8Array> | undefined {
      if (this.#body !== undefined || hasBegun(this)) return undefined;
      this.read(0); // Reading has begun, so from now on chunks are pushed.
      return new Promise((resolve, reject) => {
        const body = (this.#body = new BodyCollection(limit, resolve, reject));
        this.on("close", () => body.breakOff());
      });
    }

    breakOff(): void {
      tellTorn(this, this.#body);
    }

    /** Nothing is left to read. */
    override get readableEnded(): boolean {
      return this.#body === over || super.readableEnded;
    }

    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      const body = this.#body;
      if (body === undefined) return super.push(chunk, encoding);
      if (body === over) return false;
      if (chunk !== null && body.add(chunk)) return true;
      if (chunk === null) body.end();
      this.#body = chunk === null ? over : undefined;
      return chunk !== null && super.push(chunk, encoding);
    }

    /** Node calls this after the response, or `read(0)`, so that nothing is left on the connection. */
    override resume(): unknown {
      if (isSpared(this, this.#body)) return this;
      this.#revive();
      return super.resume();
    }

    override read(size?: number): unknown {
      if (size === 0 && isSpared(this, this.#body)) return null;
      this.#revive();
      return super.read(size);
    }

    #revive(): void {
      if (this.#body !== over) return;
      this.#body = undefined;
      super.push(null);
    }
  }
  return IncomingRequest as unknown as IncomingClass;
}
