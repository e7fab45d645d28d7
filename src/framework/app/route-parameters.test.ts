/** Parameters that a handler reads and its route lacks (ROUTE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInThisContext } from "node:vm";
import { Beans, Framework, Interface, type BeanDecorator, type Context } from "../index.ts";

interface Products {
  show(ctx: Context): string;
  count(ctx: Context): number;
}
const Products = Interface<Products>("ProductController");

/** What every decorator does: another object, with methods of its own. */
const decorator: BeanDecorator = {
  decorate: <T extends object>(bean: T): T =>
    new Proxy(bean, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        return typeof member === "function"
          ? (...args: unknown[]): unknown => Reflect.apply(member, target, args)
          : member;
      },
    }),
};

const products = (): Beans =>
  Beans.builder()
    .bind(Products, () => ({ show: (ctx) => ctx.pathParam("id"), count: (ctx) => ctx.pathParamAsInt("page") }))
    .instrument(decorator)
    .start();

async function linesOf(
  configure: (app: Framework) => unknown,
  beans: Beans = products(),
): Promise<{ lines: string[]; status: number }> {
  const lines: string[] = [];
  const logger = {
    warn: (line: string) => void lines.push(line),
    error: (line: string, error: unknown) => void lines.push(`${line}: ${String(error)}`),
  };
  const app = Framework.create({ logger }).beans(beans);
  configure(app);
  const { status } = await app.fetch(new Request("http://x/products"));
  return { lines, status };
}

describe("a handler that reads a parameter which its route lacks", () => {
  test("is named with the parameter before the first request, a decorated bean's method and a closure", async () => {
    const { lines } = await linesOf((app) =>
      app
        .get("/other", [Products, "show"])
        .get("/pages/{p}", [Products, "count"])
        .get("/closure", (ctx: Context) => ctx.pathParam("who"))
        .get("/products/{id}", [Products, "show"]),
    );
    assert.deepEqual(lines, [
      'GET /other: [ProductController, "show"] reads {id}, and the path has no parameter of that name',
      'GET /pages/{p}: [ProductController, "count"] reads {page}, and the path has no parameter of that name',
      "GET /closure: its handler reads {who}, and the path has no parameter of that name",
    ]);
  });

  test("is named however the call is written, with every parameter once, and not where it reads another text", async () => {
    const texts = [
      "(ctx) => [ctx.pathParam(\n  'who'\n), ctx.pathParam(\n  'when',\n)]",
      "(ctx) => [ctx.pathParam('a'), ctx.pathParamAsInt(\"b\"), ctx.pathParam('a'), ctx.pathParam('id')]",
      "(ctx) => [ctx.queryParam('who'), ctx.pathParam('a' + 'b'), ctx.pathParam(\"a'), ctx.other('b\")]",
    ];
    const { lines } = await linesOf((app) =>
      texts.forEach((text, at) => app.get(`/${at}/{id}`, runInThisContext(text) as () => string)),
    );
    assert.deepEqual(lines, [
      "GET /0/{id}: its handler reads {who}, {when}, and the path has no parameter of that name",
      "GET /1/{id}: its handler reads {a}, {b}, and the path has no parameter of that name",
    ]);
  });

  test("is not asked of a method that a decorator adds: the bean itself has none", async () => {
    class Plain {
      readonly name: string = "plain";
    }
    const adding = {
      ...decorator,
      decorate: <T extends object>(bean: T): T => Object.assign(Object.create(bean), { show: () => "x" }),
    };
    const beans = Beans.builder()
      .bind(Plain, () => new Plain())
      .instrument(adding)
      .start();
    const { lines, status } = await linesOf((app) => app.get("/products", [Plain, "show"] as never), beans);
    assert.deepEqual([status, lines], [200, []]);
  });

  test("fails at the request, whose line of the log names the parameter and those that there are", async () => {
    const name = "id";
    const { lines, status } = await linesOf((app) => app.get("/products", (ctx: Context) => ctx.pathParam(name)));
    assert.deepEqual(
      [status, lines],
      [500, ["GET /products failed: TypeError: this route has no path parameter {id}: it has none"]],
    );
  });
});
