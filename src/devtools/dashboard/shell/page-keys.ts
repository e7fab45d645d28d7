/**
 * Keys that work anywhere on the page. Single letters are off inside fields.
 */

import { batch } from "@preact/signals";
import { graphSlice } from "../graph/picture.ts";
import { wantsNoMotion } from "../page/motion.ts";
import { onKeys, type KeyActs } from "../page/on-keys.ts";
import { sendSlice } from "../request/send.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { timeSlice } from "../store/time.ts";
import { themeSlice } from "./theme.ts";

/** Listens until the returned function is called. */
export function listenForKeys(use: Use): () => void {
  const { dialog } = use(panelsSlice);
  const { send } = use(sendSlice);
  const onLetter = onKeys(lettersOf(use));
  const onKey = (event: KeyboardEvent): void => {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key === "Enter") {
      event.preventDefault();
      void send();
    } else if (command && event.key.toLowerCase() === "k") {
      event.preventDefault();
      dialog.value = "palette";
    }
    const inField = event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null;
    if (!inField) onLetter(event);
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function lettersOf(use: Use): KeyActs {
  const { place, list, dialog } = use(panelsSlice);
  const { moveStep } = use(selectionSlice);
  const { replay } = use(timeSlice);
  const { toggleOnlyReachable } = use(graphSlice);
  const { toggleTheme } = use(themeSlice);
  const compose = (open: "requests" | "history"): void =>
    batch(() => {
      place.value = "compose";
      list.value = open;
    });
  return {
    "/": () => document.getElementById("find")?.focus(),
    r: () => compose("requests"),
    h: () => compose("history"),
    c: () => (place.value = "compose"),
    s: () => (place.value = "start"),
    i: () => (place.value = "inspect"),
    l: () => (place.value = "lanes"),
    g: () => document.querySelector<HTMLElement>(".graph")?.focus(),
    p: () => replay(wantsNoMotion()),
    "[": () => moveStep(-1),
    "]": () => moveStep(1),
    o: toggleOnlyReachable,
    t: toggleTheme,
    "?": () => (dialog.value = "help"),
  };
}
