/** The hint that the draft is not the request of the selected run, with the way to that one. */

import type { JSX } from "preact";
import type { Trace } from "../../run/shapes.ts";
import { drafts } from "./page-request.ts";

/** `of` is the selected run. */
export function OtherRequest({ of }: { readonly of: Trace }): JSX.Element {
  return (
    <>
      <b>Draft.</b> The selected run was sent another request.{" "}
      <button type="button" class="link" onClick={() => drafts.editRun(of)}>
        Fill in its request
      </button>
    </>
  );
}
