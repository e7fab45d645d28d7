/** The command line of `--profile query`: its options and its output. */
import type { ProbeOptions } from "../kit/probe.ts";
import { queryExitCode, queryScreen, runQueryProfile } from "./profile.ts";

/** The options of only this profile. */
export const queryOptions = {
  type: { type: "string" },
  body: { type: "string" },
  "other-body": { type: "string" },
  "bad-body": { type: "string" },
  origin: { type: "string" },
  moved: { type: "string" },
} as const;

type Values = Readonly<Partial<Record<keyof typeof queryOptions, string | undefined>>>;

/** Their help text. */
export const queryUsage = `--profile query holds any resource that takes QUERY against RFC 10008; it needs no subject. --url is that of the resource.

  --type <media type>     of its queries (application/json)
  --body <text>           a query that succeeds ({})
  --other-body <text>     another, with another result
  --bad-body <text>       content that is malformed in its type ({ where the type is JSON)
  --origin <origin>       whose pages may send queries
  --moved <path>          redirects to the resource`;

/** Runs the checks. @throws Error that says what is wrong with an option, or that nothing responds at the URL */
export async function runQueryCommand(
  url: URL,
  { type = "application/json", body = "{}", "other-body": otherBody, "bad-body": badBody, origin, moved }: Values,
  probing: ProbeOptions,
): Promise<{ readonly text: string; readonly json: string; readonly code: 0 | 1 | 2 }> {
  if (!/^[^\s/;,]+\/[^\s/;,]+$/.test(type)) throw new Error(`--type ${type} is no media type`);
  if (moved !== undefined && !moved.startsWith("/"))
    throw new Error(`--moved ${moved}: a path that begins with / is allowed`);
  const malformed = badBody ?? (/[/+]json$/.test(type) ? "{" : undefined);
  const resource = { url, type, body, otherBody, badBody: malformed, origin, moved };
  const results = await runQueryProfile(resource, probing);
  const json = `${JSON.stringify({ report: "query/1", url: url.href, results }, null, 2)}\n`;
  return { text: queryScreen(results), json, code: queryExitCode(results) };
}
