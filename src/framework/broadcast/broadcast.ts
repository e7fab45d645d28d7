/**
 * Broadcast: a text for everybody who listens to a channel, such as the sockets of a chat room.
 *
 *   publish(channel, text) ──▶ every listener of that channel, the publisher's own process too, in one order
 *
 * It keeps nothing: whoever is not subscribed when a text is published never gets it.
 *
 * Spec: spec/websocket.md
 */

/** Gets what is published. What it throws, or rejects with, is reported, and the others get it all the same. */
export type BroadcastListener = (text: string) => void;

/** Ends a subscription. A second call does nothing. */
export type Subscription = () => void;

/** Where texts are published: within one process, or between several. */
export interface Broadcast {
  /** Settles once the text is on its way to the listeners. @throws (rejects) Error where it is not. */
  publish(channel: string, text: string): Promise<void>;
  /** Resolves once the listener hears what is published from then on. @throws (rejects) Error where it cannot. */
  subscribe(channel: string, listener: BroadcastListener): Promise<Subscription>;
  /** Ends all subscriptions, and takes no more. */
  close(): Promise<void>;
}
