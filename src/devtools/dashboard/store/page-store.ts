/**
 * The base of the shown page, for its views. Tests of slices make their own.
 */

import { applicationSlice } from "./application.ts";
import { panelsSlice } from "./panels.ts";
import { searchSlice } from "./search.ts";
import { selectionSlice } from "./selection.ts";
import { useSlice } from "./slice.ts";
import { timeSlice } from "./time.ts";
import { trailSlice } from "./trail.ts";

/** The application's facts. */
export const application = useSlice(applicationSlice);
/** Which tabs and dialogs are open. */
export const panels = useSlice(panelsSlice);
/** The search. */
export const search = useSlice(searchSlice);
/** The selection, and values derived from it. */
export const selection = useSlice(selectionSlice);
/** The moment of the selected run, and the shown part of its time. */
export const time = useSlice(timeSlice);
/** The trail of the wanted value through the selected run. */
export const trail = useSlice(trailSlice);
