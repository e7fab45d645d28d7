/**
 * Bundles the parts of the official Model Context Protocol kit that `framework-devtools mcp` needs into one file, so that
 * `@framework/devtools` has no dependencies. Only that command loads it.
 *
 *   src/devtools/cli/mcp/kit.ts + @modelcontextprotocol/server, core, zod ──▶ esbuild ──▶ src/devtools/dist/cli/mcp/kit.js
 *
 * One part is excluded: the kit's JSON Schema validator for a client's response to a question of the server. This server asks
 * none. The licences of the bundled packages are at the top of the file.
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

/** Replaces the excluded module by one that says so. */
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
// Replaces the compiler's output, which lacks the imported packages.
writeChanged(outfile, outputFiles[0].text);
