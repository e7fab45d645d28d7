/**
 * Searches that the user saved in this browser.
 */

import { computed } from "@preact/signals";
import { isTexts } from "../../run/values.ts";
import { remembered } from "../page/storage.ts";
import { browserSlice } from "../store/browser.ts";
import { searchSlice } from "../store/search.ts";
import type { Use } from "../store/slice.ts";

const SEARCHES_KEY = "framework-dev.searches";
const MAX_SAVED = 20;

/** The saved searches, the latest first. */
export function savedSearchesSlice(use: Use) {
  const { text } = use(searchSlice);
  const { local } = use(browserSlice);
  const saved = remembered(local, SEARCHES_KEY, [], isTexts);
  return {
    saved,
    /** Whether the text in the field is one of them. */
    isSaved: computed(() => saved.value.includes(text.value.trim())),
    toggleSaved: (): void => {
      const wanted = text.value.trim();
      const others = saved.value.filter((one) => one !== wanted);
      const isNew = wanted !== "" && others.length === saved.value.length;
      saved.value = isNew ? [wanted, ...others].slice(0, MAX_SAVED) : others;
    },
  };
}
