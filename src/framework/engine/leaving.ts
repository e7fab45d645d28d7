/**
 * LeavingClient: the half of an exchange that knows whether its client is still there.
 *
 *   engine notices ──▶ leave() ──▶ gone, and whoever asked by onGone is told, once
 *
 * Spec: spec/engines.md (ENGINE), spec/lifecycle.md (LIFE), spec/context.md (CTX)
 */
import type { GoneListener } from "./exchange.ts";

/** What every exchange extends. */
export class LeavingClient {
  /** Has the client left? */
  gone = false;
  #listener: GoneListener | undefined;

  /** Tells `listener` when the client leaves; at once when it has left already. */
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
}
