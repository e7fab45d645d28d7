// #part socket

export interface ClientOptions {
  /** The class of WebSockets. Default: the global one, which Node has since 22. */
  readonly WebSocket?: (new (url: string, protocols: string[]) => WebSocketLike) | undefined;
}

/** What a WebSocket of a service is called with. */
export interface SocketOptions {
  /** Closes the connection. The loop throws its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Connects again after a broken connection and a restart of the service (codes 1001, 1006, 1011 to 1014). Default: true */
  readonly reconnect?: boolean | undefined;
  /** The subprotocols to offer, for example one with a token, since a browser sends no headers. */
  readonly protocols?: readonly string[] | undefined;
}

/**
 * The messages of a WebSocket: `for await (const message of socket)`. Leaving the loop closes the connection.
 *
 * Up to 1,024 messages are kept for the loop. With more the connection is closed, and the loop throws after the last of them.
 */
export interface TypedSocket<Sent, Received> extends AsyncIterable<Received> {
  /** Resolves when the first connection is open. @throws SocketClosedError if there is none */
  readonly opened: Promise<void>;
  /**
   * Sends a message. Up to 256 messages wait for a connection. A message that was sent into a broken connection may be lost.
   *
   * @throws Error for more of them, and after the end
   */
  send(message: Sent): void;
  /** Closes the connection, by default with code 1000. The loop ends. */
  close(code?: number, reason?: string): void;
}

/** A WebSocket ended with a code other than 1000. */
export class SocketClosedError extends Error {
  override readonly name: string = "SocketClosedError";
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, options?: ErrorOptions) {
    super(`the WebSocket was closed with ${code}${reason === "" ? "" : `: ${reason}`}`, options);
    this.code = code;
    this.reason = reason;
  }
}

/** The part of a `WebSocket` that the client uses. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  addEventListener(type: string, listener: (event: object) => void): void;
  send(data: string | ArrayBuffer): void;
  close(code?: number, reason?: string): void;
}

interface SocketCall {
  readonly path: string;
  readonly query?: string;
  /** `json` or `raw`. */
  readonly sent: string;
  readonly received: string;
}

const [MAX_UNREAD, MAX_UNSENT, FIRST_ATTEMPTS] = [1024, 256, 3];
/** The service went away, or the connection broke (RFC 6455, §7.4, and the registry of IANA). */
const brokenCodes: readonly number[] = [1001, 1006, 1011, 1012, 1013, 1014];

/** The URL of a WebSocket. A relative one is based on the page. */
function socketUrl(options: ClientOptions, call: SocketCall): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const url = new URL(options.baseUrl.replace(/\/+$/, "") + call.path + (call.query ?? ""), location?.href);
  url.protocol = url.protocol.replace("http", "ws");
  return url.href;
}

class Socket<Sent, Received> implements TypedSocket<Sent, Received> {
  readonly opened: Promise<void>;
  readonly #options: ClientOptions;
  readonly #input: SocketOptions | undefined;
  readonly #call: SocketCall;
  readonly #unsent: (string | ArrayBuffer)[] = [];
  readonly #unread: Received[] = [];
  #socket: WebSocketLike | undefined;
  #end: { readonly error: unknown } | undefined;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wasOpen = false;
  #settle: (error?: unknown) => void = () => undefined;
  #wake: () => void = () => undefined;

  constructor(options: ClientOptions, input: SocketOptions | undefined, call: SocketCall) {
    this.#options = options;
    this.#input = input;
    this.#call = call;
    this.opened = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.opened.catch(() => undefined);
    if (input?.signal?.aborted) this.#aborted();
    else {
      input?.signal?.addEventListener("abort", this.#aborted);
      this.#connect();
    }
  }

  send(message: Sent): void {
    if (this.#end !== undefined) throw new Error("the WebSocket is closed");
    const data = this.#call.sent === "json" ? JSON.stringify(message) : (message as string | ArrayBuffer);
    if (this.#socket?.readyState === 1) return this.#socket.send(data);
    if (this.#unsent.length >= MAX_UNSENT) throw new Error(`${MAX_UNSENT} messages wait for a connection`);
    this.#unsent.push(data);
  }

  close(code = 1000, reason = ""): void {
    this.#finish(undefined, code, reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Received, void, undefined> {
    try {
      while (true) {
        while (this.#unread.length > 0) yield this.#unread.shift() as Received;
        if (this.#end?.error !== undefined) throw this.#end.error;
        if (this.#end !== undefined) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.close();
    }
  }

  readonly #aborted = (): void => this.#finish(this.#input?.signal?.reason ?? new Error("aborted"), 1000, "");

  #connect(): void {
    const { WebSocket: made = (globalThis as Pick<ClientOptions, "WebSocket">).WebSocket } = this.#options;
    if (made === undefined) throw new TypeError("there is no global WebSocket: pass one as the option WebSocket");
    const socket = new made(socketUrl(this.#options, this.#call), [...(this.#input?.protocols ?? [])]);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => this.#onOpen(socket));
    socket.addEventListener("message", (event) => this.#onMessage((event as { readonly data: unknown }).data));
    socket.addEventListener("close", (event) => this.#onClose(event as SocketClosedError));
    // `close` follows, and says more.
    socket.addEventListener("error", () => undefined);
    this.#socket = socket;
  }

  #onOpen(socket: WebSocketLike): void {
    this.#failures = 0;
    this.#wasOpen = true;
    this.#settle();
    for (const data of this.#unsent.splice(0)) socket.send(data);
  }

  #onMessage(data: unknown): void {
    if (this.#end !== undefined) return;
    if (this.#unread.length >= MAX_UNREAD)
      return this.#finish(new Error(`the loop left ${MAX_UNREAD} messages unread`), 4008, "messages are not read");
    try {
      const text = (): string => (typeof data === "string" ? data : new TextDecoder().decode(data as ArrayBuffer));
      this.#unread.push((this.#call.received === "json" ? JSON.parse(text()) : data) as Received);
      this.#wake();
    } catch (cause) {
      this.#finish(new TypeError(`${this.#call.path}: a message is no JSON`, { cause }), 4007, "no JSON");
    }
  }

  #onClose({ code, reason }: Pick<SocketClosedError, "code" | "reason">): void {
    if (this.#end !== undefined) return;
    this.#failures += 1;
    const isTried = this.#wasOpen || this.#failures < FIRST_ATTEMPTS;
    if (this.#input?.reconnect !== false && brokenCodes.includes(code) && isTried)
      this.#timer = setTimeout(() => this.#connect(), growing(250, this.#failures - 1));
    else this.#finish(code === 1000 || code === 1005 ? undefined : new SocketClosedError(code, reason), 1000, "");
  }

  #finish(error: unknown, code: number, reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    clearTimeout(this.#timer);
    this.#input?.signal?.removeEventListener("abort", this.#aborted);
    this.#settle(error ?? new SocketClosedError(1000, "closed before it was open"));
    if ((this.#socket?.readyState ?? 2) < 2) this.#socket?.close(code, reason);
    this.#wake();
  }
}
