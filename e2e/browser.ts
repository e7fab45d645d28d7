/**
 * Finds the browser for the e2e tests.
 *
 *   E2E_CHROMIUM ──▶ chromium, google-chrome, chrome on PATH ──▶ @sparticuz/chromium from npm ──▶ one line, exit 1
 *
 * Guarantee: a path that can be executed, or the run ends with a sentence and exit code 1; tests are
 * never skipped silently.
 */
import { accessSync, constants, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where the browser is, and the switches that this build of it needs. */
export interface Browser {
  readonly executablePath: string;
  readonly args: readonly string[];
}

const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * The browser to use, or `undefined` when the machine has none.
 *
 * @throws Error when `E2E_CHROMIUM` is set to something that cannot be executed.
 */
export async function findBrowser(env: Readonly<Record<string, string | undefined>>): Promise<Browser | undefined> {
  const chosen = env["E2E_CHROMIUM"];
  if (chosen) {
    if (!executable(chosen)) throw new Error(`E2E_CHROMIUM=${chosen} is not an executable file`);
    return { executablePath: chosen, args: quiet };
  }
  const found = onPath(["chromium", "chromium-browser", "google-chrome", "chrome"], env["PATH"] ?? "");
  return found ? { executablePath: found, args: quiet } : fromNpm();
}

/** As `findBrowser`, but ends the process with one clear line when there is none. */
export async function requireBrowser(): Promise<Browser> {
  const reason =
    "no browser: set E2E_CHROMIUM to a Chromium, install chromium, or run `npm ci` with optional dependencies";
  try {
    const browser = await findBrowser(process.env);
    if (browser) return browser;
    process.stderr.write(`${reason}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : reason}\n`);
  }
  process.exit(1);
}

function onPath(names: readonly string[], path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(executable);
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The npm package unpacks its browser into the temporary directory; ours keeps it inside .build/. */
async function fromNpm(): Promise<Browser | undefined> {
  const target = join(import.meta.dirname, "..", ".build", "browser");
  try {
    mkdirSync(target, { recursive: true });
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = target;
    try {
      const { default: chromium } = await import("@sparticuz/chromium");
      return { executablePath: await chromium.executablePath(), args: [...new Set([...chromium.args, ...quiet])] };
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  } catch {
    return undefined;
  }
}
