/**
 * A field for one part of a schema, and the fields within it: an input, a choice, a fieldset, a list, or JSON.
 *
 *   value ──▶ Field ──▶ onChange(value); undefined leaves it out
 *
 * A value of another kind, which the field cannot show, is shown as JSON, so that nothing is lost or corrected.
 */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Json, JsonObject } from "../../run/shapes.ts";
import { RemoveButton, Select } from "../page/widgets.tsx";
import { exampleOf } from "./example.ts";
import { exactJson, fieldOf, fits, isSame, listOf, objectOf, stepTo, variantOf, type Field } from "./schema.ts";
import { textOf } from "../../run/values.ts";
import { aboutOf } from "./words.ts";

/** The common properties of the fields of one part of a request. */
export interface FormPart {
  readonly name: string;
  readonly root: JsonObject;
  /** Whether its values are texts, or lists of them. */
  readonly texts: boolean;
  /** The rejected values, by JSON pointer. */
  readonly issues: ReadonlyMap<string, string>;
}

interface FieldProps {
  readonly part: FormPart;
  readonly pointer: string;
  readonly label: string;
  readonly schema: Json | undefined;
  readonly value: Json | undefined;
  readonly isRequired?: boolean;
  readonly isMissing?: boolean;
  readonly onChange: (value: Json | undefined) => void;
  /** Leaves it out. Undefined if it must stay. */
  readonly onRemove?: (() => void) | undefined;
}

/** Deeper values are shown as JSON, and so are the items of a list after these. */
const DEEPEST = 10;
const MAX_ITEMS = 50;

const fieldId = (part: string, pointer: string): string =>
  part + pointer.replace(/\W/g, (char) => `.${char.charCodeAt(0)}`);

/** Focuses that place when it is drawn. */
export function focusField(part: string, pointer: string): void {
  const find = (id: string): HTMLElement | null => document.getElementById(id) ?? document.getElementById(`${id}~`);
  requestAnimationFrame(() => find(fieldId(part, pointer))?.focus());
}

/** The field. */
export function FieldView(props: FieldProps): JSX.Element {
  const { part, pointer, label, value } = props;
  const known = fieldOf(part.root, props.schema, part.texts);
  const isJson = !fits(known, value) || pointer.split("/").length > DEEPEST;
  const field: Field = isJson ? { schema: known.schema, kind: part.texts ? "text" : "json" } : known;
  const isVariants = field.kind === "variants";
  const id = fieldId(part.name, pointer) + (isVariants ? "~" : "");
  const issue = isVariants ? undefined : part.issues.get(pointer);
  const about = aboutOf(field.schema);
  const name = (
    <>
      {label}
      {props.isRequired && <b aria-hidden="true"> *</b>}
    </>
  );
  const remove = props.onRemove && <RemoveButton what={label} onClick={props.onRemove} />;
  const notes = (
    <small id={`${id}-about`} class="about">
      {about}
      {issue !== undefined && <b>{issue}</b>}
    </small>
  );
  if (isVariants || field.kind === "object" || field.kind === "list")
    return (
      <fieldset
        id={id}
        tabIndex={-1}
        aria-label={label}
        aria-describedby={`${id}-about`}
        data-invalid={issue === undefined ? undefined : ""}
      >
        <legend>
          {name}
          {remove}
        </legend>
        {notes}
        <Members {...props} field={field} />
      </fieldset>
    );
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <Control
        field={field}
        value={value}
        isOptional={props.isRequired !== true && props.onRemove === undefined}
        onChange={props.onChange}
        attributes={{
          id,
          required: props.isRequired === true,
          "aria-invalid": issue !== undefined || props.isMissing === true,
          "aria-describedby": `${id}-about`,
        }}
      />
      {remove}
      {notes}
    </div>
  );
}

/** The fields within an object, a list, or one of several schemas. */
export function Members(props: FieldProps & { readonly field: Field }): JSX.Element {
  const { field } = props;
  if (field.kind === "object") return <ObjectMembers {...props} field={field} />;
  if (field.kind === "list") return <Items {...props} item={field.item} />;
  return <Variant {...props} variants={field.kind === "variants" ? field.variants : []} />;
}

function ObjectMembers(props: FieldProps & { readonly field: Field & { readonly kind: "object" } }): JSX.Element {
  const { part, pointer, value, onChange, field } = props;
  const { members, required } = field;
  const own = objectOf(value);
  const set = (name: string, next: Json | undefined): void =>
    onChange(
      Object.fromEntries(Object.entries({ ...own, [name]: next }).filter(([, one]) => one !== undefined)) as Json,
    );
  const names = Object.keys(members);
  const shown = [...new Set([...names, ...Object.keys(own)])].filter(
    (name) => required.includes(name) || Object.hasOwn(own, name),
  );
  return (
    <>
      {shown.map((name) => (
        <FieldView
          key={name}
          part={part}
          pointer={pointer + stepTo(name)}
          label={name}
          schema={members[name]}
          value={Object.hasOwn(own, name) ? own[name] : undefined}
          isRequired={required.includes(name)}
          onChange={(next) => set(name, next)}
          onRemove={required.includes(name) ? undefined : () => set(name, undefined)}
        />
      ))}
      <div class="left-out">
        {names
          .filter((name) => !shown.includes(name))
          .map((name) => (
            <button
              key={name}
              type="button"
              class="quiet"
              aria-label={`Add ${name}`}
              title={aboutOf(fieldOf(part.root, members[name]).schema)}
              onClick={() => {
                set(name, exampleOf(part.root, members[name]));
                focusField(part.name, pointer + stepTo(name));
              }}
            >
              + {name}
            </button>
          ))}
      </div>
    </>
  );
}

