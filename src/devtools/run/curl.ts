/**
 * A request as a curl command for POSIX shells. Pure.
 */

/** The command, with every value in single quotes. @param body further arguments, quoted already */
export function curlCommand(
  method: string,
  url: string,
  headers: readonly (readonly [name: string, value: string])[],
  body: readonly string[],
): string {
  const option = method === "GET" ? [] : method === "HEAD" ? ["--head"] : [`--request ${shellQuoted(method)}`];
  const lines = headers.map(([name, value]) => `--header ${shellQuoted(value ? `${name}: ${value}` : `${name};`)}`);
  return [`curl --globoff ${shellQuoted(url)}`, ...option, ...lines, ...body].join(" \\\n  ");
}

/** The text in single quotes. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
