/**
 * One connection: passes its client's messages to the handlers one at a time.
 *
 *   opened ──▶ open ──▶ message, message … ──▶ close ──▶ over
 *                 └─ a handler still runs: new messages wait, and the client is not read
 *                       └─ more than maxQueuedBytes of them ──▶ closed with 1008
 *   a handler throws ──▶ logged ──▶ error ──▶ closed with 1011
 *   no byte since the last ping ──▶ cut        no message for idleMs, the app stops ──▶ closed with 1001
 *
 * The process survives any handler, and `over` is called once.
 *
 * Spec: spec/websocket.md
 */
import type { Duplex } from "node:stream";
import type { Context } from "../http/context.ts";
import type { SocketPeer } from "../http/native-socket.ts";
import type { ConnectionEvent, ReadMessage, UpgradedConnection } from "../http/upgrade.ts";
import { ignore, isThenable } from "../internal/thenable.ts";
import { isNative } from "./handover.ts";
import type { WebSocketOptions } from "./options.ts";
import { bytesIn, ServerWebSocket } from "./server-web-socket.ts";
import type { Settings } from "./settings.ts";
import { unref } from "../internal/timers.ts";
import { IdleTimer } from "./timers.ts";

/** The close code of a connection that ended without a close frame (RFC 6455 §7.1.5). */
const BROKEN_OFF = 1006;

/** Maximum finished entries before the list of tasks is compacted. */
const fewTasks = 1_024;

/** Messages that may wait, for any bound in bytes. */
const alwaysWait = 1_024;

/** The overhead of a waiting message, since its bytes may be none. */
const bytesBeside = 64;

type Handler = "open" | "message" | "close";

/** Input of a handler: the message, or how the connection was closed. */
interface Task extends ConnectionEvent {
  readonly event: Handler;
  /** Of a waiting message. */
  readonly bytes?: number | undefined;
  readonly run: () => unknown;
}

/** The parts of a connection. */
export interface ConnectionParts<Ctx extends Context> {
  readonly ctx: Ctx;
  readonly handlers: WebSocketOptions<Ctx>;
  readonly settings: Settings;
  readonly upgraded: UpgradedConnection;
}

/** One open WebSocket of one request. */
export class Connection<Ctx extends Context> {
  readonly #peer: SocketPeer;
  readonly #socket: ServerWebSocket;
  readonly #parts: ConnectionParts<Ctx>;
  #tasks: (Task | undefined)[] = [];
  /** Index of the next one, because removing the first would move all the others. */
  #at = 0;
  /** Bytes of the messages among them. */
  #queuedBytes = 0;
  /** Does the host speak the protocol? Then reading cannot be paused. */
  readonly #isNative: boolean;
  #isBusy = false;
  #isHeard = true;
  /** Returns the bytes received so far, if the connection counts them. */
  #counter: { readonly bytesRead: number } | undefined;
  #read = 0;
  #messages = 0;
  #pings: ReturnType<typeof setInterval> | undefined;
  #idle: IdleTimer | undefined;
  /** Set once the connection is closed. */
  #whenIdle: (() => void) | undefined;

  constructor(peer: SocketPeer, parts: ConnectionParts<Ctx>) {
    this.#peer = peer;
    this.#parts = parts;
    const { socket } = parts.upgraded;
    this.#isNative = isNative(socket);
    // An extension transforms every frame. Without one they go over the connection unchanged.
    const connection = !this.#isNative && peer.extensions === "" ? (socket as Duplex) : undefined;
    this.#socket = new ServerWebSocket(peer, parts.settings, connection, parts.upgraded.messages?.write);
  }

