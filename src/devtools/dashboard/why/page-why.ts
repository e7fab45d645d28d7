/**
 * The explanation of the shown page, for its view. Tests of the slice make their own.
 */

import { useSlice } from "../store/slice.ts";
import { whySlice } from "./why.ts";

/** The explanation of the selected run. */
export const why = useSlice(whySlice);
