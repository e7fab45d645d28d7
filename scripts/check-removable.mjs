/**
 * Proves that the framework does not need devtools: src/framework alone, in a folder where neither
 * src/devtools nor the package @framework/devtools exists, still compiles.
 *
 * The check first shows that it can fail: the same copy with one import of devtools must not compile.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { spawnSync } from "node:child_process";
import { root } from "./process.mjs";

const copy = mkdtempSync(join(tmpdir(), "without-devtools-"));
try {
  prepare();
  for (const specifier of ["@framework/devtools", "../devtools/index.ts"]) {
    const probe = join(copy, "src", "framework", "probe.ts");
    writeFileSync(probe, `import "${specifier}";\n`);
    if (compile().status === 0) fail(`an import of ${specifier} compiled: this check proves nothing`);
    unlinkSync(probe);
  }
  const { status, stdout } = compile();
  if (status === 0) process.stdout.write("src/framework compiles without src/devtools\n");
  else fail(`src/framework does not compile without src/devtools:\n${stdout}`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** The framework's sources, and every installed package but our own. */
function prepare() {
  mkdirSync(join(copy, "src"));
  cpSync(join(root, "tsconfig.base.json"), join(copy, "tsconfig.base.json"));
  cpSync(join(root, "src", "framework"), join(copy, "src", "framework"), {
    recursive: true,
    filter: (source) => !["dist", "node_modules"].includes(basename(source)),
  });
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name === "@framework" || name === ".bin") continue;
    symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  }
}

function compile() {
  const args = ["-p", join(copy, "src", "framework"), "--noEmit", "--composite", "false", "--incremental", "false"];
  return spawnSync(join(root, "node_modules", ".bin", "tsc"), args, { cwd: copy, encoding: "utf8" });
}

function fail(sentence) {
  process.stdout.write(`${sentence}\n`);
  process.exitCode = 1;
}
