/** The compiler's messages for a bean's method that does not fit its route, from one run of `tsc` (CONTRACT). */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const head = `import { type Context, type ContextOf, contract, Framework, Interface, type Responded } from "framework";
import { z } from "zod";
const show = contract({ params: z.object({ id: z.coerce.number() }), responses: { 200: z.object({ id: z.number() }) } });
const withBody = contract({ ...show, body: z.object({ sku: z.string() }) });
const named = contract({ ...show, responses: { 200: z.object({ name: z.string() }), 404: null } });
class Orders {
  readonly title: string = "orders";
  show(ctx: ContextOf<typeof show>): Responded { return ctx.reply(200, { id: ctx.input.params.id }); }
  add(ctx: ContextOf<typeof withBody>): Responded { return ctx.reply(200, { id: ctx.input.params.id }); }
  plain(ctx: Context<"id">): { id: number } { return { id: ctx.pathParamAsInt("id") }; }
  text(ctx: Context<"id">): string { return ctx.pathParam("id") + this.secret(); }
  two(ctx: Context<"id">, more: number): { id: number } { return { id: ctx.pathParamAsInt("id") + more }; }
  none(): { id: number } { return { id: 1 }; }
  byId(id: number): { id: number } { return { id }; }
  private secret(): string { return ""; }
}
class Empty {}
interface Tokened { show(ctx: ContextOf<typeof show>): Responded }
const Tokened = Interface<Tokened>("Tokened");
abstract class Shelf { abstract show(ctx: ContextOf<typeof show>): Responded }
const app = Framework.create();
app.get("/a/{id}", show, [Orders, "show"]).get("/b/{id}", show, [Orders, "plain"]).get("/c/{id}", show, [Orders, "none"]);
app.get("/d/{id}", [Orders, "text"]).get("/e/{id}", show, [Tokened, "show"]).get("/h/{id}", show, [Shelf, "show"]).post("/f/{id}", withBody, [Orders, "add"]);
app.group("/g/{id}", (api) => api.get("/x", [Orders, "plain"]));
`;

const none = '{ readonly pathParams: "id"; readonly input: {}; readonly reply: "any"; }';
const reply = "readonly reply: { readonly 200: { id: number; }; };";
const shown = `{ readonly input: { readonly params: { id: number; }; }; ${reply} }`;
const undeclared = '{ readonly input: {}; readonly reply: "any"; }';
/** Mistakes, and the text of the message for each. */
const mistakes: Readonly<Record<string, readonly [source: string, message: string]>> = {
  "another return": [
    `app.get("/x/{id}", show, [Orders, "text"]);`,
    `'"text" & { readonly "the method returns": string; readonly "the contract wants": { id: number; }; }'`,
  ],
  "no contract": [
    `app.get("/x/{id}", [Orders, "show"]);`,
    `'"show" & { readonly "the method takes": ${shown}; readonly "the route gives": ${undeclared}; }'`,
  ],
  "a contract that declares less": [
    `app.post("/x/{id}", show, [Orders, "add"]);`,
    `readonly body: { sku: string; }; }; }; readonly "the route gives": { readonly input: { readonly params: { id: number; }; }; }; }'`,
  ],
  "a contract with another response": [
    `app.get("/x/{id}", named, [Orders, "show"]);`,
    `'"show" & { readonly "the method takes": { ${reply} }; readonly "the route gives": { readonly reply: { readonly 200: { name: string; }; readonly 404: null; }; }; }'`,
  ],
  "a path without the parameter": [
    `app.get("/x", [Orders, "text"]);`,
    `'"text" & { readonly "the method takes": { readonly pathParams: "id"; }; readonly "the route gives": { readonly pathParams: "none"; }; }'`,
  ],
  "a parameter that is no context": [
    `app.get("/x/{id}", [Orders, "byId"]);`,
    `'"byId" & { readonly "the method takes": number; readonly "the route gives": ${none}; }'`,
  ],
  "a second parameter": [
    `app.get("/x/{id}", [Orders, "two"]);`,
    `readonly "the method takes": [ctx: Context<"id", Input, Reply>, more: number]; readonly "the route gives": ${none}; }'`,
  ],
  "a name that the bean does not have": [
    `app.get("/x/{id}", [Orders, "shwo"]);`,
    `Type '"shwo"' is not assignable to type '"none" | "plain" | "text"'.`,
  ],
  "a private member": [
    `app.get("/x/{id}", [Orders, "secret"]);`,
    `Type '"secret"' is not assignable to type '"none" | "plain" | "text"'.`,
  ],
  "a member that is no method": [
    `app.get("/x/{id}", [Orders, "title"]);`,
    `'"title" & { readonly "the method takes": "nothing: it is no method"; readonly "the member is": string; }'`,
  ],
  "a bean without members": [
    `app.get("/x/{id}", [Empty, "show"]);`,
    `'"show" & { readonly "the method takes": "nothing: it is no method"; readonly "the member is": undefined; }'`,
  ],
  "a method of an interface, in a group": [
    `app.group("/x/{id}", (api) => api.get("/y", [Tokened, "show"]));`,
    `'"show" & { readonly "the method takes": ${shown}; readonly "the route gives": ${undeclared}; }'`,
  ],
  "a method of an abstract class": [
    `app.get("/x/{id}", [Shelf, "show"]);`,
    `'"show" & { readonly "the method takes": ${shown}; readonly "the route gives": ${undeclared}; }'`,
  ],
};

describe('[Bean, "method"]', () => {
  let folder: string;
  let output = "";
  before(async () => {
    await mkdir(join(root, ".build"), { recursive: true });
    folder = await mkdtemp(join(root, ".build", "handlers-")); // inside, so that the packages are found
    const file = join(folder, "app.mts");
    await writeFile(
      file,
      head +
        Object.values(mistakes)
          .map(([source]) => source)
          .join("\n"),
    );
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--exactOptionalPropertyTypes", "--ignoreConfig"];
    const target = ["--target", "es2022", "--module", "nodenext", "--lib", "es2023,dom", "--types", ""];
    const tsc = join(root, "node_modules", ".bin", "tsc");
    const env = { ...process.env, NODE_V8_COVERAGE: "" };
    const all = [...options, ...target, "--noErrorTruncation", "--pretty", "false", file];
    output = await promisify(execFile)(tsc, all, { env }).then(
      () => "",
      (error: unknown) => String(Reflect.get(error as object, "stdout")),
    );
  });
  after(() => rm(folder, { recursive: true }));

  const first = head.split("\n").length;
  for (const [at, [what, [source, message]]] of Object.entries(mistakes).entries())
    it(`does not compile, and the message names the mismatch: ${what}`, () => {
      const [, ...after] = output.split(`app.mts(${first + at},`);
      const said = after.join("").split(/\n\S/)[0] ?? "";
      assert.ok(said.includes(message), `${source}\n${said}`);
      assert.ok(!output.includes("'never'"), output);
    });

  it("compiles when the method fits, so there is one error for each mistake", () => {
    assert.equal(output.match(/error TS/g)?.length, Object.keys(mistakes).length, output);
  });
});
