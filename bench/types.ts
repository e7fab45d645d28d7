/**
 * `make bench ONLY=types`: the cost of a typed client in an editor, at 10, 100 and 500 operations of one app.
 *
 *   the app's document ──▶ framework client ──┐
 *   the app in Hono ──▶ hc<typeof app> ───────┼──▶ a caller of every operation ──▶ tsc --extendedDiagnostics ──▶ bench/README.md
 *   the app in Elysia ──▶ treaty<typeof app> ─┘
 *
 * An operation has a parameter in its path, a body of two fields and a response of two. The caller sends the body and reads a
 * field. A client that does not compile has no figure, and fails.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Framework } from "framework";
import { openApi } from "framework/openapi";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { root } from "../test/environment.ts";
import { markdown, savedTable } from "./report.ts";

/** A client of an app: its parts, and the call of an operation, which puts a name into `names`. */
interface Contender {
  /** The text of `app.ts`, the source of the client's types, and the text that each operation adds. */
  readonly app?: string;
  readonly route?: (number: number) => string;
  /** Writes the source of its types, if that is another file. */
  readonly write?: (numbers: readonly number[], folder: string) => void;
  readonly client: string;
  call(number: number): string;
}

const counts = [10, 100, 500] as const;
const peers = join(root, "bench", "peers", "node_modules");
const folder = join(root, ".build", "bench-types");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

const contenders: Readonly<Record<string, Contender>> = {
  "`framework client`": {
    write: writeClient,
    client: 'import { createClient } from "./client.ts";\nconst client = createClient({ baseUrl: "http://test" });',
    call: (number) =>
      `const result = await client.change${number}({ params: { id: "a" }, body: { name: "b", count: 1 } }); if (result.ok) names.push(result.body.name);`,
  },
  "Hono `hc`": {
    app: `import { Hono } from "hono";\nimport { validator } from "hono/validator";
const body = validator("json", (value): { name: string; count: number } => value as { name: string; count: number });
export const app = new Hono()`,
    route: (number) =>
      `.post("/items${number}/:id", body, (c) => c.json({ id: c.req.param("id"), name: c.req.valid("json").name }, 200))`,
    client: `import { hc } from "hono/client";\nimport type { app } from "./app.ts";\nconst client = hc<typeof app>("http://test");`,
    call: (number) =>
      `const result = await client.items${number}[":id"].$post({ param: { id: "a" }, json: { name: "b", count: 1 } }); if (result.ok) names.push((await result.json()).name);`,
  },
  "Elysia Eden": {
    app: `import { Elysia, t } from "elysia";\nconst body = t.Object({ name: t.String(), count: t.Number() });
export const app = new Elysia()`,
    route: (number) =>
      `.post("/items${number}/:id", ({ params, body }) => ({ id: params.id, name: body.name }), { body })`,
    client: `import { treaty } from "@elysiajs/eden";\nimport type { app } from "./app.ts";\nconst client = treaty<typeof app>("http://test");`,
    call: (number) =>
      `const { data } = await client.items${number}({ id: "a" }).post({ name: "b", count: 1 }); if (data) names.push(data.name);`,
  },
};

/** Generates the client of one of our apps into the folder. */
function writeClient(numbers: readonly number[], at: string): void {
  const body = Compile(Type.Object({ name: Type.String(), count: Type.Number() }));
  const response = Compile(Type.Object({ id: Type.String(), name: Type.String() }));
  const app = Framework.create();
  for (const number of numbers) {
    const contract = { operationId: `change${number}`, body, responses: { 200: response } };
    app.post(`/items${number}/{id}`, contract, () => ({ id: "", name: "" }));
  }
  writeFileSync(join(at, "openapi.json"), JSON.stringify(openApi(app, { info: { title: "Items", version: "1" } })));
  const program = join(root, "src", "create-framework", "dist", "main.js");
  execFileSync(process.execPath, [program, "client", "--url", "openapi.json", "--out", "client.ts"], { cwd: at });
}

const compilerOptions = {
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
  types: [],
  module: "esnext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};

/** Compiles the program of a contender: instantiations · time to check. @throws Error with the compiler's first message */
function measured(
  [name, { app = "", route, write, client, call }]: readonly [string, Contender],
  count: number,
): string {
  const at = join(folder, `${Object.keys(contenders).indexOf(name)}-${count}`);
  mkdirSync(at, { recursive: true });
  symlinkSync(peers, join(at, "node_modules"), "junction");
  const numbers = Array.from({ length: count }, (_, number) => number);
  write?.(numbers, at);
  if (route !== undefined) writeFileSync(join(at, "app.ts"), [app, ...numbers.map(route)].join("\n"));
  const calls = numbers.map((number) => `export async function call${number}() { ${call(number)} }`);
  writeFileSync(join(at, "caller.ts"), [client, "export const names: string[] = [];", ...calls].join("\n"));
  writeFileSync(join(at, "package.json"), '{"type":"module"}');
  writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["caller.ts"] }));
  const args = [compiler, "-p", at, "--extendedDiagnostics", "--singleThreaded", "--pretty", "false"];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: at, maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${name}, ${count} operations: ${stdout.split("\n")[0]}`);
  const figure = (label: string): number => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1]);
  return `${figure("Instantiations").toLocaleString("en")} · ${Math.round(figure("Check time") * 1_000)} ms`;
}

if (!existsSync(join(peers, "@elysiajs", "eden")))
  throw new Error("the peers are not installed: make bench ONLY=types does it");
rmSync(folder, { recursive: true, force: true });
const rows = Object.entries(contenders).map((contender) => {
  const shown = counts.map((count) => measured(contender, count));
  process.stdout.write(`${contender[0]}: ${shown.join(", ")}\n`);
  return [contender[0], ...shown];
});
const { version } = JSON.parse(readFileSync(join(root, "node_modules", "typescript", "package.json"), "utf8")) as {
  version: string;
};
const caption = `TypeScript ${version}, ${new Date().toISOString().slice(0, 10)}; instantiations · time to check, one thread.`;
const table = markdown([["", ...counts.map((count) => `${count} operations`)], ...rows]);
savedTable(`${caption}\n\n${table}`, ["<!-- written by make bench ONLY=types -->", "<!-- end of types -->"]);
