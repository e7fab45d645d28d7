/**
 * Builds the page: one script in memory, and its HTML.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Page } from "./app.ts";

/** @param folder the sources of this example @throws the errors of esbuild */
export async function buildPage(folder: string): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "page.ts")],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  return { html: readFileSync(join(folder, "page.html"), "utf8"), script: outputFiles[0]?.text ?? "" };
}
