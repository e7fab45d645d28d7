/**
 * The replay of the shown page, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { replaySlice } from "./replay.ts";

/** The choice of beans, and the replay. */
export const replay = useSlice(replaySlice);
