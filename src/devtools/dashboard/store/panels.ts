/**
 * What is open on the page: the list, the tab of the run, a dialog, and the sentence in the banner.
 */

import { signal } from "@preact/signals";

/** Any room may open a panel of another one by its name, without knowing it. */
export function panelsSlice() {
  return {
    list: signal<"requests" | "history">("requests"),
    detail: signal<"response" | "request" | "timeline" | "logs" | "node" | "compare" | "app" | "panels">("response"),
    dialog: signal<"help" | "palette" | "replay" | null>(null),
    notice: signal<string | null>(null),
  };
}
