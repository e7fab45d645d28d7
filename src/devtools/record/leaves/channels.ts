/**
 * Channels: what libraries, the runtime and the application publish on `node:diagnostics_channel`, as leaves.
 *
 *   tracing:<name>:start ──▶ begin      end with a result, asyncStart ──▶ end      (a context object says which)
 *   <name> ──▶ add
 *
 * What a subscriber throws Node throws again where nobody catches it: none of these throws. Nothing is subscribed to
 * before `open` and after `close`.
 *
 * Spec: spec/leaves.md
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { privateSlot } from "../private-slot.ts";
import type { LeafChannel } from "./descriptions.ts";
import type { Leaves, OpenLeaf } from "./leaves.ts";

/** What is published on a channel: nothing is known of its members. */
export type Message = Readonly<Record<string, unknown>>;

/** Subscribes to what it takes. */
export type Source = (hub: ChannelHub, leaves: Leaves) => void;

/** What is subscribed to, and the way back. */
export class ChannelHub {
  readonly #undo: (() => void)[] = [];
  readonly #fault: (source: string, error: unknown) => void;

  /** @param fault hears of what a listener throws */
  constructor(fault: (source: string, error: unknown) => void) {
    this.#fault = fault;
  }

  /** Hears of each message; what the listener throws stays here. */
  on(name: string, listener: (message: unknown) => void): void {
    const guarded = (message: unknown): void => {
      try {
        listener(message);
      } catch (error) {
        this.#fault(name, error);
      }
    };
    // Before it is subscribed to, so that half a subscription is undone as well.
    this.#undo.push(() => unsubscribe(name, guarded));
    subscribe(name, guarded);
  }

  /** Calls this when it is closed. */
  onClose(undo: () => void): void {
    this.#undo.push(undo);
  }

  close(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }
}

/** A channel, plain or tracing, as a source. */
export const channelSource =
  ({ channel, kind, describe }: LeafChannel): Source =>
  (hub, leaves) => {
    hub.on(channel, (message) => leaves.add(channel, kind, () => describe(message)));
    onTracing(hub, channel, {
      begin: (message) => leaves.begin(channel, kind, () => describe(message)),
      end: (open, message) => leaves.end(open, () => describe(message), failureOf(message)),
    });
  };

/** What is done at the two ends of what a tracing channel tells of. */
export interface Tracing {
  begin(message: object): OpenLeaf | undefined;
  end(open: OpenLeaf, message: object): void;
}

/** Hears of the beginning and the end of what a tracing channel traces. */
export function onTracing(hub: ChannelHub, name: string, { begin, end }: Tracing): void {
  const open = new OpenLeaves();
  const finish = (message: object): void => {
    const leaf = open.take(message);
    if (leaf !== undefined) end(leaf, message);
  };
  hub.on(`tracing:${name}:start`, (message) => {
    const leaf = isObject(message) ? begin(message) : undefined;
    if (leaf !== undefined && isObject(message)) open.put(message, leaf);
  });
  // The synchronous part is over: with a result or an error, so is the whole.
  hub.on(`tracing:${name}:end`, (message) => {
    if (isObject(message) && ("result" in message || "error" in message)) finish(message);
  });
  hub.on(`tracing:${name}:asyncStart`, (message) => {
    if (isObject(message)) finish(message);
  });
  hub.onClose(() => open.forget());
}

/** Leaves by the messages that they began with. The one that began last, which most ends are of, is not put on its message. */
class OpenLeaves {
  readonly #others = privateSlot<OpenLeaf | undefined>();
  #message: object | undefined;
  #leaf: OpenLeaf | undefined;

  put(message: object, leaf: OpenLeaf): void {
    if (this.#message !== undefined) this.#others.set(this.#message, this.#leaf);
    this.#message = message;
    this.#leaf = leaf;
  }

  /** The leaf, once. */
  take(message: object): OpenLeaf | undefined {
    if (message !== this.#message) {
      const other = this.#others.get(message);
      if (other !== undefined) this.#others.set(message, undefined);
      return other;
    }
    const leaf = this.#leaf;
    this.forget();
    return leaf;
  }

  /** Forgets the one that began last. */
  forget(): void {
    this.#message = undefined;
    this.#leaf = undefined;
  }
}

/** What a tracing channel's object says that it failed with. */
export function failureOf(message: unknown): { readonly error: unknown } | undefined {
  const error = isObject(message) ? Object.getOwnPropertyDescriptor(message, "error")?.value : undefined;
  return error === undefined ? undefined : { error };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
