/**
 * Start of the shown page, for its views. Tests of slices make their own.
 */

import { factsSlice } from "../app/facts.ts";
import { minuteSlice } from "../runs/minute.ts";
import { useSlice } from "../store/slice.ts";
import { overviewSlice } from "./overview.ts";

/** The groups, their traffic, and the ways from them. */
export const overview = useSlice(overviewSlice);
/** The last minute. */
export const lastMinute = useSlice(minuteSlice);
/** Sums over the kept runs. */
export const facts = useSlice(factsSlice);