function Items(props: FieldProps & { readonly item: Json }): JSX.Element {
  const { part, pointer, label, value, onChange, item } = props;
  const items = typeof value === "string" ? [value] : listOf(value);
  return (
    <>
      {items.slice(0, MAX_ITEMS).map((one, at) => (
        <FieldView
          key={at}
          part={part}
          pointer={pointer + stepTo(at)}
          label={`${label} ${at + 1}`}
          schema={item}
          value={one}
          onChange={(next) => {
            if (next !== undefined) onChange(items.map((old, i) => (i === at ? next : old)));
          }}
          onRemove={() => onChange(items.filter((_, i) => i !== at))}
        />
      ))}
      {items.length > MAX_ITEMS && <p class="hint">{items.length - MAX_ITEMS} more; JSON has them all.</p>}
      <button
        type="button"
        class="quiet"
        onClick={() => {
          onChange([...items, part.texts ? "" : exampleOf(part.root, item)]);
          focusField(part.name, pointer + stepTo(items.length));
        }}
      >
        Add to {label}
      </button>
    </>
  );
}

function Variant(props: FieldProps & { readonly variants: readonly Json[] }): JSX.Element {
  const { part, label, value, onChange, variants } = props;
  const at = variantOf(part.root, variants, value);
  const within = fieldOf(part.root, variants[at]);
  return (
    <>
      <Select
        label={`Kind of ${label}`}
        options={[
          ...(at < 0 ? [[-1, "none of these"] as const] : []),
          ...variants.map((one, i) => [i, variantName(part.root, one)] as const),
        ]}
        value={at}
        onChange={(chosen) => onChange(exampleOf(part.root, variants[Number(chosen)]))}
      />
      {within.kind === "object" ? (
        <Members {...props} field={within} />
      ) : (
        <FieldView {...props} schema={variants[at]} onRemove={undefined} />
      )}
    </>
  );
}

/** The name of a variant: its title, its definition's name, its constants, or else its type. */
function variantName(root: JsonObject, variant: Json): string {
  const field = fieldOf(root, variant);
  const { $ref: ref } = objectOf(variant);
  if (field.schema["title"] !== undefined) return textOf(field.schema["title"]);
  if (field.kind === "choice") return field.choices.map(textOf).join(" | ");
  const constants = field.kind === "object" ? Object.values(field.members).map((one) => objectOf(one)["const"]) : [];
  const names = constants.filter((one) => one !== undefined).map(textOf);
  if (names.length > 0) return names.join(", ");
  return ref === undefined ? textOf(field.schema["type"] ?? field.kind) : textOf(ref).replace(/^.*\//, "");
}

interface ControlProps {
  readonly field: Field;
  readonly value: Json | undefined;
  /** Whether it can be emptied, to be left out. */
  readonly isOptional?: boolean;
  readonly onChange: (value: Json | undefined) => void;
  readonly attributes: Readonly<Record<string, string | boolean>>;
}

function Control({ field, value, isOptional, onChange, attributes }: ControlProps): JSX.Element {
  const { schema } = field;
  if (field.kind === "choice")
    return (
      <select
        {...attributes}
        value={field.choices.findIndex((one) => isSame(one, value))}
        onChange={(event) => onChange(field.choices[Number(event.currentTarget.value)])}
      >
        {(isOptional || value === undefined) && <option value={-1} />}
        {field.choices.map((one, i) => (
          <option value={i}>{textOf(one)}</option>
        ))}
      </select>
    );
  if (field.kind === "json") return <JsonInput value={value} onChange={onChange} attributes={attributes} />;
  const text = value === undefined ? "" : textOf(value);
  const isNumber = field.kind === "number";
  const shared = {
    ...attributes,
    value: text,
    autocomplete: "off",
    placeholder: schema["default"] === undefined ? undefined : textOf(schema["default"]),
    onInput: ({ currentTarget: { value: typed } }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(!isNumber ? typed : typed ? Number(typed) : undefined),
  };
  if (isNumber) {
    const { minimum, maximum, multipleOf = schema["type"] === "integer" ? 1 : "any" } = schema as NumberLimits;
    return <input {...shared} type="number" min={minimum} max={maximum} step={multipleOf} />;
  }
  if (text.includes("\n") || Number(schema["maxLength"]) > 200) return <textarea rows={3} {...shared} />;
  // A date picker shows only dates.
  if (schema["format"] === "date" && /^(\d{4}-\d\d-\d\d)?$/.test(text)) return <input {...shared} type="date" />;
  return <input {...shared} />;
}

type NumberLimits = Partial<Record<"minimum" | "maximum" | "multipleOf", number>>;

function JsonInput({ value, onChange, attributes }: Omit<ControlProps, "field">): JSX.Element {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const text = typed ?? (value === undefined ? "" : JSON.stringify(value));
  const read = exactJson(text);
  return (
    <textarea
      {...attributes}
      rows={2}
      aria-invalid={attributes["aria-invalid"] === true || (text !== "" && read === undefined)}
      placeholder="JSON"
      value={text}
      onInput={({ currentTarget: { value: next } }) => {
        setTyped(next);
        if (!next || exactJson(next) !== undefined) onChange(exactJson(next));
      }}
      onBlur={() => {
        if (read !== undefined) setTyped(undefined);
      }}
    />
  );
}
