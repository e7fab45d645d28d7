/**
 * Incoming: Node's request without those parts of a stream that nobody watches.
 *
 *   no body     ──▶ ended from the start; its stream comes to life when somebody reads or listens
 *   collect()   ──▶ what the parser pushes is kept as it comes, no "data", no "end"
 *   all others  ──▶ a Readable as ever
 *   destroy()   ──▶ with its connection gone: its exchange learns that the client has left
 *
 * Each request's stream is otherwise run to its end, whether or not there was anything in it: a twentieth of what Node
 * needs for a small request. Newer Nodes spare requests without a body themselves (`optimizeEmptyRequests`).
 *
 * It is the `IncomingMessage` option of `http.createServer`, and relies on what streams promise: an implementation
 * hands its chunks to `push`, and null at the end.
 *
 * Spec: spec/engines.md
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ClientGoneError } from "../../internal/errors.ts";
import { BodyCollection } from "../node-streams.ts";

/** A request on this server. */
export interface Incoming extends IncomingMessage {
  /** Told when the connection is gone before the response is over. */
  exchange: { leave(): void } | undefined;
  /** The response of a client that waits for 100 (Continue): it is sent when somebody wants the body. */
  expecting: Pick<ServerResponse, "headersSent" | "writeContinue"> | undefined;
  /** To be said of a request that announces no body, before anybody reads. */
  skip(): void;
  /**
   * The whole body; undefined when it is in the stream already, or was read. Over the limit the rest stays there.
   *
   * @throws (rejects) ContentTooLargeError past `limit` bytes, ClientGoneError when it breaks off.
   */
  collect(limit: number): Promise<Uint8Array> | undefined;
  /** The rest of its body will never come, although its connection is open: whoever reads it learns so. */
  breakOff(): void;
}

/** What a server makes its requests of. */
export type IncomingClass = new (socket: Socket) => Incoming;

/** Node's own class, as far as it is overridden. What its types call fields are accessors. */
interface Message {
  readonly readableEnded: boolean;
  push(chunk: Buffer | null, encoding?: BufferEncoding): boolean;
  destroy(error?: Error): unknown;
  read(size?: number): unknown;
  resume(): unknown;
}

type MessageClass = new (socket: Socket) => Message & Omit<IncomingMessage, keyof Message>;

/** Does its head announce a body (RFC 9112 §6.3), be it one of no bytes? */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** What a stream tells of its end by. */
const watched = ["data", "readable", "end", "close"] as const;

/** Nothing to read, or nothing any more. */
const over = Symbol("over");

/** Requests that know when their connection is gone. */
function leavingClass(Base: MessageClass): MessageClass {
  return class extends Base {
    exchange: Incoming["exchange"] = undefined;

    /** Node calls this for each request without a response when its connection closes, and for each that was read. */
    override destroy(error?: Error): unknown {
      const { socket } = this as { readonly socket: Socket | null }; // Gone where an iteration over the body broke off.
      const destroyed = super.destroy(error);
      if (socket?.destroyed === true) this.exchange?.leave();
      return destroyed;
    }
  };
}

/** Requests that ask for their body with 100 (Continue) once somebody reads it. */
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

    /** Not behind the head of its response, when Node reads what is left. */
    #ask(): void {
      const { expecting } = this;
      if (expecting === undefined || expecting.headersSent) return;
      this.expecting = undefined;
      expecting.writeContinue();
    }
  };
}

/** What Node has said of a request: does it ask for an upgrade? Kept by a symbol: Node's own constructor sets it. */
const asks: unique symbol = Symbol("asks for an upgrade");

/**
 * Requests that are upgrades where `takes` says so. Node makes one of every request with an `Upgrade` field once a server
 * has a listener for them, and reads no body of such a request; whoever asks for `h2c` means an ordinary one.
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

/** Is there nothing to come, and nobody who would hear of it? */
const isSpared = (
  req: Pick<IncomingMessage, "listenerCount">,
  body: BodyCollection | typeof over | undefined,
): boolean => body === over && watched.every((event) => req.listenerCount(event) === 0);

/** Is some of its body here already, or all? */
const hasBegun = (req: Pick<IncomingMessage, "complete" | "readableDidRead" | "readableLength">): boolean =>
  req.complete || req.readableDidRead || req.readableLength > 0;

/** Tells whoever reads the body that the rest of it will not come. */
function tellTorn(
  req: Pick<IncomingMessage, "listenerCount" | "emit">,
  body: BodyCollection | typeof over | undefined,
): void {
  if (body !== undefined && body !== over) body.breakOff();
  else if (req.listenerCount("error") > 0) req.emit("error", new ClientGoneError());
}

/** The class for a server of the module that `Base` is of. */
export function incomingClass(Base: MessageClass): IncomingClass {
  class IncomingRequest extends leavingClass(expectingClass(Base)) {
    #body: BodyCollection | typeof over | undefined;

    skip(): void {
      if (!this.readableEnded) this.#body = over;
    }

    collect(limit: number): Promise<Uint8Array> | undefined {
      if (this.#body !== undefined || hasBegun(this)) return undefined;
      this.read(0); // Reading has begun: from now on it is pushed.
      return new Promise((resolve, reject) => {
        const body = (this.#body = new BodyCollection(limit, resolve, reject));
        this.on("close", () => body.breakOff());
      });
    }

    breakOff(): void {
      tellTorn(this, this.#body);
    }

    /** Nothing is left to be read. */
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
