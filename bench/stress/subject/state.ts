/**
 * What the subject tells about itself over the channel to its parent.
 */

/** The subject's state when it was asked. */
export interface SubjectState {
  /** Bytes of the heap in use, after two forced collections. */
  readonly heapBytes: number;
  /** Kinds of active resources with their number, the channel to the parent left out. */
  readonly handles: Readonly<Record<string, number>>;
  /** Listeners on the process, by event. */
  readonly listeners: Readonly<Record<string, number>>;
  /** Open connections. */
  readonly connections: number;
  /** Uncaught exceptions and unhandled rejections, as texts. */
  readonly unhandled: readonly string[];
  /** What the app logged as an error. */
  readonly errors: readonly string[];
  /** Requests that entered the app. */
  readonly entered: number;
  /** Access log lines. */
  readonly lines: number;
  /** Sum of all counts of the metrics. */
  readonly measured: number;
  /** Spans ended. */
  readonly spans: number;
  /** Requests that the parser refused; they leave a line and a metric, no span and no trace. */
  readonly refused: number;
  /** How often the check that hangs was started. */
  readonly hangingStarts: number;
  /** Longest delay of the event loop since the last question, milliseconds. */
  readonly loopDelayMs: number;
  /** Clients of `/events`. */
  readonly streams: number;
  /** Most bytes that were held for one of them. */
  readonly mostBuffered: number;
}

/** Compares what each observer saw of each request, by nonce. */
export interface Comparison {
  /** Seen by the app and not by log, span or trace. */
  readonly lost: number;
  /** Seen twice by one of them. */
  readonly repeated: number;
  /** A line or span whose request id is not its own path's. */
  readonly misattributed: number;
}

/** What the parent may ask. `traces` holds one byte for each nonce: how many traces of it came, as base64. */
export type Question = { readonly ask: "state" } | { readonly ask: "compare"; readonly traces: string };
