/**
 * A text area for JSON with a coloured layer under it. Native editing, undo and selection are kept.
 */

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { jsonProblem, type JsonProblem } from "./problem.ts";

const TOKEN = /("(?:\\.|[^"\\\n])*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;
/** Longer texts are shown in one colour, so that typing stays quick. */
const MAX_COLOURED = 30_000;
/** Height of a line in editor.css. */
const LINE = 19;

const FORMATS = [
  ["Format", 2],
  ["Minify", 0],
] as const;

/** `json: false` leaves out colours, checks and Format. */
export function JsonEditor(props: {
  /** Default: Body. */
  readonly label?: string;
  readonly value: string;
  readonly json: boolean;
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const { label = "Body", value, json, onChange } = props;
  const behind = useRef<HTMLPreElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const problem = useMemo(() => (json ? jsonProblem(value) : undefined), [json, value]);
  const parts = useMemo(() => coloured(value, json, problem), [json, value, problem]);
  const said = !json
    ? "Sent as typed"
    : problem
      ? `Line ${problem.line}, column ${problem.column}: ${problem.message}`
      : value.trim()
        ? "Valid JSON"
        : `Empty ${label.toLowerCase()}`;
  return (
    <div class="json-editor">
      <div class="json-field" data-invalid={problem ? "" : undefined}>
        <pre ref={behind} aria-hidden="true">
          {parts}
          {"\n"}
        </pre>
        <textarea
          ref={field}
          aria-label={label}
          aria-invalid={problem !== undefined}
          aria-describedby="body-state"
          spellcheck={false}
          autocomplete="off"
          wrap="off"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => {
            const { scrollLeft, scrollTop } = event.currentTarget;
            if (behind.current) behind.current.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
          }}
        />
      </div>
      <div class="json-state">
        <span id="body-state" role="status" data-invalid={problem ? "" : undefined}>
          {said}
        </span>
        {problem && (
          <button type="button" class="quiet" onClick={() => goTo(field.current, problem)}>
            Go to error
          </button>
        )}
        {FORMATS.map(([name, space]) => (
          <button
            key={name}
            type="button"
            class="quiet"
            disabled={!json || problem !== undefined || value.trim() === ""}
            onClick={() => onChange(JSON.stringify(JSON.parse(value), null, space))}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Puts the caret on the error; the browser scrolls it into view. */
function goTo(field: HTMLTextAreaElement | null, problem: JsonProblem): void {
  if (!field) return;
  field.focus();
  field.setSelectionRange(problem.offset, problem.offset + Math.max(1, problem.length));
  field.scrollTop = Math.max(0, (problem.line - 4) * LINE);
}

function coloured(value: string, json: boolean, problem: JsonProblem | undefined): (string | JSX.Element)[] {
  if (!json || value.length > MAX_COLOURED) return [value];
  if (!problem) return colour(value);
  const end = problem.offset + Math.max(1, problem.length);
  return [
    ...colour(value.slice(0, problem.offset)),
    <mark key="error">{value.slice(problem.offset, end) || " "}</mark>,
    ...colour(value.slice(end)),
  ];
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
