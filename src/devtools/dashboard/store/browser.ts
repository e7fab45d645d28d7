/**
 * The one store of this page, bound to the application that served it.
 */

import { liveSource } from "../runs/source.ts";
import { createStore } from "./store.ts";

const base = location.pathname.replace(/(?<!\/)\/+$/, "");

/** Lists change at most this often: nobody reads faster, and a flood of runs leaves the page its frames. */
const PAUSE_MS = 100;
let last = -Infinity;

function nextFrame(run: () => void): void {
  const go = (): void => {
    last = performance.now();
    run();
  };
  const early = last + PAUSE_MS - performance.now();
  if (document.visibilityState === "hidden") setTimeout(go, 500);
  else if (early > 0) setTimeout(() => requestAnimationFrame(go), early);
  else requestAnimationFrame(go);
}

/** The page's store. */
export const store = createStore({
  source: liveSource(base),
  nextFrame,
  wait: (ms) => new Promise((done) => setTimeout(done, ms)),
  newId: () =>
    `dev-${[...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("")}`,
  systemTheme: () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
  local: () => localStorage,
  session: () => sessionStorage,
});
