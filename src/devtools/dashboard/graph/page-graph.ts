/**
 * The picture of the page that is shown, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { graphSlice } from "./picture.ts";

/** Where beans stand, and how they look. */
export const graph = useSlice(graphSlice);
