/**
 * What a bundler keeps of the framework: a hello app drops what it does not use, and runs without a `node:` import.
 *
 *   hello app ──esbuild --platform=neutral──▶ one file ──▶ size · no marker of an unused feature · no import ──▶ answers
 *
 * The check first shows that it can fail: an app that uses every feature has every marker in it.
 */
import { build } from "esbuild";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./process.mjs";

const MAX_KIB = 82;

const hello = `
import { Framework } from "framework";
export const app = Framework.create().get("/hello/{name}", (ctx) => ctx.text("Hello " + ctx.pathParam("name")));
`;
const everything = `
import * as all from "framework";
globalThis.kept = [all];
`;
/** A text that only that feature has in it. */
const markers = {
  CorsMiddleware: "Access-Control-Allow-Origin",
  Beans: "is not bound",
  HealthMiddleware: "/health",
  RequestLoggingMiddleware: "userAgent",
  InMemoryMetricsCollector: "http_server_request_duration_seconds",
  RequestIdMiddleware: "getRandomValues",
};

const everyFeature = await bundled(everything);
const missing = Object.entries(markers).filter(([, text]) => !everyFeature.text.includes(text));
const app = await bundled(hello);
const kept = Object.entries(markers).filter(([, text]) => app.text.includes(text));
const imports = [...app.imports, ...everyFeature.imports];
const size = app.text.length / 1_024;

const findings = [
  ...missing.map(([name, text]) => `an app with everything holds no ${text}: ${name} has another marker now`),
  ...kept.map(([name, text]) => `a hello app holds ${text}: ${name} is not dropped`),
  ...imports.map((path) => `${path} is imported: a host without Node's modules could not load it`),
  ...(size > MAX_KIB ? [`a hello app is ${size.toFixed(1)} KiB, more than ${MAX_KIB}`] : []),
  ...(await answers(app.text)),
];
const all = (everyFeature.text.length / 1_024).toFixed(1);
process.stdout.write(`a hello app: ${size.toFixed(1)} KiB minified; with everything: ${all} KiB\n`);
for (const sentence of findings) process.stdout.write(`${sentence}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;

/** @param {string} contents */
async function bundled(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    write: false,
    metafile: true,
    external: ["node:*"],
    logLevel: "error",
  });
  const [output] = Object.values(metafile.outputs);
  return { text: outputFiles[0].text, imports: output.imports.map(({ path }) => path) };
}

/** @param {string} text the bundled hello app, loaded from a folder without packages */
async function answers(text) {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"));
  try {
    const file = join(folder, "app.mjs");
    writeFileSync(file, text);
    const { app } = await import(pathToFileURL(file).href);
    const body = await (await app.fetch(new Request("http://localhost/hello/Ada"))).text();
    return body === "Hello Ada" ? [] : [`the bundled app answers ${JSON.stringify(body)}`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
