/**
 * The one store of this page, bound to the application that served it.
 */

import { liveSource } from "./api.ts";
import { createStore } from "./store.ts";

const base = location.pathname.replace(/(?<!\/)\/+$/, "");

/** The page's store. */
export const store = createStore({
  source: liveSource(base),
  nextFrame: (run) => void (document.visibilityState === "hidden" ? setTimeout(run, 500) : requestAnimationFrame(run)),
  wait: (ms) => new Promise((done) => setTimeout(done, ms)),
  newId: () =>
    `dev-${[...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("")}`,
  systemTheme: () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
  local: () => localStorage,
  session: () => sessionStorage,
});
