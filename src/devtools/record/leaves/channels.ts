/**
 * Channels: messages of libraries, the runtime and the application on `node:diagnostics_channel`, as leaves.
 *
 *   tracing:<name>:start ──▶ begin      end with a result, asyncStart ──▶ end      (a context object says which)
 *   <name> ──▶ add
 *
 * Node rethrows a subscriber's error as an uncaught exception, so none of these throws. Nothing is subscribed
 * before `open` and after `close`.
 *
 * Spec: spec/leaves.md
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { LeafKind } from "../../run/shapes.ts";
import { privateSlot } from "../private-slot.ts";
import type { LeafChannel } from "./descriptions.ts";
import type { Leaves, OpenLeaf } from "./leaves.ts";

/** A message of a channel with unknown members. */
export type Message = Readonly<Record<string, unknown>>;

/** Subscribes to its channels. */
export type Source = (hub: ChannelHub, leaves: Leaves) => void;

/** Subscriptions, and how to undo them. */
export class ChannelHub {
  readonly #undo: (() => void)[] = [];
  readonly #fault: (source: string, error: unknown) => void;

  /** @param fault gets the error of a listener */
  constructor(fault: (source: string, error: unknown) => void) {
    this.#fault = fault;
  }

  /** Calls the listener with each message, and catches its errors. */
  on(name: string, listener: (message: unknown) => void): void {
    const guarded = (message: unknown): void => {
      try {
        listener(message);
      } catch (error) {
        this.#fault(name, error);
      }
    };
    // Before the subscription, so that half a subscription is undone as well.
    this.#undo.push(() => unsubscribe(name, guarded));
    subscribe(name, guarded);
  }

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
    tracingSource(channel, kind, describe, describe)(hub, leaves);
  };

/** A tracing channel as a source. @param ended what the message at its end adds */
export const tracingSource =
  (name: string, kind: LeafKind, begun: (message: Message) => unknown, ended: (message: Message) => unknown): Source =>
  (hub, leaves) =>
    onTracing(hub, name, {
      begin: (message) => leaves.begin(name, kind, () => begun(message as Message)),
      end: (open, message) => leaves.end(open, () => ended(message as Message), failureOf(message)),
    });

/** The callbacks for the two ends of a traced operation. */
export interface Tracing {
  begin(message: object): OpenLeaf | undefined;
  end(open: OpenLeaf, message: object): void;
}

/** Listens to the start and the end of operations on a tracing channel. */
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
  // The synchronous part is over. With a result or an error, so is the whole.
  hub.on(`tracing:${name}:end`, (message) => {
    if (isObject(message) && ("result" in message || "error" in message)) finish(message);
  });
  hub.on(`tracing:${name}:asyncStart`, (message) => {
    if (isObject(message)) finish(message);
  });
  hub.onClose(() => open.forget());
}

/** Leaves by their start messages. The latest one, to which most ends belong, is not stored on its message. */
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

  forget(): void {
    this.#message = undefined;
    this.#leaf = undefined;
  }
}

/** The error in a tracing channel's object. */
export function failureOf(message: unknown): { readonly error: unknown } | undefined {
  const error = isObject(message) ? Object.getOwnPropertyDescriptor(message, "error")?.value : undefined;
  return error === undefined ? undefined : { error };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
