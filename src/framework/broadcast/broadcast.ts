/**
 * Broadcast: a text for all listeners of a channel, such as the sockets of a chat room.
 *
 *   publish(channel, text) ──▶ every listener of that channel, also in the publisher's process, in one order
 *
 * It stores nothing, so a listener never gets a text published before its subscription.
 *
 * Spec: spec/websocket.md
 */

/** Gets published texts. Its errors and rejections are reported, and the others still get the text. */
export type BroadcastListener = (text: string) => void;

/** Ends a subscription. A second call does nothing. */
export type Subscription = () => void;

/** Publishes texts, within one process or between several. */
export interface Broadcast {
  /** Settles when the text is on its way to the listeners. @throws (rejects) Error when it is not. */
  publish(channel: string, text: string): Promise<void>;
  /** Resolves when the listener gets all later texts. @throws (rejects) Error when it cannot. */
  subscribe(channel: string, listener: BroadcastListener): Promise<Subscription>;
  /** Ends all subscriptions, and accepts no more. */
  close(): Promise<void>;
}
