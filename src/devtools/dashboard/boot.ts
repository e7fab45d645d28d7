/**
 * Runs before the first paint and sets the stored theme, or else the system's. Separate, so that it stays tiny.
 */

import { THEME_KEY } from "../run/graph/tokens.ts";

let stored: unknown;
try {
  stored = JSON.parse(localStorage.getItem(THEME_KEY) ?? "null");
} catch {
  stored = null;
}
const dark = stored === "dark" || (stored !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset["theme"] = dark ? "dark" : "light";
