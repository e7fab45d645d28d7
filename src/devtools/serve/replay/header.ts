/**
 * The header of a replay, read strictly. An invalid one is rejected, never taken for a request without it.
 *
 *   X-Framework-Replay = run OWS ";" OWS "beans=" [ bean *( "," bean ) ] [ OWS ";" OWS "what-if=" outcomes ]
 *                        [ OWS ";" OWS "profile=1" ] [ OWS ";" OWS "ticket=" ticket ]
 *   run = instance "." sequence      bean = an id of the graph, percent-encoded      outcomes = JSON in base64url
 *
 * Spec: spec/replay.md
 */
import type { WhatIf } from "../../run/shapes.ts";
import { readWhatIf } from "../../record/replay/what-if.ts";

/** The content of the header. */
export interface ReplayRequest {
  /** `{instance}.{sequence}` */
  readonly key: string;
  /** Empty only with `whatIf` or `isProfiled`, and of a job. */
  readonly beans: readonly string[];
  readonly whatIf: readonly WhatIf[];
  readonly isProfiled: boolean;
  readonly ticket: string | undefined;
}

/** The form of a run's name. */
const key = String.raw`[A-Za-z0-9-]{1,64}\.[1-9]\d{0,14}`;
const separated = String.raw`[ \t]*;[ \t]*`;
const runKey = new RegExp(`^${key}$`);
const wellFormed = new RegExp(
  String.raw`^(${key})${separated}beans=([^\s;"]{0,4096})(?:${separated}what-if=([\w-]{1,8192}))?(${separated}profile=1)?(?:${separated}ticket=([A-Za-z0-9-]{1,64}))?$`,
);

/** Whether this is `{instance}.{sequence}`. */
export const isRunKey = (text: string): boolean => runKey.test(text);

/**
 * The requested replay, or the sentence that names the mistake. @param values one entry per field line @param isOfJob then its
 * beans may be empty, since an attempt at a job cannot be sent in another way
 */
export function readReplay(values: readonly string[], isOfJob = false): ReplayRequest | string {
  const [value, ...more] = values;
  const [, run, list = "", outcomes, profile, ticket] = wellFormed.exec(value ?? "") ?? [];
  const isEmpty = list === "" && (isOfJob || (outcomes ?? profile) !== undefined);
  const beans = isEmpty ? [] : readBeans(list);
  if (run === undefined || more.length > 0 || beans === undefined)
    return "X-Framework-Replay is one line <instance>.<sequence>;beans=<bean>,<bean>, each bean an id of the graph, percent-encoded";
  const whatIf = outcomes === undefined ? [] : readWhatIf(outcomes);
  if (whatIf === undefined)
    return 'what-if is base64url of a JSON list of 1 to 20 outcomes: { "call": 7 } with "returns", "throws": { "name", "message" } or "afterMs"';
  return { key: run, beans, whatIf, isProfiled: profile !== undefined, ticket };
}

/** Ids in a list, each once. Undefined if one is empty or not encoded. */
export function readBeans(list: string): readonly string[] | undefined {
  try {
    const beans = list.split(",").map(decodeURIComponent);
    return beans.includes("") ? undefined : [...new Set(beans)];
  } catch {
    return undefined;
  }
}
