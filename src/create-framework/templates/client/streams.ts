// #part typed
/** An event of a documented stream, with its data parsed. */
export interface TypedEvent<Name extends string, Data> {
  readonly event: Name;
  readonly data: Data;
  /** The last id so far, empty without one. */
  readonly id: string;
}
// #part streams

/**
 * The items of a stream: `for await (const item of client.ticks())`. Leaving the loop ends the request.
 *
 * The loop throws a documented failure as FailedResponseError. `open()` returns it with its type.
 */
export interface Stream<Item, Result> extends AsyncIterable<Item> {
  /** The first response as a result. The body of a success is the stream, to be read once. */
  open(): Promise<Result>;
}

type StreamResult = Ok<number, AsyncIterable<unknown> | undefined> | Failed<number, unknown>;

function stream<Item, Result>(open: () => Promise<StreamResult>): Stream<Item, Result> {
  return {
    open: open as () => Promise<Result>,
    async *[Symbol.asyncIterator]() {
      const result = await open();
      yield* (unwrap(result) as AsyncIterable<Item> | undefined) ?? [];
    },
  };
}
// #part lines

/** The values of a stream of lines. It ends with the response. */
function lines<Item, Result>(options: ClientOptions, input: CallOptions | undefined, call: Call): Stream<Item, Result> {
  return stream(() => send<StreamResult>(options, input, call));
}
// #part events

/** The options of a call for events. */
export interface StreamOptions extends CallOptions {
  /**
   * Connects again after a broken connection and after the end of the response, with the last id. Default: true for a method that
   * is safe to repeat, else false.
   */
  readonly reconnect?: boolean | undefined;
  /** The id of the event after which the stream begins. */
  readonly lastEventId?: string | undefined;
}

/** The events of a stream, which goes on where it broke off (HTML, §9.2.2). */
function events<Item, Result>(options: ClientOptions, input: StreamOptions | undefined, call: Call): Stream<Item, Result> {
  return stream(async () => {
    const place: EventPlace = { id: input?.lastEventId ?? "", retryMs: 1000 };
    const connect = (): Promise<StreamResult> => {
      // A header consists of bytes.
      const last = String.fromCharCode(...new TextEncoder().encode(place.id));
      const headers = { Accept: "text/event-stream", ...call.headers, "Last-Event-ID": last === "" ? undefined : last };
      return send<StreamResult>(options, input, { ...call, headers, place });
    };
    const first = await connect();
    const isResumed = input?.reconnect ?? repeatable.includes(call.method);
    if (!first.ok || first.body === undefined || !isResumed) return first;
    return { ...first, body: resumed(first.body, connect, place, input?.signal) };
  });
}

/** The events of one response after the other. A 204 is the end. */
async function* resumed(
  first: AsyncIterable<unknown>,
  connect: () => Promise<StreamResult>,
  place: EventPlace,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  let current: AsyncIterable<unknown> | undefined = first;
  for (let failures = 0; ; failures += 1) {
    try {
      current ??= unwrap(await connect()) as AsyncIterable<unknown> | undefined;
      if (current === undefined) return;
      for await (const event of current) {
        failures = 0;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted || isFinal(error, current === undefined)) throw error;
    }
    current = undefined;
    await paused(growing(place.retryMs, failures), signal);
  }
}

/** Is it no error of the network, and no 429 or 503? While a response is read, any other error broke it off. */
function isFinal(error: unknown, isConnecting: boolean): boolean {
  if (error instanceof FailedResponseError) return ![429, 503].includes(error.result.status);
  if (error instanceof UnexpectedResponseError) return ![429, 503].includes(error.status);
  return isConnecting && !(error instanceof TypeError) && (error as Error).name !== "TimeoutError";
}
