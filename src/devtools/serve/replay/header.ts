/**
 * The header of a replay, read strictly. An invalid one is rejected, never taken for a request without it.
 *
 *   X-Framework-Replay = run OWS ";" OWS "beans=" bean *( "," bean ) [ OWS ";" OWS "ticket=" ticket ]
 *   run = instance "." sequence      bean = an id of the graph, percent-encoded
 *
 * Spec: spec/replay.md
 */

/** The content of the header. */
export interface ReplayRequest {
  /** `{instance}.{sequence}` */
  readonly key: string;
  readonly beans: readonly string[];
  readonly ticket: string | undefined;
}

/** The form of a run's name. */
const key = String.raw`[A-Za-z0-9-]{1,64}\.[1-9]\d{0,14}`;
const runKey = new RegExp(`^${key}$`);
const wellFormed = new RegExp(
  String.raw`^(${key})[ \t]*;[ \t]*beans=([^\s;"]{1,4096})(?:[ \t]*;[ \t]*ticket=([A-Za-z0-9-]{1,64}))?$`,
);

/** Whether this is `{instance}.{sequence}`. */
export const isRunKey = (text: string): boolean => runKey.test(text);

/** The requested replay, or the sentence that names the mistake. @param values one entry per field line */
export function readReplay(values: readonly string[]): ReplayRequest | string {
  const [value, ...more] = values;
  const [, run, list = "", ticket] = wellFormed.exec(value ?? "") ?? [];
  const beans = readBeans(list);
  if (run === undefined || more.length > 0 || beans === undefined)
    return "X-Framework-Replay is one line <instance>.<sequence>;beans=<bean>,<bean>, each bean an id of the graph, percent-encoded";
  return { key: run, beans, ticket };
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
