/**
 * The subject in Java (foreign/java), compiled by the JDK of this machine, or the reason why it is missing.
 *
 *   foreign/java/*.java ──▶ javac ──▶ .build/foreign/java ──▶ java -cp … Main
 *
 * `make test` does not need a JDK.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Target } from "./targets.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sources = join(root, "conformance", "foreign", "java");
const classes = join(root, ".build", "foreign", "java");
// Without it the server waits 40 ms for an acknowledgement before it ends a response.
const options = ["-Dsun.net.httpserver.nodelay=true", "-cp", classes, "Main"];

/** The subject in Java as a target. The environment sets its profile `production`, as in production. */
export const javaTarget: Target = {
  name: "java",
  about: "Java: the source document alone, on the JDK's HTTP server",
  http2: false,
  command: "env",
  args: (profile) => [`FRAMEWORK_DEVTOOLS=${String(profile !== "production")}`, "java", ...options],
  prepare: compile,
  missing: whyMissing(),
};

/** The sentence for a machine without a JDK, or undefined if there is one. */
function whyMissing(): string | undefined {
  try {
    const version = execFileSync("javac", ["-version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [, major = "0"] = /^javac (\d+)/.exec(version) ?? [];
    return Number(major) >= 17 ? undefined : `javac is of JDK ${major}: the subject in Java needs 17 or newer`;
  } catch {
    return "javac is not installed: the subject in Java needs a JDK (apt-get install default-jdk-headless)";
  }
}

async function compile(): Promise<void> {
  mkdirSync(classes, { recursive: true });
  const files = readdirSync(sources).map((name) => join(sources, name));
  execFileSync("javac", ["-encoding", "UTF-8", "-d", classes, ...files], { stdio: ["ignore", "inherit", "inherit"] });
}
