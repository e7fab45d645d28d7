/**
 * The annotations of a run: a sentence for a known one, otherwise its value. Also the cookies on both sides.
 */

import type { JSX } from "preact";
import type { Annotation, Trace } from "../../run/shapes.ts";
import { REDACTED } from "../../run/wire.ts";
import { JsonView } from "../json/view.tsx";
import { annotationOf, readAnnotation } from "./annotations.ts";
import { FieldTable } from "./field-table.tsx";

/** All annotations of a run. */
export function Annotations({ trace }: { readonly trace: Trace }): JSX.Element | null {
  if (!trace.annotations) return null;
  return (
    <ul class="annotations" aria-label="Annotations">
      {trace.annotations.map((one) => (
        <AnnotationItem annotation={one} />
      ))}
    </ul>
  );
}

function AnnotationItem({ annotation }: { readonly annotation: Annotation }): JSX.Element {
  const { title, text, value } = readAnnotation(annotation);
  const tree = <JsonView value={value} label={title} rows={8} tagged />;
  return (
    <li data-annotation={annotation.name}>
      <b>{title}</b> {text ?? ""}
      {text === undefined ? (
        tree
      ) : (
        <details>
          <summary>Values</summary>
          {tree}
        </details>
      )}
    </li>
  );
}

/** The received cookies, the set cookies, and the session that they led to. */
export function CookiesAndSession({ trace }: { readonly trace: Trace }): JSX.Element {
  const { cookies: sent = [] } = trace.request;
  const { cookies: set = [] } = trace.response;
  const session = annotationOf(trace.annotations, "session");
  return (
    <>
      {sent.length > 0 && <FieldTable name="cookie" fields={sent.map((name) => [name, REDACTED] as const)} open />}
      {set.length > 0 && (
        <FieldTable
          name="cookie set"
          plural="cookies set"
          fields={set.map(({ name, attributes }) => [name, `${REDACTED}; ${attributes.join("; ")}`] as const)}
          open
        />
      )}
      {session && (
        <ul class="annotations" aria-label="Session">
          <AnnotationItem annotation={session} />
        </ul>
      )}
    </>
  );
}
