/**
 * The browser's functions for the page: frames, a clock, fresh ids, storage. Tests pass their own.
 */

import type { Theme } from "../../run/graph/tokens.ts";

/** The browser's functions that slices need. */
export interface Browser {
  /** Runs with one of the next frames; at most ten times a second. */
  readonly nextFrame: (run: () => void) => void;
  readonly wait: (ms: number) => Promise<void>;
  /** Runs again and again; returns a function that ends that. */
  readonly every: (ms: number, run: () => void) => () => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly newId: () => string;
  /** The application's name. */
  readonly name: () => string;
  readonly systemTheme: () => Theme;
  /** A longer run is slow, in microseconds: the application's `slowMs`, or half a second. */
  readonly slowUs: () => number;
  readonly local: () => Storage;
  readonly session: () => Storage;
}

/** The browser that shows the page. */
export function browserSlice(): Browser {
  return {
    nextFrame: createPacer(),
    wait: (ms) => new Promise((done) => setTimeout(done, ms)),
    every: (ms, run) => {
      const timer = setInterval(run, ms);
      return () => clearInterval(timer);
    },
    now: () => performance.now(),
    newId: () =>
      `dev-${[...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("")}`,
    name: () => document.documentElement.dataset["app"] ?? "application",
    systemTheme: () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"),
    slowUs: () => Number(document.documentElement.dataset["slowMs"] ?? 500) * 1_000,
    local: () => localStorage,
    session: () => sessionStorage,
  };
}

/** Lists change at most this often, because reading is slower, and a flood of runs leaves the page its frames. */
const PAUSE_MS = 100;

function createPacer(): Browser["nextFrame"] {
  let last = -Infinity;
  return (run) => {
    const go = (): void => {
      last = performance.now();
      run();
    };
    const early = last + PAUSE_MS - performance.now();
    if (document.visibilityState === "hidden") setTimeout(go, 500);
    else if (early > 0) setTimeout(() => requestAnimationFrame(go), early);
    else requestAnimationFrame(go);
  };
}
