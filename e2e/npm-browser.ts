/**
 * The browser from npm: @sparticuz/chromium, a headless Chromium with its libraries and a font, so that it runs on a machine with
 * only Node.
 *
 *   the package ──▶ unpacked once into node_modules/.cache/ ──▶ path, and the environment that finds libraries and fonts
 *
 * The package's own switches are not used. They are made for AWS Lambda, disable web security (CORS would prove nothing) and use
 * a
 * single process, which ends with the first closed page.
 */
import { execFileSync, type StdioOptions } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** An unpacked browser. */
export interface NpmBrowser {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Prints where it unpacked. The package unpacks into the temporary folder, and adds libraries if it detects Lambda. */
const unpack = `
  import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())
    .catch((error) => { console.error(error); process.exitCode = 1; });
`;

/** The browser, or undefined if the package is not installed. @throws Error if it cannot be unpacked. */
export function npmBrowser(): NpmBrowser | undefined {
  const entry = installed();
  if (entry === undefined) return undefined;
  const cache = fileURLToPath(new URL("../../../../.cache", entry));
  const home = join(cache, "chromium");
  const executablePath = join(home, "chromium");
  if (!existsSync(executablePath)) unpackInto(home, cache);
  const env = { LD_LIBRARY_PATH: join(home, "al2023", "lib"), FONTCONFIG_PATH: join(home, "fonts") };
  return { executablePath, env };
}

/** The package's entry: `node_modules/@sparticuz/chromium/build/esm/index.js`. */
function installed(): string | undefined {
  try {
    return import.meta.resolve("@sparticuz/chromium");
  } catch {
    return undefined;
  }
}

/** Unpacks into a temporary folder first, so that an interrupted unpacking is never used as a browser. */
function unpackInto(home: string, cache: string): void {
  mkdirSync(cache, { recursive: true });
  const aside = mkdtempSync(join(cache, "chromium-"));
  try {
    const env = { ...process.env, TMPDIR: aside, AWS_LAMBDA_JS_RUNTIME: "nodejs20.x" };
    const stdio: StdioOptions = ["ignore", "ignore", "pipe"];
    execFileSync(process.execPath, ["-e", unpack], { cwd: import.meta.dirname, env, stdio });
    const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${home}/fonts</dir>
  <cachedir>${home}/fonts-cache</cachedir>
</fontconfig>
`;
    writeFileSync(join(aside, "fonts", "fonts.conf"), fonts);
    rmSync(home, { recursive: true, force: true });
    renameSync(aside, home);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
