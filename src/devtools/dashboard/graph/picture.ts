/**
 * The picture of the graph as it is shown: laid out, with the entry pill.
 */

import { computed } from "@preact/signals";
import { beanSize, placeEntry } from "./geometry.ts";
import { store } from "../store/browser.ts";
import { layout } from "./layout.ts";

/** The picture of the beans that are shown. */
export const picture = computed(() =>
  layout(store.shown.value, store.graph.value.edges, (id) => beanSize(store.beans.value.get(id))),
);

/** The entry pill of the selected route. */
export const entry = computed(() => placeEntry(picture.value, store.entries.value));
