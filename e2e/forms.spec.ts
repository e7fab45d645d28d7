/**
 * Contracts on the page: forms from schemas, errors at their fields, readable schemas, broken contracts.
 */
import type { Page } from "@playwright/test";
import { contract, form, type Framework } from "framework";
import { z } from "zod";
import { expect } from "./demo.ts";
import { labTest } from "./lab-test.ts";
import { button, expectNoViolation, field, open, runs, select, send } from "./page.ts";

const address = z.object({ city: z.string().min(2), zip: z.string().optional() }).meta({ id: "Address" });
const order = contract({
  summary: "Places an order",
  description: "Paid at once.",
  security: [{ bearer: [] }],
  params: z.object({ shop: z.coerce.number<string>().pipe(z.int().min(1)) }),
  query: z.object({
    notify: z.enum(["mail", "none"]).default("none"),
    tag: z.array(z.string()).optional(),
    page: z.string().regex(/^\d+$/).optional().describe("Which page"),
  }),
  headers: z.object({ "x-tenant": z.string().min(3).describe("Who asks") }),
  cookies: z.object({ session: z.string().optional() }),
  body: z.object({
    customer: z.string().min(1).max(20),
    email: z.email(),
    due: z.iso.date(),
    express: z.boolean(),
    address,
    lines: z.array(z.object({ sku: z.string().min(1), quantity: z.int().min(1).max(9) })).min(1),
    payment: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("card"), number: z.string() }),
      z.object({ kind: z.literal("invoice"), days: z.int().default(14) }),
    ]),
    labels: z.record(z.string(), z.string()).optional(),
    note: z.string().optional(),
  }),
  responses: { 201: z.object({ total: z.number(), address }), 204: null },
});

function routes(app: Framework): void {
  app
    .post("/shops/{shop}/orders", order, (ctx) => ctx.reply(201, { total: 1, address: ctx.input.body.address }))
    .post("/signup", { body: form(z.object({ name: z.string(), tag: z.array(z.string()) })) }, (ctx) => ctx.input.body)
    .get("/broken", { deprecated: true, summary: "Lies", responses: { 200: z.object({ id: z.string() }) } }, (ctx) =>
      ctx.json({ id: 7, more: { a: 1 } }),
    )
    .post("/plain", { body: () => true }, () => "");
}

const test = labTest({ routes, responseChecks: "warn" });

const placing = "POST /shops/{shop}/orders";
const group = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
/** The body in the editor's text. Afterwards the form is shown again. */
async function body(page: Page): Promise<unknown> {
  await button(page, "JSON").click();
  const text = await field(page, "Body").inputValue();
  await button(page, "Form").click();
  return JSON.parse(text);
}

test("DASH-070 DASH-147 DASH-072 DASH-076: a contract is a form, filled in so that Send succeeds", async ({
  lab: page,
}) => {
  await select(page, placing);
  const editor = page.locator(".editor");
  await expect(editor.getByText("Places an order")).toBeVisible();
  await expect(editor.getByText("Needs bearer.")).toBeVisible();
  await expect(field(page, "x-tenant")).toHaveAccessibleDescription("Who asks · 3 or more characters");
  await expect(page.getByLabel("notify")).toHaveText(/mail\s*none/);
  await expect(page.getByLabel("due")).toHaveAttribute("type", "date");
  await expect(page.getByRole("spinbutton", { name: "quantity" })).toHaveAttribute("max", "9");
  await expect(page.getByLabel("express")).toHaveText(/true\s*false/);
  await expect(field(page, "customer")).toHaveAttribute("required", "");
  await expect(field(page, "note")).toHaveCount(0);
  await send(page);
  await expect(page.locator("#panel-response .summary .status")).toHaveText("201");
  await button(page, "Add note").click();
  await expect(field(page, "note")).toBeFocused();
  await field(page, "note").fill("ring");
  await button(page, "Add to lines").click();
  await expect(group(page, "lines 2")).toBeFocused();
  await group(page, "lines 2").getByRole("spinbutton").fill("3");
  await button(page, "Remove lines 1").click();
  await page.getByLabel("Kind of payment").selectOption("invoice");
  await page.getByLabel("notify").selectOption("mail");
  await button(page, "Add to tag").click();
  await field(page, "tag 1").fill("a b");
  await expect(field(page, "Query")).toHaveValue("notify=mail&tag=a+b");
  expect(await body(page)).toMatchObject({
    note: "ring",
    lines: [{ sku: "text", quantity: 3 }],
    payment: { kind: "invoice", days: 14 },
  });
  await button(page, "Remove note").click();
  expect(await body(page)).not.toHaveProperty("note");
  await send(page);
  await expect(page.locator("#panel-response .summary .status")).toHaveText("201");
  await select(page, "GET /broken");
  await expect(editor.getByText("deprecated")).toBeVisible();
  await select(page, "POST /signup");
  await field(page, "name").fill("Ada & Co");
  await field(page, "tag 1").fill("x");
  await send(page);
  await expect(page.locator("#panel-response .json")).toContainText('"Ada & Co"');
  await editor.getByRole("button", { name: "Text", exact: true }).click();
  await expect(field(page, "Body")).toHaveValue("name=Ada+%26+Co&tag=x");
});

