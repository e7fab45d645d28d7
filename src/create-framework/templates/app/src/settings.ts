/**
 * The settings from the environment.
 *
 *   PORT       where it listens (8080); 0 picks a free one
 *   METRICS_PORT  where /metrics listens (9464)
 *   HOST       the address where it listens (127.0.0.1, and in production every interface)
 * {{if work}}
 *   ROLE       web serves requests, worker does jobs; without it, the process does both
 * {{end}}
 * {{if pg}}
 *   DATABASE_URL  keeps tasks and jobs in that PostgreSQL; without it, in memory. Production needs it
 * {{end}}
 * {{if redis}}
 *   REDIS_URL  keeps the shared state of all processes in that Redis; without it, in memory. Production needs it
 * {{if pg}}
 *   DATA_FILE  without DATABASE_URL and REDIS_URL: keeps the tasks in that file
 * {{else}}
 *   DATA_FILE  without REDIS_URL: keeps the tasks in that file
 * {{end}}
 *   PROXIES    how many proxies are in front of it and set X-Forwarded-For (0): the rate limit is by client
 * {{else}}
 * {{if pg}}
 *   DATA_FILE  without DATABASE_URL: keeps the tasks in that file
 * {{else}}
 *   DATA_FILE  keeps the tasks in that file; without it, in memory
 * {{end}}
 * {{end}}
 *   OPS_TOKEN  the bearer token for /openapi.json; without it, it is hidden in production
 *   NODE_ENV   production: logs are JSON, for machines; otherwise text, for people
 */

// {{if work}}
/** What a process does: serve requests, do jobs, or both. */
export type Role = "web" | "worker" | "both";

// {{end}}
export interface Settings {
  readonly port: number | undefined;
  readonly metricsPort: number;
  readonly host: string | undefined;
  // {{if work}}
  readonly role: Role;
  // {{end}}
  // {{if pg}}
  readonly databaseUrl: string | undefined;
  // {{end}}
  // {{if redis}}
  readonly redisUrl: string | undefined;
  // {{end}}
  readonly dataFile: string | undefined;
  // {{if redis}}
  readonly proxies: number;
  // {{end}}
  readonly jsonLog: boolean;
  readonly opsToken: string | undefined;
}

/** An invalid variable: its message says what is allowed. */
export class SettingsError extends Error {}

/** @throws SettingsError that says which variable is wrong, and what is allowed */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  const jsonLog = env["NODE_ENV"] === "production";
  return {
    port: portFrom("PORT", env["PORT"]),
    metricsPort: portFrom("METRICS_PORT", env["METRICS_PORT"]) ?? 9_464,
    host: env["HOST"] || (jsonLog ? undefined : "127.0.0.1"),
    // {{if work}}
    role: roleFrom(env["ROLE"]),
    // {{end}}
    // {{if pg}}
    databaseUrl: databaseUrlFrom(env["DATABASE_URL"], jsonLog),
    // {{end}}
    // {{if redis}}
    redisUrl: redisUrlFrom(env["REDIS_URL"], jsonLog),
    // {{end}}
    dataFile: env["DATA_FILE"] || undefined,
    // {{if redis}}
    proxies: proxiesFrom(env["PROXIES"]),
    // {{end}}
    jsonLog,
    opsToken: opsTokenFrom(env["OPS_TOKEN"], jsonLog),
  };
}

// {{if work}}
function roleFrom(text: string | undefined): Role {
  if (text === undefined || text === "") return "both";
  if (text !== "web" && text !== "worker")
    throw new SettingsError(`ROLE is ${JSON.stringify(text)}: web or worker is allowed`);
  return text;
}

// {{end}}
// {{if pg}}
/** The URL may contain a password, so the message does not show it. */
function databaseUrlFrom(text: string | undefined, isNeeded: boolean): string | undefined {
  if (text === undefined || text === "") {
    if (isNeeded) throw new SettingsError("DATABASE_URL is missing: production keeps tasks and jobs in PostgreSQL");
    return undefined;
  }
  if (!/^postgres(?:ql)?:\/\/./.test(text))
    throw new SettingsError("DATABASE_URL is none: postgres://user:password@host:5432/name is allowed");
  return text;
}

// {{end}}
// {{if redis}}
function proxiesFrom(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  if (!/^\d$/.test(text))
    throw new SettingsError(`PROXIES is ${JSON.stringify(text)}: a number from 0 to 9 is allowed`);
  return Number(text);
}

// {{end}}
/** Production without one gets a random token, so that no client has access. */
function opsTokenFrom(text: string | undefined, isProduction: boolean): string | undefined {
  if (text === undefined || text === "") return isProduction ? crypto.randomUUID() : undefined;
  if (!/^[\w\-.~+/]+=*$/.test(text))
    throw new SettingsError("OPS_TOKEN is no bearer token: openssl rand -hex 32 makes one");
  return text;
}

function portFrom(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new SettingsError(`${name} is ${JSON.stringify(text)}: a number from 0 to 65535 is allowed`);
  return Number(text);
}
// {{if redis}}

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
// {{end}}
