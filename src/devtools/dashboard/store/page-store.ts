/**
 * What everything stands on of the page that is shown, for its views. Tests of slices make their own.
 */

import { applicationSlice } from "./application.ts";
import { panelsSlice } from "./panels.ts";
import { searchSlice } from "./search.ts";
import { selectionSlice } from "./selection.ts";
import { useSlice } from "./slice.ts";

/** What the application has told. */
export const application = useSlice(applicationSlice);
/** Which tabs and dialogs are open. */
export const panels = useSlice(panelsSlice);
/** What is searched for. */
export const search = useSlice(searchSlice);
/** What is selected, and what follows from it. */
export const selection = useSlice(selectionSlice);
