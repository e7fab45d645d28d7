/**
 * Bundles what `framework-devtools mcp` needs of the official kit of the Model Context Protocol into one file, so that
 * `@framework/devtools` installs nothing. Only that command loads it.
 *
 *   src/devtools/cli/mcp/kit.ts + @modelcontextprotocol/server, core, zod ──▶ esbuild ──▶ src/devtools/dist/cli/mcp/kit.js
 *
 * One part stays out. The kit brings a validator of JSON Schemas for what a client responds to a question of the server:
 * this server asks none. The licences of what is inside stand at the top of the file.
 */
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeChanged } from "./write-files.mjs";

const path = (/** @type {string} */ relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

const bundled = ["@modelcontextprotocol/server", "@modelcontextprotocol/core", "zod"];
const licences = bundled.map((name) => {
  const { version, license } = JSON.parse(readFileSync(path(`node_modules/${name}/package.json`), "utf8"));
  return `${name} ${version} (${license})`;
});
const texts = [...new Set(bundled.map((name) => readFileSync(path(`node_modules/${name}/LICENSE`), "utf8").trim()))];
const banner = `/*!\n${licences.join("\n")}\n\n${texts.join("\n\n").replaceAll("*/", "* /")}\n*/`;

/** Says of what is left out that it is. */
const without = {
  name: "without",
  setup(/** @type {import("esbuild").PluginBuild} */ { onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({ path: "shims", namespace: "without" }));
    onLoad({ filter: /.*/, namespace: "without" }, () => ({
      contents: `import process from "node:process";
        export { process };
        export class DefaultJsonSchemaValidator {
          getValidator() { throw new Error("this server asks its clients nothing"); }
        }`,
    }));
  },
};

const outfile = path("src/devtools/dist/cli/mcp/kit.js");
const { outputFiles } = await build({
  entryPoints: [path("src/devtools/cli/mcp/kit.ts")],
  write: false,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: ["node20"],
  legalComments: "none",
  banner: { js: banner },
  plugins: [without],
  logLevel: "warning",
});
// In the place of what the compiler has written, which is without what it imports.
writeChanged(outfile, outputFiles[0].text);
