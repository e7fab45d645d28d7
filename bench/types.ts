/**
 * `make bench-types`: what a typed client costs an editor, at 10, 100 and 500 operations of one app.
 *
 *   the app's document ──▶ framework client ──┐
 *   the app in Hono ──▶ hc<typeof app> ───────┼──▶ a caller of every operation ──▶ tsc --extendedDiagnostics ──▶ bench/README.md
 *   the app in Elysia ──▶ treaty<typeof app> ─┘
 *
 * An operation has a parameter in its path, a body of two fields and a response of two; the caller sends the body and
 * reads a field. What does not compile is no figure, and fails.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Framework } from "framework";
import { openApi } from "framework/openapi";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { root } from "../test/environment.ts";
import { withTable } from "./report.ts";

/** Name → the files of a program that calls each operation. */
type Contenders = Readonly<
  Record<string, (numbers: readonly number[], folder: string) => Readonly<Record<string, string>>>
>;

interface Figures {
  readonly instantiations: number;
  readonly checkMs: number;
}

const counts = [10, 100, 500] as const;
const peers = join(root, "bench", "peers", "node_modules");
const folder = join(root, ".build", "bench-types");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

const contenders: Contenders = {
  "`framework client`": (numbers, at) => {
    const body = Compile(Type.Object({ name: Type.String(), count: Type.Number() }));
    const response = Compile(Type.Object({ id: Type.String(), name: Type.String() }));
    const app = Framework.create();
    for (const number of numbers)
      app.post(`/items${number}/{id}`, { operationId: `change${number}`, body, responses: { 200: response } }, () => ({
        id: "",
        name: "",
      }));
    writeFileSync(join(at, "openapi.json"), JSON.stringify(openApi(app, { info: { title: "Items", version: "1" } })));
    const program = join(root, "src", "create-framework", "dist", "main.js");
    execFileSync(process.execPath, [program, "client", "--url", "openapi.json", "--out", "client.ts"], { cwd: at });
    return {
      "caller.ts": [
        'import { createClient } from "./client.ts";\nconst client = createClient({ baseUrl: "http://test" });\nexport const names: string[] = [];',
        ...numbers.map(
          (number) =>
            `export async function call${number}() { const result = await client.change${number}({ params: { id: "a" }, body: { name: "b", count: 1 } }); if (result.ok) names.push(result.body.name); }`,
        ),
      ].join("\n"),
    };
  },
  "Hono `hc`": (numbers) => ({
    "app.ts": [
      'import { Hono } from "hono";\nimport { validator } from "hono/validator";',
      'const body = validator("json", (value): { name: string; count: number } => value as { name: string; count: number });',
      "export const app = new Hono()",
      ...numbers.map(
        (number) =>
          `  .post("/items${number}/:id", body, (c) => c.json({ id: c.req.param("id"), name: c.req.valid("json").name }, 200))`,
      ),
    ].join("\n"),
    "caller.ts": [
      'import { hc } from "hono/client";\nimport type { app } from "./app.ts";\nconst client = hc<typeof app>("http://test");\nexport const names: string[] = [];',
      ...numbers.map(
        (number) =>
          `export async function call${number}() { const result = await client.items${number}[":id"].$post({ param: { id: "a" }, json: { name: "b", count: 1 } }); if (result.ok) names.push((await result.json()).name); }`,
      ),
    ].join("\n"),
  }),
  "Elysia Eden": (numbers) => ({
    "app.ts": [
      'import { Elysia, t } from "elysia";',
      "const body = t.Object({ name: t.String(), count: t.Number() });",
      "export const app = new Elysia()",
      ...numbers.map(
        (number) =>
          `  .post("/items${number}/:id", ({ params, body }) => ({ id: params.id, name: body.name }), { body })`,
      ),
    ].join("\n"),
    "caller.ts": [
      'import { treaty } from "@elysiajs/eden";\nimport type { app } from "./app.ts";\nconst client = treaty<typeof app>("http://test");\nexport const names: string[] = [];',
      ...numbers.map(
        (number) =>
          `export async function call${number}() { const { data } = await client.items${number}({ id: "a" }).post({ name: "b", count: 1 }); if (data) names.push(data.name); }`,
      ),
    ].join("\n"),
  }),
};

const compilerOptions = {
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
  types: [],
  module: "esnext",
  moduleResolution: "bundler",
  strict: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

/** Compiles the program of a contender. @throws Error with the compiler's first complaint */
function measured(name: string, count: number): Figures {
  const at = join(folder, `${Object.keys(contenders).indexOf(name)}-${count}`);
  mkdirSync(at, { recursive: true });
  symlinkSync(peers, join(at, "node_modules"), "junction");
  const files =
    contenders[name]?.(
      Array.from({ length: count }, (_, number) => number),
      at,
    ) ?? {};
  for (const [file, text] of Object.entries(files)) writeFileSync(join(at, file), text);
  writeFileSync(join(at, "package.json"), '{"type":"module"}');
  writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["caller.ts"] }));
  const args = [compiler, "-p", at, "--extendedDiagnostics", "--singleThreaded", "--pretty", "false"];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: at, maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${name}, ${count} operations: ${stdout.split("\n")[0]}`);
  const figure = (label: string): number => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1]);
  return { instantiations: figure("Instantiations"), checkMs: Math.round(figure("Check time") * 1_000) };
}

if (!existsSync(join(peers, "@elysiajs", "eden")))
  throw new Error("the peers are not installed: make bench-types does it");
rmSync(folder, { recursive: true, force: true });
const lines = Object.keys(contenders).map((name) => {
  const cells = counts.map((count) => measured(name, count));
  process.stdout.write(
    `${name}: ${cells.map(({ instantiations, checkMs }) => `${instantiations} (${checkMs} ms)`).join(", ")}\n`,
  );
  return `| ${name} | ${cells.map(({ instantiations, checkMs }) => `${instantiations.toLocaleString("en")} · ${checkMs} ms`).join(" | ")} |`;
});
const { version } = JSON.parse(readFileSync(join(root, "node_modules", "typescript", "package.json"), "utf8")) as {
  version: string;
};
const table = [
  `TypeScript ${version}, ${new Date().toISOString().slice(0, 10)}; instantiations · time to check, one thread.`,
  "",
  `| | ${counts.map((count) => `${count} operations`).join(" | ")} |`,
  `| --- | ${counts.map(() => "---").join(" | ")} |`,
  ...lines,
].join("\n");
const page = join(root, "bench", "README.md");
writeFileSync(
  page,
  withTable(readFileSync(page, "utf8"), table, ["<!-- written by make bench-types -->", "<!-- end of types -->"]),
);
