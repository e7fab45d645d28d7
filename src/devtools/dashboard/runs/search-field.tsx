/**
 * The field that searches runs, in the language of devtools: errors in the text, saved searches, and help.
 */

import type { JSX } from "preact";
import { Failure } from "../page/widgets.tsx";
import { search } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { savedSearchesSlice } from "./saved-searches.ts";
import { searchHelpSlice } from "./search-help.ts";
import { earlier } from "./page-runs.ts";

const searches = useSlice(savedSearchesSlice);
const help = useSlice(searchHelpSlice);

/** The field. Typing filters the runs of the page, Enter searches all kept runs. */
export function SearchField(): JSX.Element {
  const { text, issues } = search;
  const wrong = issues.value.length > 0;
  return (
    <input
      type="search"
      aria-label="Filter runs"
      placeholder="bean:Orders arg.id=7"
      title="Enter searches everything that is kept"
      maxLength={1_000}
      aria-invalid={wrong}
      aria-describedby={wrong ? "search-issues" : undefined}
      value={text.value}
      onInput={(event) => {
        text.value = event.currentTarget.value;
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !wrong) void earlier.searchKept();
      }}
    />
  );
}

/** The content below the field. */
export function SearchNotes(): JSX.Element {
  const { text } = search;
  const { searchKept } = earlier;
  const { saved, isSaved, toggleSaved } = searches;
  return (
    <>
      <SearchIssues />
      <Failure reason={search.failure.value && `Nothing was searched: ${search.failure.value}`} />
      <div class="filters">
        {text.value.trim() !== "" && (
          <>
            <button type="button" class="quiet" onClick={() => void searchKept()}>
              Search all kept
            </button>
            <button type="button" class="quiet" aria-pressed={isSaved.value} onClick={toggleSaved}>
              {isSaved.value ? "Saved" : "Save search"}
            </button>
          </>
        )}
        {saved.value
          .filter((one) => one !== text.value.trim())
          .map((one) => (
            <button key={one} type="button" class="quiet saved" title={one} onClick={() => (text.value = one)}>
              {one}
            </button>
          ))}
        <details class="search-help" onToggle={() => void help.load()}>
          <summary>Syntax</summary>
          <p>
            Words stand for themselves; <code>:</code> contains, <code>=</code> is, <code>-</code> not, a comma or.
            Terms about calls after a <code>bean:</code> are about one call of it.
          </p>
          <Failure reason={help.failure.value} />
          <dl>
            {help.fields.value.map(({ name, help, example }) => (
              <div key={name}>
                <dt>
                  <button type="button" class="link" onClick={() => (text.value = `${text.value} ${example}`.trim())}>
                    <code>{example}</code>
                  </button>
                </dt>
                <dd>{help}</dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </>
  );
}

/** The mistakes, with their positions and probable meanings. */
export function SearchIssues(): JSX.Element | null {
  const { text, issues } = search;
  if (issues.value.length === 0) return null;
  return (
    <div id="search-issues" class="search-issues" role="status">
      {issues.value.map(({ at, length, message, suggestion }) => (
        <p key={at}>
          <code>
            {text.value.slice(0, at)}
            <mark>{text.value.slice(at, at + length)}</mark>
            {text.value.slice(at + length)}
          </code>
          {message}.{" "}
          {suggestion !== undefined && (
            <button type="button" class="quiet" onClick={() => (text.value = suggestion)}>
              {suggestion}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
