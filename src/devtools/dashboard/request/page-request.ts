/**
 * The request of the shown page, for its views. Tests of slices make their own.
 */

import { useSlice } from "../store/slice.ts";
import { draftsSlice } from "./drafts.ts";
import { formFilesSlice } from "./form-files.ts";
import { issuesSlice } from "./issues.ts";
import { sendSlice } from "./send.ts";
import { sharedHeadersSlice } from "./shared-headers.ts";
import { socketSlice } from "./socket.ts";

/** The content of the editor. */
export const drafts = useSlice(draftsSlice);
/** Files that were chosen. */
export const formFiles = useSlice(formFilesSlice);
/** The last response's issues with the draft. */
export const issues = useSlice(issuesSlice);
/** Sending, and its outcome. */
export const send = useSlice(sendSlice);
/** Headers of every request. */
export const sharedHeaders = useSlice(sharedHeadersSlice);
/** The WebSocket console. */
export const socket = useSlice(socketSlice);
