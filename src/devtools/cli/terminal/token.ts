/**
 * Token: the secret of devtools that require one, from where the project keeps it.
 *
 *   FRAMEWORK_DEVTOOLS_TOKEN ──▶ else .framework/devtools-token of this folder or one above it ──▶ X-Framework-Dev-Token
 *
 * It is never typed into a command, since the list of processes and the shell's history would have it. A token from a
 * file is sent only to this machine, because an address that someone else wrote into a script must not collect it.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TOKEN_FORM } from "../../run/wire.ts";

/** The token to show to that host, or undefined if there is none for it. */
export function tokenFor(
  host: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = env["FRAMEWORK_DEVTOOLS_TOKEN"];
  if (named !== undefined && TOKEN_FORM.test(named)) return named;
  return isThisMachine(host) ? keptToken(folder) : undefined;
}

/** `localhost` and its subdomains, 127.x.x.x and `[::1]`: the hosts that devtools serve by default. */
export function isThisMachine(host: string): boolean {
  return /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(host);
}

/** The token that the project keeps, in the folder or in the nearest one above it that has one. */
function keptToken(folder: string): string | undefined {
  const token = read(join(folder, ".framework", "devtools-token"));
  if (token !== undefined) return token;
  const above = dirname(folder);
  return above === folder ? undefined : keptToken(above);
}

function read(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8").trim();
    return TOKEN_FORM.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
