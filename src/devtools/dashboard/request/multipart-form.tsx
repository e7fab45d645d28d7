/**
 * A form with files: its texts, which are kept with the draft, and its files, which are not.
 */

import type { JSX } from "preact";
import type { RouteInfo } from "../../run/shapes.ts";
import { size } from "../../run/format.ts";
import { FileButton, RemoveButton } from "../page/widgets.tsx";
import { DeclaredFields } from "./declared-fields.tsx";
import { rowsBeside } from "./declared.ts";
import { WHOLE_BODY, type Draft } from "./draft-text.ts";
import { PairRows } from "./pair-rows.tsx";
import { queryPairs, replaceQueryPairs } from "./query-pairs.ts";
import { drafts, formFiles } from "./page-request.ts";

interface FormProps {
  readonly route: RouteInfo;
  readonly draft: Draft;
}

/** The declared fields and files of the form, and those that were added. */
export function MultipartForm({ route, draft }: FormProps): JSX.Element {
  const declared = route.contract?.body?.files ?? {};
  const chosen = formFiles.of(route);
  const set = (body: string): void => drafts.setDraft({ body });
  return (
    <>
      <DeclaredFields route={route} draft={draft} part="body" />
      {Object.entries(declared).map(([name, file]) => (
        <FileField
          key={name}
          route={route}
          name={name}
          label={name}
          isRequired={file.isRequired}
          isList={file.schema["type"] === "array"}
        />
      ))}
      <div class="pairs">
        <PairRows
          label="Field"
          rows={rowsBeside(route, "body", draft)}
          pairs={queryPairs(draft.body)}
          onChange={(at, next) => set(replaceQueryPairs(draft.body, [at], next))}
        />
        {chosen.map((row) =>
          Object.hasOwn(declared, row.name) || row.name === WHOLE_BODY ? null : (
            <div class="pair">
              <input
                aria-label={`Name of ${row.files.map((file) => file.name).join(", ")}`}
                value={row.name}
                autocomplete="off"
                onInput={({ currentTarget: { value: name } }) => {
                  if (name && !chosen.some((other) => other.name === name))
                    formFiles.set(
                      route,
                      chosen.map((other) => (other === row ? { ...row, name } : other)),
                    );
                }}
              />
              <ChosenNames files={row.files} />
              <RemoveButton what={row.name} onClick={() => formFiles.choose(route, row.name, [])} />
            </div>
          ),
        )}
      </div>
      <div class="left-out">
        <button type="button" class="quiet" onClick={() => set(draft.body ? `${draft.body}&=` : "=")}>
          Add field
        </button>
        <FileButton
          label="Add file"
          field="Added file"
          onChoose={(some) => formFiles.choose(route, freeName(chosen.map(({ name }) => name)), some)}
        />
      </div>
      <p class="hint">
        Files are sent, and kept nowhere. With a boundary in the <code>Content-Type</code> the parts are text.
      </p>
    </>
  );
}

function freeName(taken: readonly string[]): string {
  for (let at = 1; ; at++) {
    const name = at === 1 ? "file" : `file${at}`;
    if (!taken.includes(name)) return name;
  }
}

/** The file of one name, or the whole body if that is a file. */
export function FileField(props: {
  readonly route: RouteInfo;
  readonly name: string;
  readonly label: string;
  readonly isRequired?: boolean;
  readonly isList?: boolean;
}): JSX.Element {
  const { route, name, label } = props;
  const chosen = formFiles.of(route).find((row) => row.name === name)?.files ?? [];
  const id = `file.${name}`;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {props.isRequired && <b aria-hidden="true"> *</b>}
      </label>
      <input
        id={id}
        type="file"
        multiple={props.isList === true}
        aria-describedby={`${id}-about`}
        onChange={(event) => formFiles.choose(route, name, [...(event.currentTarget.files ?? [])])}
      />
      <small id={`${id}-about`} class="about">
        {chosen.length === 0 ? "" : <ChosenNames files={chosen} />}
      </small>
    </div>
  );
}

function ChosenNames({ files }: { readonly files: readonly File[] }): JSX.Element {
  return <>{files.map((file) => `${file.name}, ${size(file.size)}${file.type ? `, ${file.type}` : ""}`).join("; ")}</>;
}
