/**
 * The open parts of the page: the list, the tab of the run, a dialog, and the sentence in the banner.
 */

import { signal } from "@preact/signals";

/** The tabs of a run; shell/tabs.tsx has their order and contents. */
export type DetailTab = "why" | "response" | "request" | "timeline" | "logs" | "node" | "compare" | "app" | "panels";

/** Any room may open a panel of another one by its name, without an import of it. */
export function panelsSlice() {
  return {
    list: signal<"requests" | "history">("requests"),
    detail: signal<DetailTab>("response"),
    dialog: signal<"help" | "palette" | "replay" | null>(null),
    notice: signal<string | null>(null),
  };
}
