/**
 * Finds the browser for the e2e tests.
 *
 *   E2E_CHROMIUM ──▶ chromium-headless-shell, chromium, google-chrome, chrome on PATH ──▶ @sparticuz/chromium from npm
 *     ──▶ one line, exit 1
 *
 * The headless shell comes first, since a full Chromium also draws the windows, tabs and menus of each page, which doubles the
 * time.
 *
 * It returns the path of an executable, or the run ends with a sentence and exit code 1. Tests are never skipped silently.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { npmBrowser } from "./npm-browser.ts";

/** How to launch the browser: its path, its switches, and its environment if that differs from this process's. */
export interface Browser {
  readonly executablePath: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
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
 * The browser to use, or `undefined` if the machine has none.
 *
 * @throws Error if `E2E_CHROMIUM` is not executable, or npm's browser cannot be unpacked.
 */
export function findBrowser(env: Readonly<Record<string, string | undefined>>): Browser | undefined {
  const chosen = env["E2E_CHROMIUM"];
  if (chosen) {
    if (!executable(chosen)) throw new Error(`E2E_CHROMIUM=${chosen} is not an executable file`);
    return { executablePath: chosen, args: quiet };
  }
  const found = onPath(
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"],
    env["PATH"] ?? "",
  );
  if (found) return { executablePath: found, args: quiet };
  const carried = npmBrowser();
  return carried && { executablePath: carried.executablePath, args: quiet, env: { ...process.env, ...carried.env } };
}

/** As `findBrowser`, but ends the process with one clear line if there is none. */
export function requireBrowser(): Browser {
  const reason =
    "no browser: set E2E_CHROMIUM to a Chromium, install chromium, or run `npm ci` with optional dependencies";
  try {
    const browser = findBrowser(process.env);
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
