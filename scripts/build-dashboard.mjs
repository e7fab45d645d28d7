/**
 * Builds the dashboard into one HTML file and the module that serves it.
 *
 *   main.tsx, boot.ts, style.css, run/graph/tokens.ts ──▶ esbuild ──▶ one page ──▶ dist/dashboard/page.js
 *
 * The content security policy names the hashes of the script and the style in the page. Both are written together here, so they
 * can never differ. The same input gives the same bytes.
 */

import { minify } from "@swc/core";
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { writeChanged } from "./write-files.mjs";

const root = new URL("../src/devtools/", import.meta.url);

/** @param {string} entry @param {Record<string, unknown>} [options] */
async function bundle(entry, options = {}) {
  const result = await build({
    ...(options.stdin === undefined && { entryPoints: [new URL(`dashboard/${entry}`, root).pathname] }),
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome111", "firefox115", "safari16.4"],
    legalComments: "none",
    charset: "utf8",
    mainFields: ["module", "main"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
    ...options,
  });
  return result.outputFiles[0].text.trim().replaceAll("\r\n", "\n");
}

/**
 * The models (.ts) and views (.tsx) of each room, in the order that gzip compresses best with its window of 32 kB: similar ones
 * together, the views with most class names next to the style. Found by experiment. A room that is not listed here is placed at
 * its first import.
 */
const order =
  "page.ts forms.ts json.ts leaves.ts replay.ts runs.ts compare.ts lanes.ts start.ts graph.tsx " +
  "timeline.tsx forms.tsx request.tsx replay.tsx plugins.tsx app.tsx page.tsx node.tsx app.ts " +
  "json.tsx compare.tsx start.tsx timeline.ts request.ts plugins.ts graph.ts runs.tsx node.ts " +
  "lanes.tsx shell.tsx leaves.tsx shell.ts";

/** The page with its modules in that order. Each is imported by name, since the package declares no side effects. */
async function inOrder() {
  const modules = [];
  for (const part of order.split(" ")) {
    const [room, ending] = part.split(".");
    const names = (await readdir(new URL(`dashboard/${room}/`, root))).sort();
    modules.push(...names.filter((name) => name.endsWith(`.${ending}`)).map((name) => `./${room}/${name}`));
  }
  const wanted = [...modules.filter((name) => !name.includes(".test.")), "./main.tsx"];
  return {
    contents: wanted.map((name) => `import ${JSON.stringify(name)};`).join("\n"),
    resolveDir: fileURLToPath(new URL("dashboard/", root)),
  };
}

/** Elements are made by Preact's own `h`, which the page needs anyway. Its JSX runtime would add a second function for that. */
const elements = {
  tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "h", jsxFragmentFactory: "Fragment" } },
  inject: [fileURLToPath(import.meta.resolve("preact"))],
  ignoreAnnotations: true,
};

/** @param {string} script text that may be inside a script element */
const inScript = (script) => script.replace(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--");

/** @param {string} text */
const sha256 = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

const tokens = await import(
  `data:text/javascript,${encodeURIComponent(await bundle("../run/graph/tokens.ts", { format: "esm" }))}`
);
const css = `${tokens.tokensCss()}\n${await bundle("style.css", {})}`;
const boot = inScript(await bundle("boot.ts"));
// A second pass by swc, which Next.js uses too. It folds, inlines and mangles better than a bundler, and saves 4 kB of the
// page's gzip. It makes no "pure" or "unsafe" assumptions, since reading a signal's value subscribes to it.
const { code } = await minify(await bundle("main.tsx", { ...elements, stdin: await inOrder() }), {
  compress: { passes: 5, toplevel: true },
  mangle: { toplevel: true },
  ecma: 2020,
  module: false,
});
const app = inScript(code);

// The style is next to the views, whose class names it repeats. A module runs when all of the page is there.
// HTML §13.1.2.3 and §13.1.2.4 allow omitting most tags of head and body, the end of html and quotation marks.
const html =
  `<!doctype html><html lang=en><meta charset=utf-8>` +
  `<meta name=viewport content="width=device-width,initial-scale=1"><meta name=referrer content=no-referrer>` +
  `<title>Devtools</title><link rel=icon href="data:,"><script>${boot}</script>` +
  `<script type=module>${app}</script><style>${css}</style><div id=app></div>`;
const csp = [
  "default-src 'none'",
  `script-src ${sha256(boot)} ${sha256(app)}`,
  `style-src ${sha256(css)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");
const etag = `"${createHash("sha256").update(html).update(csp).digest("base64url").slice(0, 22)}"`;

const out = new URL("dist/dashboard/", root);
writeChanged(
  fileURLToPath(new URL("page.js", out)),
  `/** Built by scripts/build-dashboard.mjs: the page, its policy and its tag. */\n` +
    `export const page = ${JSON.stringify({ html, csp, etag })};\n`,
);
writeChanged(
  fileURLToPath(new URL("page.d.ts", out)),
  `/** The dashboard, built into one file. */\n` +
    `export declare const page: { readonly html: string; readonly csp: string; readonly etag: string };\n`,
);
// For size-limit, which measures files.
writeChanged(fileURLToPath(new URL("../../.build/dashboard/page.html", root)), html);
console.log(`dashboard: ${Buffer.byteLength(html)} bytes, ${gzipSync(html, { level: 9 }).length} gzipped`);
