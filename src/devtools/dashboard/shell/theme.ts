/**
 * The theme: the stored choice, else the system's. boot.ts sets it before the first paint.
 */

import { signal } from "@preact/signals";
import { recall, remember, THEME_KEY } from "../page/storage.ts";
import type { Theme } from "../page/tokens.ts";
import { browserSlice } from "../store/browser.ts";
import type { Use } from "../store/slice.ts";

const isTheme = (value: unknown): value is Theme => value === "light" || value === "dark";

/** The theme and its switch. */
export function themeSlice(use: Use) {
  const { local, systemTheme } = use(browserSlice);
  const theme = signal(recall(local, THEME_KEY, systemTheme(), isTheme));
  return {
    theme,
    toggleTheme: (): void => {
      theme.value = theme.value === "dark" ? "light" : "dark";
      document.documentElement.dataset["theme"] = theme.value;
      remember(local, THEME_KEY, theme.value);
    },
  };
}
