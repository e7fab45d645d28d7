/**
 * The requests that this page has sent, each with its response, newest first.
 */

import { computed, signal } from "@preact/signals";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import type { Draft } from "./draft-text.ts";
import type { ReceivedResponse } from "./receive.ts";

/** One Send of this page. */
export interface Exchange {
  readonly correlationId: string;
  /** The editor's content at that time. */
  readonly sent: Draft;
  readonly response?: ReceivedResponse | undefined;
  readonly failure?: string | undefined;
  readonly notice?: string | undefined;
}

const MAX_EXCHANGES = 100;

/** Keeps the exchanges. */
export function exchangesSlice(use: Use) {
  const { trace, exchangeId } = use(selectionSlice);
  const exchanges = signal<readonly Exchange[]>([]);
  return {
    /** Adds an exchange, or replaces the one of the same id. */
    put: (exchange: Exchange): void => {
      const others = exchanges.value.filter((e) => e.correlationId !== exchange.correlationId);
      exchanges.value = [exchange, ...others].slice(0, MAX_EXCHANGES);
    },
    /** The exchange of the selected run, or else the last one, or null when another client sent it. */
    exchange: computed(() => {
      const id = trace.value ? trace.value.correlationId : exchangeId.value;
      return exchanges.value.find((e) => e.correlationId === id) ?? null;
    }),
  };
}
