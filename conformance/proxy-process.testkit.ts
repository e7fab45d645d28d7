/** Runs nginx and HAProxy for a test. Registers no test of its own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A proxy's program. */
export type ProxyName = "nginx" | "haproxy";

/** Why tests with that proxy are skipped, or false if they are not. */
export const isMissing = (program: ProxyName): false | string =>
  spawnSync(program, ["-v"]).error === undefined ? false : `skipped: ${program} is not installed`;

/** An nginx in the foreground that writes only to its own folder, around the blocks of its `http`. */
export const nginxAround = (http: string, folder: string): string => {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr error;\nevents {}\nhttp {\n${paths.join("\n")}\naccess_log off;\n${http}}\n`;
};

/** Runs a proxy until the test is over. Resolves when `isReady` does. @throws (rejects) if the proxy ends before */
export async function startProxy(
  t: TestContext,
  program: ProxyName,
  configOf: (folder: string) => string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "framework-proxy-"));
  const config = join(folder, "config");
  writeFileSync(config, configOf(folder));
  const args = program === "nginx" ? ["-p", folder, "-c", config] : ["-db", "-q", "-f", config];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  t.after(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
