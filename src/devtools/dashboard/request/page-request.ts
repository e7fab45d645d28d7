/**
 * The request of the page that is shown, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { draftsSlice } from "./drafts.ts";
import { formFilesSlice } from "./form-files.ts";
import { issuesSlice } from "./issues.ts";
import { sendSlice } from "./send.ts";
import { sharedHeadersSlice } from "./shared-headers.ts";

/** What is in the editor. */
export const drafts = useSlice(draftsSlice);
/** Files that were chosen. */
export const formFiles = useSlice(formFilesSlice);
/** What the last response said of the draft. */
export const issues = useSlice(issuesSlice);
/** Sending, and what came of it. */
export const send = useSlice(sendSlice);
/** Headers of every request. */
export const sharedHeaders = useSlice(sharedHeadersSlice);
