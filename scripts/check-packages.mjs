/**
 * The shape of what would be published: publint (strict) and the types that consumers resolve.
 * Packages without a built entry are not published yet and are named as such.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execute, root } from "./process.mjs";

const packages = ["framework", "devtools", "create-framework"];
const folder = mkdtempSync(join(tmpdir(), "packages-"));
let failed = 0;
try {
  for (const name of packages) failed += (await check(name)) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

async function check(name) {
  const path = join("src", name);
  const { exports, bin } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
  const library = exports["."] !== undefined;
  if (!existsSync(join(root, path, library ? exports["."].default : Object.values(bin)[0]))) {
    process.stdout.write(`${path}: not built, run \`make build\`\n`);
    return false;
  }
  const before = new Set(readdirSync(folder));
  const packed = await execute("npm", [
    "pack",
    "--silent",
    "--ignore-scripts",
    "--pack-destination",
    folder,
    `./${path}`,
  ]);
  const tarball = readdirSync(folder).find((file) => !before.has(file));
  if (packed !== 0 || !tarball) return false;
  const shape = await execute("publint", ["run", path, "--strict"]);
  if (!library) return shape === 0;
  const types = await execute("attw", [join(folder, tarball), "--profile", "esm-only", "--format", "ascii"]);
  return shape === 0 && types === 0;
}
