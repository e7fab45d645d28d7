/**
 * A text area for JSON with a coloured layer behind it. Native editing, undo and selection stay as they are.
 */

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { jsonProblem } from "./editor-model.ts";

const TOKEN = /("(?:\\.|[^"\\\n])*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
/** Longer texts are shown in one colour, so that typing stays quick. */
const MAX_COLOURED = 30_000;

/** `json: false` leaves out colours, checks and Format. */
export function JsonEditor(props: {
  readonly value: string;
  readonly json: boolean;
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const { value, json, onChange } = props;
  const behind = useRef<HTMLPreElement>(null);
  const problem = useMemo(() => (json ? jsonProblem(value) : undefined), [json, value]);
  const parts = useMemo(() => (json && value.length <= MAX_COLOURED ? colour(value) : [value]), [json, value]);
  const said = !json
    ? "Sent as it is"
    : problem
      ? `Line ${problem.line}, column ${problem.column}: ${problem.message}`
      : value.trim() === ""
        ? "Empty body"
        : "Valid JSON";
  const reformat = (space: number): void => onChange(JSON.stringify(JSON.parse(value), null, space));
  return (
    <div class="json-editor">
      <div class="json-field" data-invalid={problem ? "" : undefined}>
        <pre ref={behind} aria-hidden="true">
          {parts}
          {"\n"}
        </pre>
        <textarea
          aria-label="Body"
          aria-invalid={problem !== undefined}
          aria-describedby="body-state"
          spellcheck={false}
          autocomplete="off"
          wrap="off"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => {
            const { scrollLeft, scrollTop } = event.currentTarget;
            if (behind.current !== null)
              behind.current.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
          }}
        />
      </div>
      <div class="json-state">
        <span id="body-state" role="status" data-invalid={problem ? "" : undefined}>
          {said}
        </span>
        <button
          type="button"
          class="quiet"
          disabled={!json || problem !== undefined || value.trim() === ""}
          onClick={() => reformat(2)}
        >
          Format
        </button>
        <button
          type="button"
          class="quiet"
          disabled={!json || problem !== undefined || value.trim() === ""}
          onClick={() => reformat(0)}
        >
          Minify
        </button>
      </div>
    </div>
  );
}

function colour(text: string): (string | JSX.Element)[] {
  const parts: (string | JSX.Element)[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [, quoted, colon, number, literal] = match;
    if (match.index > at) parts.push(text.slice(at, match.index));
    const kind =
      quoted === undefined ? (number === undefined ? "literal" : "number") : colon === undefined ? "string" : "key";
    parts.push(
      <span key={match.index} class={`j-${kind}`}>
        {quoted ?? number ?? literal}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}
