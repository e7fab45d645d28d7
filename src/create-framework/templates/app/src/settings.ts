/**
 * What the environment says of how the program runs.
 *
 *   PORT       where it listens (8080); 0 picks a free one
 *   DATA_FILE  keeps the tasks in that file; without it, in memory
 *   NODE_ENV   production: logs are JSON, for machines; otherwise text, for people
 */

export interface Settings {
  readonly port: number | undefined;
  readonly dataFile: string | undefined;
  readonly jsonLog: boolean;
}

/** A variable that is wrong: its message says what is allowed. */
export class SettingsError extends Error {}

/** @throws SettingsError that says which variable is wrong, and what is allowed */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  return {
    port: portFrom(env["PORT"]),
    dataFile: env["DATA_FILE"] || undefined,
    jsonLog: env["NODE_ENV"] === "production",
  };
}

function portFrom(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new SettingsError(`PORT is ${JSON.stringify(text)}: a number from 0 to 65535 is allowed`);
  return Number(text);
}
