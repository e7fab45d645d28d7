/**
 * The theme: the stored choice, or else the system's. boot.ts sets it before the first paint.
 */

import { remembered } from "../page/storage.ts";
import { THEME_KEY, type Theme } from "../../run/graph/tokens.ts";
import { browserSlice } from "../store/browser.ts";
import type { Use } from "../store/slice.ts";

const isTheme = (value: unknown): value is Theme => value === "light" || value === "dark";

/** The theme and its switch. */
export function themeSlice(use: Use) {
  const { local, systemTheme } = use(browserSlice);
  const theme = remembered(local, THEME_KEY, systemTheme(), isTheme);
  return {
    theme,
    toggleTheme: (): void => {
      theme.value = theme.value === "dark" ? "light" : "dark";
      document.documentElement.dataset["theme"] = theme.value;
    },
  };
}
