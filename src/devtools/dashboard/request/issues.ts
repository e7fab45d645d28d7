/**
 * The application's objections to a request, while they still apply to the editor's content.
 *
 *   422 { errors: [{ in: "body", path: ["lines", 0, "sku"], message }] } ──▶ its issues, without those whose value was edited
 *         moreErrors                                                      ──▶ how many it does not list
 */

import { computed, type ReadonlySignal } from "@preact/signals";
import { isSame, listOf, objectOf, stepTo, valueAt } from "../forms/schema.ts";
import { isObject, jsonOf, textOf } from "../../run/values.ts";
import type { Use } from "../store/slice.ts";
import { readBody } from "./body.ts";
import { pairsIn, type TextPart } from "./declared.ts";
import type { Draft } from "./draft-text.ts";
import { draftsSlice } from "./drafts.ts";
import type { ReceivedResponse } from "./receive.ts";
import { sendSlice } from "./send.ts";

/** One rejected value. */
export interface Issue {
  readonly part: TextPart;
  /** Its place in that part, as a JSON pointer. */
  readonly pointer: string;
  readonly message: string;
}

/** The issues of the selected exchange that still apply. */
export function issuesSlice(use: Use): ReadonlySignal<readonly Issue[]> {
  const { exchange } = use(sendSlice);
  const { draft } = use(draftsSlice);
  return computed(() => {
    const { response, sent } = exchange.value ?? {};
    if (!response || !sent || !draft.value) return [];
    return issuesOf(response, sent, draft.value);
  });
}

/** The least number of issues in addition to the listed ones, from the response; NaN if it has none. */
export const unlistedIn = (response: ReceivedResponse | undefined): number =>
  Number(response && objectOf(readBody(response).json)["moreErrors"]);

const PARTS = ["params", "query", "headers", "cookies", "body"] as const;

/** The issues in a response about values that the draft still has. */
export function issuesOf(response: ReceivedResponse, sent: Draft, draft: Draft): Issue[] {
  if (response.status < 400 || response.status >= 500) return [];
  return listOf(objectOf(readBody(response).json)["errors"]).flatMap((error) => {
    const { in: place, path, message } = objectOf(error);
    const part = PARTS.find((name) => name === (place ?? "body"));
    if (!part || !Array.isArray(path) || typeof message !== "string") return [];
    const keys = listOf(path).map(textOf);
    const isEdited = !isSame(valueIn(sent, part, keys), valueIn(draft, part, keys));
    return isEdited ? [] : [{ part, pointer: keys.map(stepTo).join(""), message }];
  });
}

function valueIn(draft: Draft, part: TextPart, keys: readonly string[]): unknown {
  const value = part === "body" ? jsonOf(draft.body) : undefined;
  if (isObject(value) || Array.isArray(value)) return valueAt(value, keys);
  return pairsIn(draft, part).filter(([name]) => keys.length === 0 || name === keys[0]);
}
