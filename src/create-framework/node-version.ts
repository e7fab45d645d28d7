/**
 * Checks the Node version. It is loaded before anything else, by a Node of any version, so it uses only syntax and modules of
 * Node 14.
 */

/** Why the program does not run on that Node, or undefined if it does. @param version such as `20.19.3` */
export function unsupported(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  const runs = major === 20 ? minor > 19 || (minor === 19 && patch >= 3) : major > 22 || (major === 22 && minor >= 3);
  if (runs) return undefined;
  return `this is Node ${version}: 20.19.3 or newer within 20, or 22.3 and newer is needed, see https://nodejs.org`;
}

/** Loads the program if that Node can run it, else writes why not. @returns whether it was loaded */
export async function onSupported(
  version: string,
  load: () => Promise<unknown>,
  write: (line: string) => unknown = (line) => process.stderr.write(line),
): Promise<boolean> {
  const reason = unsupported(version);
  if (reason === undefined) await load();
  else write(`create-framework: ${reason}\n`);
  return reason === undefined;
}
