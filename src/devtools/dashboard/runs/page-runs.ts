/**
 * The runs of the shown page, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { earlierSlice } from "./earlier.ts";
import { filesSlice } from "./files.ts";
import { historySlice } from "./history.ts";
import { keptSlice } from "./kept.ts";
import { liveSlice } from "./live.ts";

/** Runs of earlier sessions, and hits in all kept runs. */
export const earlier = useSlice(earlierSlice);
/** The list of runs and its filter. */
export const history = useSlice(historySlice);
/** Pinned and missed runs. */
export const kept = useSlice(keptSlice);
/** Loading, listening and pausing. */
export const live = useSlice(liveSlice);
/** Runs in files. */
export const runFiles = useSlice(filesSlice);
