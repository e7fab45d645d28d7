/**
 * An error: its stack with the application's own frames open and others folded, the code around the line that threw,
 * its causes, and links that open the line in an editor.
 */

import type { JSX } from "preact";
import type { ErrorCause, ErrorInfo, Excerpt, StackFrame } from "../../run/shapes.ts";
import { count } from "../../run/format.ts";
import { editorLink, editorSettings, frameGroups } from "./stack.ts";

/** Where files are opened. The server writes its settings into the page. */
const editor = editorSettings(document.documentElement.dataset);

/** The places of an error and of its causes; nothing if none are recorded. */
export function ErrorPlaces({ error }: { readonly error: ErrorInfo }): JSX.Element | null {
  const { causes = [] } = error;
  if (!error.stack && causes.length === 0) return null;
  return (
    <div class="error-places">
      <Places error={error} />
      {causes.map((cause) => (
        <div class="cause">
          <p>
            Caused by <b>{cause.name}</b> {cause.message}
          </p>
          <Places error={cause} />
        </div>
      ))}
    </div>
  );
}

function Places({ error }: { readonly error: ErrorCause }): JSX.Element {
  const { stack = [], excerpt } = error;
  return (
    <>
      {excerpt && <Code excerpt={excerpt} />}
      {stack.length > 0 && (
        <ol class="stack" aria-label={`Stack of ${error.name}`}>
          {frameGroups(stack).map((group) =>
            group.own ? (
              group.frames.map((frame) => <Frame frame={frame} />)
            ) : (
              <li>
                <details>
                  <summary>{count(group.frames.length, "frame")} of Node and packages</summary>
                  <ol class="stack">
                    {group.frames.map((frame, at) => (
                      <Frame key={at} frame={frame} />
                    ))}
                  </ol>
                </details>
              </li>
            ),
          )}
        </ol>
      )}
    </>
  );
}

function Frame({ frame }: { readonly frame: StackFrame }): JSX.Element {
  return (
    <li data-own={frame.own ? "" : undefined}>
      <code>{frame.name ? frame.name : "(anonymous)"}</code> <Place of={frame} />
    </li>
  );
}

/** A line of the code, which opens in the configured editor. */
export function Place({ of }: { readonly of: Parameters<typeof editorLink>[1] }): JSX.Element {
  const text = `${of.file}:${of.line}`;
  const link = editorLink(editor, of);
  return link === undefined ? (
    <span class="muted">{text}</span>
  ) : (
    <a href={link} title="Open in the editor">
      {text}
    </a>
  );
}

function Code({ excerpt }: { readonly excerpt: Excerpt }): JSX.Element {
  const { file, line, from, lines } = excerpt;
  return (
    <figure class="code" aria-label={`${file}, line ${line}`}>
      <figcaption>
        <Place of={excerpt} />
      </figcaption>
      <pre tabIndex={0}>
        {lines.map((text, i) => (
          <code data-threw={from + i === line ? "" : undefined}>
            <i aria-hidden="true">{from + i}</i>
            {text}
            {"\n"}
          </code>
        ))}
      </pre>
    </figure>
  );
}
