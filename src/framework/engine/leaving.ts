/**
 * LeavingClient: the half of an exchange that knows whether its client is still there.
 *
 *   engine notices ──▶ leave() ──▶ gone, and the listener of onGone runs, once
 *   its body is late or malformed ──▶ spoil(408) ──▶ the listener of onGone responds
 *
 * Spec: spec/engines.md, spec/context.md
 */
import { HttpError } from "../internal/errors.ts";
import type { GoneListener } from "../http/exchange.ts";

/** The base class of every exchange. */
export class LeavingClient {
  /** Has the client left? */
  gone = false;
  #listener: GoneListener | undefined;

  /** Calls `listener` when the client leaves, or immediately when it has left already. */
  onGone(listener: GoneListener): void {
    this.#listener = listener;
    if (this.gone) listener.gone();
  }

  /** The client has left. Later calls do nothing. */
  leave(): void {
    if (this.gone) return;
    this.gone = true;
    this.#listener?.gone();
  }

  /** The rest of the request is unusable, and the request gets this status. False when no exchange waits. */
  spoil(status: number): boolean {
    if (this.gone || this.#listener === undefined) return false;
    this.#listener.broken(new HttpError(status, undefined, { headers: { Connection: "close" } }));
    return true;
  }
}
