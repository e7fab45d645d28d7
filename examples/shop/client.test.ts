/**
 * The shop through its generated client: generated from the served document, compiled, and used over a socket.
 *
 *   running shop ──▶ /openapi.json ──▶ framework client ──▶ client.ts ──▶ the same shop, QUERY included
 *                                          └── a document that has changed ──▶ calling code that no longer compiles
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { shopDocument } from "./document.ts";
import { openShop, type OpenShop, removeFolder, newFolder } from "./testing.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const program = join(root, "src", "create-framework", "dist", "main.js");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const run = promisify(execFile);

/** A caller's code. It is compiled against the current client, and against the client after a change. */
const caller = `
import { type Client, unwrap } from "./client.ts";

export async function tour(shop: Client): Promise<unknown> {
  const found = unwrap(await shop.queryProductsSearch({ body: { text: "lamp", sort: "-price", pageSize: 2 } }));
  const listed = unwrap(await shop.getProducts({ query: { category: "toys", page: 2, pageSize: 1 } }));
  const page = await shop.getProductsById({ params: { id: listed[0]?.id ?? "" } });
  const order = await shop.postOrders({
    body: { customerId: "c-1", card: "visa", lines: [{ productId: "p-0001", quantity: 1 }] },
  });
  const cancelled = order.ok ? await shop.deleteOrdersById({ params: { id: order.body.id } }) : undefined;
  const missing = await shop.getProductsById({ params: { id: "no such ü" } });
  const rejected = await shop.queryProductsSearch({ body: { page: 0 } });
  return {
    search: [found.total > 0, found.items.length],
    page: page.ok && page.body.quote.price.currency,
    order: order.ok && [order.status, order.body.status, order.body.total.currency],
    cancelled: cancelled?.status,
    missing: missing.status === 404 && missing.problem.code,
    rejected: !rejected.ok && rejected.status === 422 && rejected.problem.errors?.map(({ pointer }) => pointer),
  };
}
`;

let folder: string;
let shop: OpenShop;
let project: string;

before(async () => {
  folder = await newFolder();
  shop = await openShop(folder, "client", { devtools: false });
  project = join(folder, "project");
  mkdirSync(join(project, "node_modules"), { recursive: true });
  for (const name of ["@types", "undici-types"])
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name), "junction");
  const compilerOptions = {
    target: "es2022",
    lib: ["es2023"],
    types: ["node"],
    module: "nodenext",
    strict: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["caller.ts"] }));
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  writeFileSync(join(project, "caller.ts"), caller);
});
after(async () => {
  await shop.close();
  await removeFolder(folder);
});

/** Generates the client of that document. */
async function generate(url: string): Promise<void> {
  await run(process.execPath, [program, "client", "--url", url, "--out", "client.ts"], { cwd: project });
}

/** The compiler's errors for the caller, as line and code. */
async function errors(): Promise<readonly (string | undefined)[]> {
  const env = { ...process.env, NODE_V8_COVERAGE: "" };
  const output = await run(process.execPath, [compiler, "-p", project, "--pretty", "false"], { env }).then(
    ({ stdout }) => stdout,
    (error: Error & { stdout: string }) => error.stdout,
  );
  return output.split("\n").flatMap((line) => {
    const found = /(\w+\.ts)\((\d+),\d+\): error (TS\d+)/.exec(line);
    return found === null ? [] : [found.slice(1).join(" ")];
  });
}

/** Runs the caller, with its types stripped. */
async function tour(): Promise<unknown> {
  for (const name of ["client", "caller"]) {
    const { code } = await transform(readFileSync(join(project, `${name}.ts`), "utf8"), { loader: "ts" });
    writeFileSync(join(project, `${name}.js`), code.replaceAll("./client.ts", "./client.js"));
  }
  const load = async <T>(name: string): Promise<T> => (await import(pathToFileURL(join(project, name)).href)) as T;
  const { createClient } = await load<{ createClient(options: object): unknown }>("client.js");
  const { tour: take } = await load<{ tour(client: unknown): Promise<unknown> }>("caller.js");
  return take(createClient({ baseUrl: shop.app.url }));
}

describe("the client of the shop", () => {
  it("can use the whole shop, including QUERY and typed problems", async () => {
    await generate(`${shop.app.url}/openapi.json`);
    assert.deepEqual(await errors(), []);
    assert.deepEqual(await tour(), {
      search: [true, 2],
      page: "EUR",
      order: [201, "paid", "EUR"],
      cancelled: 204,
      missing: "unknown",
      rejected: ["/page"],
    });
  });

  it("does not compile with calling code that a changed document breaks", async () => {
    const document = JSON.parse(JSON.stringify(shopDocument())) as Changed;
    const { SearchResult, Search, ShopProblem, Money } = document.components.schemas;
    assert.ok(SearchResult && Search && ShopProblem && Money);
    delete SearchResult.properties["total"]; // Removed from a response.
    Search.properties["sort"] = { enum: ["name"] }; // Narrowed in a request.
    delete ShopProblem.properties["code"]; // Removed from a problem.
    document.paths["/products"]?.["get"]?.parameters.push({
      name: "shop",
      in: "query",
      required: true,
      schema: { type: "string" },
    });
    delete document.paths["/orders/{id}"]?.["delete"]; // A removed operation.
    ShopProblem.required = ShopProblem.required.filter((name) => name !== "code");
    SearchResult.required = SearchResult.required.filter((name) => name !== "total");
    writeFileSync(join(project, "changed.json"), JSON.stringify(document));
    await generate("changed.json");
    assert.deepEqual(await errors(), [
      "caller.ts 5 TS2322",
      "caller.ts 6 TS2741",
      "caller.ts 11 TS2551",
      "caller.ts 15 TS2339",
      "caller.ts 19 TS2339",
    ]);
  });
});

interface Changed {
  readonly components: { readonly schemas: Record<string, { properties: Record<string, object>; required: string[] }> };
  readonly paths: Record<string, Record<string, { parameters: object[] }>>;
}
