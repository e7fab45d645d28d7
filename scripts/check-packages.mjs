/**
 * Checks the packages as published, from their users' side:
 *
 *   make pack ──▶ publint, strict ──▶ attw: how types resolve ──▶ TypeScript 7, 6 and 5.9 compile test/types with them,
 *                                                                 and the client of the shop's document
 *                                       └─▶ TypeScript 7 compiles the snippets of README.md beside those of its peers
 *
 * attw does not check the content of types, so the compilers do, without skipLibCheck. The files have lines that must not compile
 * (`@ts-expect-error`), so types that were not found are errors. packages.test.ts checks the content of a tarball.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, root, run } from "./process.mjs";

const packed = join(root, ".build", "pack");
const sources = join(root, "test", "types");
// Below the root, so that the peers of the packages are found there. The packages themselves are found here first.
const folder = join(root, ".build", "types");
const compilers = [
  join(root, "node_modules", "typescript"),
  ...["6", "5"].map((n) => join(sources, "node_modules", `typescript-${n}`)),
];

/** @param {string} command @param {readonly string[]} args */
function check(command, ...args) {
  const code = execute(command, args);
  process.stdout.write(`${code === 0 ? "ok" : "failed"}: ${command} ${args.join(" ")}\n`);
  if (code !== 0) process.exitCode = 1;
}

run("node", ["scripts/pack.mjs"]);
rmSync(folder, { recursive: true, force: true });
for (const tarball of readdirSync(packed)) {
  check("publint", "run", join(packed, tarball), "--strict");
  if (/^(create-framework|framework-conformance)-/.test(tarball)) continue; // A program has no types.
  const attw = [join(packed, tarball), "--profile", "esm-only"];
  // attw prints either everything or nothing.
  if (execute("attw", [...attw, "--quiet"]) !== 0) check("attw", ...attw, "--format", "ascii");
  const name = tarball.startsWith("framework-devtools-") ? "@framework/devtools" : "framework";
  const target = join(folder, "node_modules", name);
  mkdirSync(target, { recursive: true });
  run("tar", ["-xzf", join(packed, tarball), "-C", target, "--strip-components=1"]);
}
for (const name of readdirSync(sources).filter((file) => /^tsconfig|\.mts$/.test(file)))
  cpSync(join(sources, name), join(folder, name));
const shop = join(folder, "shop.json");
writeFileSync(shop, execFileSync("node", [join(root, ".build", "examples", "shop", "print-document.js")]));
const program = join(root, "src", "create-framework", "dist", "main.js");
run("node", [program, "client", "--url", shop, "--out", join(folder, "client.mts")]);
for (const compiler of compilers)
  for (const config of ["tsconfig.json", "tsconfig.web.json"])
    check("node", join(compiler, "bin", "tsc"), "-p", join(folder, config));
// With skipLibCheck and only one compiler, that of the snippets, since the peers' own types are not tested here.
for (const peer of ["hono", "elysia"])
  symlinkSync(join(sources, "node_modules", peer), join(folder, "node_modules", peer), "dir");
check("node", join(compilers[0], "bin", "tsc"), "-p", join(folder, "tsconfig.peers.json"));
