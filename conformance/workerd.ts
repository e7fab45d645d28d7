/**
 * Prepares the subject for workerd. It reads no folders, so everything becomes one module.
 *
 *   runtimes/serve-workerd.mjs ──▶ esbuild ──▶ .build/workerd/worker.mjs ◀── <profile>.capnp
 *
 * It listens on a free port and prints the port on standard output (`--control-fd=1`).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { profileNames } from "../spec/subject.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, ".build", "workerd");

/** Bundles the subject and writes a configuration for each profile to the folder that `targets.ts` reads. */
export async function prepareWorkerd(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, "conformance", "runtimes", "serve-workerd.mjs")],
    outfile: join(folder, "worker.mjs"),
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    conditions: ["workerd", "import"],
    // A worker module has no location, so its dashboard is bundled below.
    define: { "import.meta.url": '"file:///worker.mjs"' },
    // OpenTelemetry's packages load Node's modules by `require`.
    banner: { js: 'import { createRequire } from "node:module";\nconst require = createRequire("/worker.mjs");' },
    plugins: [dashboardInside, prefixedBuiltins],
    logLevel: "silent",
  });
  for (const profile of profileNames) writeFileSync(join(folder, `${profile}.capnp`), configuration(profile));
}

/** Devtools load the page by an address that is made at run time, which no bundler follows. So it gets a fixed one. */
const dashboardInside: Plugin = {
  name: "dashboard-inside",
  setup(bundler) {
    bundler.onLoad({ filter: /devtools[/\\]dist[/\\]server[/\\]page\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(/import\(\w+\(module\.href\)\)/, 'import("../dashboard/page.js")');
      if (contents === source) throw new Error(`${path} no longer loads the dashboard by import(module.href)`);
      return { contents, loader: "js" };
    });
  },
};

/** workerd knows Node's modules only by their prefix. */
const prefixedBuiltins: Plugin = {
  name: "prefixed-builtins",
  setup(bundler) {
    bundler.onResolve({ filter: /^[a-z_]+(?:\/[a-z]+)?$/ }, ({ path }) =>
      builtinModules.includes(path) ? { path: `node:${path}`, external: true } : undefined,
    );
  },
};

/**
 * One worker on one port, which learns when a client leaves. Its compatibility date is the newest that the pinned workerd and the
 * tests support.
 */
function configuration(profile: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "worker.mjs")],
    bindings = [(name = "PROFILE", text = "${profile}")],
    compatibilityDate = "2026-01-01",
    compatibilityFlags = ["nodejs_compat", "enable_request_signal"],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`;
}
