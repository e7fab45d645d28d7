/** The marks of a run in a list: A and B, a file, the pin, a broken contract. */

import type { JSX } from "preact";
import type { Trace } from "../../run/shapes.ts";
import { traceKey } from "../../run/format.ts";
import { Icon } from "../page/icons.tsx";
import { application, selection } from "../store/page-store.ts";
import { kept } from "./page-runs.ts";

/** Nothing for a run without any. */
export function RunMarks({ trace }: { readonly trace: Trace }): JSX.Element {
  const key = traceKey(trace);
  const { a, b } = selection.marks.value;
  return (
    <>
      {key === a && <b class="mark">A</b>}
      {key === b && <b class="mark">B</b>}
      {application.opened.value.has(key) && <Icon name="file" />}
      {kept.pinned.value.has(key) && <Icon name="pin" />}
      {trace.contractIssues && (
        <b class="mark broken" title="contract broken">
          ≠<span class="sr">contract broken</span>
        </b>
      )}
    </>
  );
}
