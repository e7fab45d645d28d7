/**
 * The fields that a contract declares: of a part with texts as values, and of a JSON body.
 */

import type { JSX } from "preact";
import { FieldView, Members, type FormPart } from "../forms/field.tsx";
import { fieldOf, fits, stepTo } from "../forms/schema.ts";
import { remembered } from "../page/storage.ts";
import { isBoolean, textOf } from "../../run/values.ts";
import type { Json, JsonObject, RouteInfo } from "../../run/shapes.ts";
import { declaredIn, declaredValue, withValues, type TextPart } from "./declared.ts";
import type { Draft } from "./draft-text.ts";
import { drafts, issues } from "./page-request.ts";

interface PartProps {
  readonly route: RouteInfo;
  readonly draft: Draft;
  readonly part: TextPart;
  /** The names to show, declared or not; default: the declared ones. */
  readonly names?: readonly string[];
  /** Whether a name without a value is missing. */
  readonly isTried?: boolean;
}

/** A field for each declared name of a part. */
export function DeclaredFields({ route, draft, part, names, isTried = false }: PartProps): JSX.Element {
  const declared = declaredIn(route, part);
  const form = useFormPart(part, declared.root, true);
  return (
    <>
      {(names ?? Object.keys(declared.members)).map((name) => {
        const value = declaredValue(declared, part, draft, name);
        return (
          <FieldView
            key={name}
            part={form}
            pointer={stepTo(name)}
            label={name}
            schema={declared.members[name]}
            value={value}
            isRequired={declared.required.includes(name)}
            isMissing={isTried && (value ?? "") === ""}
            onChange={(next) => {
              const texts = next === undefined || next === "" ? [] : [next].flat();
              drafts.setDraft(withValues(declared, part, draft, name, texts.map(textOf)));
            }}
          />
        );
      })}
    </>
  );
}

/** Whether a body with a schema is shown as a form. Kept for all routes. */
export const wantsForm = remembered(() => localStorage, "framework-dev.body-form", true, isBoolean);

/** A JSON body as a form. */
export function BodyForm(props: {
  /** Default: Body. */
  readonly label?: string;
  readonly root: JsonObject;
  readonly value: Json | undefined;
}): JSX.Element {
  const { label = "Body", root, value } = props;
  const form = useFormPart("body", root, false);
  const field = fieldOf(root, root);
  const shown = {
    part: form,
    pointer: "",
    label,
    schema: root,
    value,
    onChange: (next: Json | undefined) =>
      drafts.setDraft({ body: next === undefined ? "" : JSON.stringify(next, null, 2) }),
  };
  return field.kind === "object" && fits(field, value) ? (
    <Members {...shown} field={field} />
  ) : (
    <FieldView {...shown} />
  );
}

function useFormPart(name: TextPart, root: JsonObject, texts: boolean): FormPart {
  const own = issues.value.filter(({ part }) => part === name);
  return { name, root, texts, issues: new Map(own.map(({ pointer, message }) => [pointer, message])) };
}
