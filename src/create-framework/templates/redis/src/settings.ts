/**
 * The settings from the environment.
 *
 *   PORT       where it listens (8080); 0 picks a free one
 *   HOST       the address where it listens (127.0.0.1, and in production every interface)
 *   REDIS_URL  keeps the shared state of all processes in that Redis; without it, in memory. Production needs it
 *   DATA_FILE  without REDIS_URL: keeps the tasks in that file
 *   PROXIES    how many proxies are in front of it and set X-Forwarded-For (0): the rate limit is by client
 *   OPS_TOKEN  the bearer token for /metrics and /openapi.json; without it they are hidden in production
 *   NODE_ENV   production: logs are JSON, for machines; otherwise text, for people
 */

export interface Settings {
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly redisUrl: string | undefined;
  readonly dataFile: string | undefined;
  readonly proxies: number;
  readonly jsonLog: boolean;
  readonly opsToken: string | undefined;
}

/** An invalid variable: its message says what is allowed. */
export class SettingsError extends Error {}

/** @throws SettingsError that says which variable is wrong, and what is allowed */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const jsonLog = env["NODE_ENV"] === "production";
  return {
    port: portFrom(env["PORT"]),
    host: env["HOST"] || (jsonLog ? undefined : "127.0.0.1"),
    redisUrl: redisUrlFrom(env["REDIS_URL"], jsonLog),
    dataFile: env["DATA_FILE"] || undefined,
    proxies: proxiesFrom(env["PROXIES"]),
    jsonLog,
    opsToken: opsTokenFrom(env["OPS_TOKEN"], jsonLog),
  };
}

function proxiesFrom(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  if (!/^\d$/.test(text))
    throw new SettingsError(`PROXIES is ${JSON.stringify(text)}: a number from 0 to 9 is allowed`);
  return Number(text);
}

/** Production without one gets a random token, so that no client has access. */
function opsTokenFrom(text: string | undefined, isProduction: boolean): string | undefined {
  if (text === undefined || text === "") return isProduction ? crypto.randomUUID() : undefined;
  if (!/^[\w\-.~+/]+=*$/.test(text))
    throw new SettingsError("OPS_TOKEN is no bearer token: openssl rand -hex 32 makes one");
  return text;
}

function portFrom(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new SettingsError(`PORT is ${JSON.stringify(text)}: a number from 0 to 65535 is allowed`);
  return Number(text);
}

/** The URL may contain a password, so the message does not show it. */
function redisUrlFrom(text: string | undefined, isNeeded: boolean): string | undefined {
  if (text === undefined || text === "") {
    if (isNeeded) throw new SettingsError("REDIS_URL is missing: production keeps sessions and tasks in Redis");
    return undefined;
  }
  if (!/^(?:rediss?:\/\/[^/]|unix:\/\/)/.test(text) || !URL.canParse(text))
    throw new SettingsError("REDIS_URL is none: redis://host:6379, rediss://host:6380 or unix:///path is allowed");
  return text;
}
