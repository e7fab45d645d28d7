/**
 * Shared by the tests of the client: a client of a document, loaded, compiled, and run to see its requests.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, transform } from "esbuild";
import { modules, sources } from "../harness.testkit.ts";
import { readRuntime } from "./runtime.ts";
import { writeClient } from "./write.ts";

const runtime = readRuntime(join(sources, "create-framework"));

/** A document with these paths. */
export const documentOf = (paths: object, more: object = {}): Record<string, unknown> => ({
  openapi: "3.2.0",
  info: { title: "Test", version: "1" },
  paths,
  ...more,
});

/** The text of its client. */
export const clientOf = (document: Record<string, unknown>): string => writeClient(document, runtime).text;

/** A client without its types: every method accepts and returns anything. */
export interface Loaded {
  createClient(options: object): Record<string, (input?: object) => Promise<Record<string, unknown>>>;
  unwrap(result: object): unknown;
}

/** The module of a text, with its types stripped. */
export async function loaded(text: string): Promise<Loaded> {
  const { code } = await transform(text, { loader: "ts", target: "es2022" });
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Loaded;
}

/** The modules of these files, by name. They may import each other and the installed packages. */
export async function imported<Module>(files: Readonly<Record<string, string>>, entry: string): Promise<Module> {
  const folder = mkdtempSync(join(tmpdir(), "client-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    symlinkSync(modules, join(folder, "node_modules"), "junction");
    const outfile = join(folder, "entry.mjs");
    const entryPoints = [join(folder, entry)];
    await build({ entryPoints, outfile, bundle: true, packages: "external", format: "esm", target: "es2022" });
    return (await import(pathToFileURL(outfile).href)) as Module;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A sent request, as plain data. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A client of the document that records its requests. Each gets the next response, 204 if there is none. */
export async function recorded(
  document: Record<string, unknown>,
  ...responses: readonly Response[]
): Promise<{ client: ReturnType<Loaded["createClient"]>; sent: Sent[]; module: Loaded }> {
  const module = await loaded(clientOf(document));
  const sent: Sent[] = [];
  const waiting = [...responses];
  const client = module.createClient({
    baseUrl: "http://test/base/",
    retry: false,
    fetch: async (request: Request) => {
      const { method, url } = request;
      sent.push({ method, url, headers: Object.fromEntries(request.headers), body: await request.text() });
      return waiting.shift() ?? new Response(null, { status: 204 });
    },
  });
  return { client, sent, module };
}

/** A result as plain data. */
export const withoutResponse = (result: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(result).filter(([name]) => name !== "response"));

/** The events of a result's body. */
export const eventsIn = (result: Readonly<Record<string, unknown>> = {}): AsyncIterable<{ readonly data: string }> =>
  result["body"] as AsyncIterable<{ readonly data: string }>;

/** A JSON response. */
export const jsonResponse = (status: number, body: unknown, type = "application/json"): Response =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": type } });

/** The options of a strict project, stricter than those of `framework new`. */
const compilerOptions = {
  target: "es2022",
  lib: ["es2023"],
  types: ["node"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  verbatimModuleSyntax: true,
  isolatedDeclarations: true,
  declaration: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

/** The compiler's exit code and output. The files are in one folder. */
export async function compiled(
  files: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<{ readonly errors: readonly string[]; readonly output: string }> {
  const folder = mkdtempSync(join(tmpdir(), "client-"));
  try {
    const content = { compilerOptions, files: Object.keys(files) };
    for (const [name, text] of Object.entries({ ...files, "tsconfig.json": JSON.stringify(content) }))
      writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    mkdirSync(join(folder, "node_modules"));
    for (const name of ["@types", "undici-types", "@tanstack", "msw"])
      symlinkSync(join(modules, name), join(folder, "node_modules", name), "junction");
    const output = await tsc(folder, flags);
    return { errors: output.split("\n").filter((line) => line.includes("error TS")), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tsc(folder: string, flags: readonly string[]): Promise<string> {
  const args = [join(modules, "typescript", "bin", "tsc"), "-p", folder, "--pretty", "false", ...flags];
  const env = { ...process.env, NODE_V8_COVERAGE: "" };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve(error !== null && stdout === "" ? `error TS0000: ${stderr}` : stdout),
    );
  });
}