test("DASH-071 DASH-148 DASH-073 DASH-149: form and text follow each other; an error is shown at its field", async ({
  lab: page,
}) => {
  await select(page, placing);
  const sent = JSON.stringify(await body(page));
  await button(page, "JSON").click();
  const kept = { ...(JSON.parse(sent) as object), customer: 7, extra: { deep: [1, null] } };
  await field(page, "Body").fill(JSON.stringify(kept));
  await button(page, "Form").click();
  await expect(field(page, "customer")).toHaveValue("7");
  await expect(field(page, "extra")).toHaveValue('{"deep":[1,null]}');
  await page.getByRole("spinbutton", { name: "quantity" }).fill("99");
  expect(await body(page)).toMatchObject({ customer: 7, extra: { deep: [1, null] }, lines: [{ quantity: 99 }] });
  await field(page, "x-tenant").fill("a");
  await send(page);
  const list = page.locator(".notice[role=alert]");
  await expect(list.getByRole("listitem")).toHaveCount(3);
  const quantity = page.getByRole("spinbutton", { name: "quantity" });
  await expect(quantity).toHaveAttribute("aria-invalid", "true");
  await expect(quantity).toHaveAccessibleDescription(/Too big/);
  await expect(field(page, "x-tenant")).toHaveAccessibleDescription(/Too small/);
  await expectNoViolation(page);
  await button(page, "body/lines/0/quantity").click();
  await expect(quantity).toBeFocused();
  await quantity.fill("2");
  await expect(quantity).toHaveAttribute("aria-invalid", "false");
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await field(page, "customer").fill('"Ada"');
  await field(page, "x-tenant").fill("acme");
  await expect(list).toHaveCount(0);
  await send(page);
  await expect(page.locator("#panel-response .summary .status")).toHaveText("201");
  await button(page, "JSON").click();
  await field(page, "Body").fill('{ "customer": 12345678901234567890 }');
  await button(page, "Form").click();
  await expect(field(page, "Body")).toHaveValue('{ "customer": 12345678901234567890 }');
});

test("DASH-074 DASH-075 DASH-150: schemas are readable, and a broken contract is marked", async ({ lab: page }) => {
  await select(page, placing);
  await page.getByText("Schema of the body").click();
  await expect(page.getByRole("region", { name: "Schema of the body" })).toContainText("quantity: integer  // 1 to 9");
  await send(page);
  await page.getByText("Schema of the response").click();
  await expect(page.getByRole("region", { name: "Schema of the response" })).toContainText("total: number");
  await select(page, "POST /plain");
  await page.getByText("Schema of the body").click();
  await expect(page.locator(".editor").getByText("Not described: no JSON Schema.")).toBeVisible();
  await select(page, "GET /broken");
  await send(page);
  await expect(page.locator("#panel-response .summary")).toContainText("contract broken");
  await expect(page.locator("[data-broken]").first()).toContainText("/id");
  await expect(page.locator("#panel-response .json-row[data-broken]").first()).toHaveText(/"id": 7/);
  await open(page, "History");
  await expect(runs(page, "/broken").getByText("contract broken")).toBeAttached();
  await expect(runs(page, "/orders").getByText("contract broken")).toHaveCount(0);
  await expectNoViolation(page);
});