  /** Its name for observers of its work and in reports. */
  get #name(): string {
    const { ctx } = this.#parts;
    return `ws ${ctx.route ?? ctx.path}`;
  }

  /** Begins. From now on the peer's events come here. */
  begin(): void {
    const { ctx, handlers, upgraded } = this.#parts;
    const socket = this.#socket;
    this.#listen(upgraded.socket);
    this.#peer.on("message", (data, isBinary) => this.#received(data, isBinary));
    this.#peer.on("error", ignore); // A client that breaks the protocol. Its close code says how.
    this.#peer.on("close", (code, reason) => this.#closed(code, String(reason)));
    this.#startTimers();
    upgraded.onStop(() => socket.close(1001, "the server stops"));
    const { open } = handlers;
    if (open !== undefined) this.#take({ event: "open", run: () => open(socket, ctx) });
  }

  /**
   * Detects signs of life from the client. It counts bytes, not frames, because a long message may take longer than the time
   * between two pings.
   */
  #listen(socket: object): void {
    if (isCounting(socket)) return void (this.#counter = socket);
    const heard = (): void => void (this.#isHeard = true);
    if (!this.#isNative) return void (socket as Duplex).on("data", heard); // An HTTP/2 stream does not count.
    this.#peer.on("message", heard); // A host shows no bytes.
    this.#peer.on("ping", heard);
    this.#peer.on("pong", heard);
  }

  #startTimers(): void {
    const { pingMs, idleMs } = this.#parts.settings;
    if (pingMs > 0) this.#pings = unref(setInterval(() => this.#ping(), pingMs));
    if (idleMs > 0) this.#idle = new IdleTimer(idleMs, () => this.#wasIdle());
  }

  /** While a handler is busy the client is not read, so the absence of messages proves nothing. */
  #wasIdle(): void {
    if (this.#isBusy) this.#idle?.refresh();
    else this.#socket.close(1001, "nothing came");
  }

  /**
   * Cuts a client that sent nothing since the last ping. While it is not read, silence proves nothing, but the ping detects a
   * client that has left, because its system rejects it.
   */
  #ping(): void {
    const read = this.#counter?.bytesRead ?? 0;
    if (!this.#isHeard && read === this.#read && !this.#peer.isPaused) return this.#socket.terminate();
    this.#read = read;
    this.#isHeard = this.#peer.isPaused;
    if (this.#socket.isOpen) this.#peer.ping();
  }

  #received(data: unknown, isBinary: boolean): void {
    this.#idle?.refresh();
    if (this.#parts.handlers.message === undefined || this.#socket.isClosedHere) return;
    const received = isBinary ? bytesOf(data) : String(data);
    this.#messages += 1;
    const task: Task = { event: "message", data: received, run: () => this.#deliver(received) };
    const { maxMessageBytes } = this.#parts.settings;
    // `ws` enforces the message limit itself.
    if (this.#isNative && bytesIn(received) > maxMessageBytes) this.#socket.close(1009);
    else if (this.#isBusy) this.#queue(task, bytesIn(received));
    else this.#run(task);
  }

  /** Passes a message to the handler. One that the route's contract rejects closes the connection instead. */
  #deliver(received: string | Uint8Array): unknown {
    const read = this.#parts.upgraded.messages?.read;
    if (read === undefined) return this.#handle(received);
    const taken = (result: ReadMessage): unknown =>
      "value" in result ? this.#handle(result.value) : this.#socket.close(result.code, result.reason);
    const result = read(received);
    return isThenable(result) ? result.then(taken) : taken(result);
  }

  #handle(message: unknown): unknown {
    const { ctx, handlers } = this.#parts;
    return handlers.message?.(this.#socket, message as never, ctx);
  }

  /**
   * One read of a paused client may bring a thousand times its bytes when they are compressed, and some hosts continue to read.
   */
  #queue(task: Task, bytes: number): void {
    this.#queuedBytes += bytes;
    const { maxQueuedBytes } = this.#parts.settings;
    const isFew = this.#tasks.length - this.#at < Math.max(alwaysWait, maxQueuedBytes / bytesBeside);
    if (isFew && this.#queuedBytes <= maxQueuedBytes) return void this.#tasks.push({ ...task, bytes });
    this.#forget();
    this.#socket.close(1008, "too many messages while one is handled");
  }

  /** If the client did not respond to this side's close frame, the code of that frame counts. */
  #closed(received: number, reason: string): void {
    clearInterval(this.#pings);
    this.#idle?.stop();
    this.#idle = undefined;
    const { ctx, handlers, upgraded } = this.#parts;
    const { close } = handlers;
    upgraded.closed();
    const { protocol, isClosedHere, sentBytes } = this.#socket;
    const isBroken = received === BROKEN_OFF;
    const { sentCode } = this.#peer;
    const code = isBroken ? (sentCode ?? BROKEN_OFF) : received;
    const isClosedByServer = isClosedHere || (isBroken && sentCode !== undefined);
    const end = { code, reason, by: isClosedByServer ? "server" : "client" };
    ctx.annotations?.add("webSocket", { ...end, messages: this.#messages, sentBytes, protocol });
    if (close !== undefined)
      this.#take({ event: "close", data: end, run: () => close(this.#socket, code, reason, ctx) });
    this.#whenIdle = () => upgraded.over(this.#socket.sentBytes, isBroken);
    if (!this.#isBusy) this.#whenIdle();
  }

  /** Passes it on now, or after earlier work has settled. */
  #take(task: Task): void {
    this.#tasks.push(task);
    if (!this.#isBusy) this.#next();
  }

  #next(): void {
    while (!this.#isBusy) {
      const task = this.#tasks[this.#at];
      if (task === undefined) return this.#forget();
      this.#tasks[this.#at] = undefined;
      this.#at += 1;
      if (this.#at > fewTasks && 2 * this.#at > this.#tasks.length) {
        this.#tasks = this.#tasks.slice(this.#at);
        this.#at = 0;
      }
      this.#queuedBytes -= task.bytes ?? 0;
      // After this side has closed the socket, messages are dropped, but its end is passed on.
      if (task.event !== "message" || !this.#socket.isClosedHere) this.#run(task);
    }
  }

  #forget(): void {
    this.#tasks = [];
    this.#at = 0;
  }

  #run(task: Task): void {
    const { event } = task;
    const { upgraded } = this.#parts;
    let result: unknown;
    try {
      result = upgraded.run(`${this.#name} ${event}`, task.run, task);
    } catch (error) {
      return this.#failed(event, error);
    }
    if (isThenable(result)) this.#wait(event, result);
  }

  /** Passes nothing on until that has settled. */
  #wait(name: Handler, result: PromiseLike<unknown>): void {
    this.#isBusy = true;
    if (this.#socket.isOpen) this.#peer.pause();
    void Promise.resolve(result)
      .then(undefined, (error: unknown) => this.#failed(name, error))
      .then(() => {
        this.#isBusy = false;
        this.#next();
        if (this.#isBusy) return;
        this.#idle?.refresh();
        this.#peer.resume();
        this.#whenIdle?.();
      });
  }

  #failed(name: Handler | "error", error: unknown): void {
    const { ctx, handlers, upgraded } = this.#parts;
    upgraded.report(`${this.#name}: its ${name} handler failed`, error);
    this.#socket.close(1011);
    const onError = handlers.error;
    if (onError === undefined || name === "error") return;
    try {
      const run = (): unknown => onError(this.#socket, error, ctx);
      const told = upgraded.run(`${this.#name} error`, run, { event: "error", data: error });
      if (isThenable(told)) Promise.resolve(told).then(undefined, (late: unknown) => this.#failed("error", late));
    } catch (late) {
      this.#failed("error", late);
    }
  }
}

/** Does it count received bytes? */
const isCounting = (socket: object): socket is { readonly bytesRead: number } =>
  typeof Reflect.get(socket, "bytesRead") === "number";

/** A binary message as plain bytes, since `ws` may give it in pieces. */
function bytesOf(data: unknown): Uint8Array {
  if (Array.isArray(data)) return new Uint8Array(Buffer.concat(data as Uint8Array[]));
  if (!ArrayBuffer.isView(data)) return new Uint8Array(data as ArrayBuffer);
  return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
}
