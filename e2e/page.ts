/**
 * Actions of a person on the page: select, send, look at a bean. Also the tokens' colours as the browser computes them.
 *
 * State is read from attributes, colour from the computed stroke. A straight SVG edge has no height, which Playwright calls
 * hidden, so edges are counted.
 */
import type { Locator, Page } from "@playwright/test";
import axe from "axe-core";
import { expect } from "./demo.ts";

/** The method colours of both themes. */
export const colours = {
  light: {
    GET: "rgb(18, 106, 32)",
    POST: "rgb(32, 72, 177)",
    PUT: "rgb(192, 128, 0)",
    DELETE: "rgb(202, 31, 52)",
    PATCH: "rgb(143, 35, 252)",
    QUERY: "rgb(0, 123, 138)",
  },
  dark: {
    GET: "rgb(54, 226, 125)",
    POST: "rgb(119, 183, 244)",
    PUT: "rgb(247, 167, 1)",
    DELETE: "rgb(252, 49, 49)",
    PATCH: "rgb(188, 86, 250)",
    QUERY: "rgb(43, 149, 166)",
  },
} as const;

/** An order that the shop accepts. Its customer has ordered little, so there is no discount. */
export const order = { customerId: "c-1", card: "visa", lines: [{ productId: "p-0001", quantity: 1 }] };

/** Selects a route in the list, for example `GET /products/{id}`. */
export const select = (page: Page, route: string): Promise<void> => page.locator(`[data-route="${route}"]`).click();

/** The text field of that accessible name. */
export const field = (page: Page, name: string): Locator => page.getByRole("textbox", { name, exact: true });

/** The body as text, since a route with a contract for it shows a form first. */
export async function bodyText(page: Page): Promise<Locator> {
  const text = field(page, "Body");
  await expect(button(page, "JSON").or(text).first()).toBeVisible();
  if ((await text.count()) === 0) await button(page, "JSON").click();
  return text;
}

/** The button of that accessible name. */
export const button = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });

/** Opens a tab: Requests, History, Response, Timeline, Bean or Compare. */
export const open = (page: Page, tab: string): Promise<void> => page.getByRole("tab", { name: tab }).click();

/** Presses Send. */
export const send = (page: Page): Promise<void> => button(page, "Send").click();

/** A bean of the graph. */
export const bean = (page: Page, id: string): Locator => page.locator(`.graph [data-bean="${id}"]`);

/** The link to the line of the method, in the panel of a bean. */
export const methodPlace = (page: Page): Locator => page.locator("#panel-node [data-call] header a").first();

/** The edges of the drawn path, or one of them: `entry>ProductController`. */
export const runEdges = (page: Page, edge?: string): Locator =>
  page.locator(edge === undefined ? ".graph [data-run]" : `.graph [data-run="${edge}"]`);

/** The runs in History, or those that show this text. */
export const runs = (page: Page, text?: string): Locator =>
  page.locator("[data-trace]").filter(text === undefined ? {} : { hasText: text });

/** The stroke colours of these elements, each once. */
export const strokes = async (elements: Locator): Promise<string[]> => [
  ...new Set(await elements.evaluateAll((all) => all.map((element) => getComputedStyle(element).stroke))),
];

/** Opens a product. The path is drawn when this returns. */
export async function sendProduct(page: Page, id = "p-0001"): Promise<void> {
  await select(page, "GET /products/{id}");
  await field(page, "id").fill(id);
  await send(page);
  await expect(bean(page, "ProductController")).toHaveAttribute("data-state", "path");
}

/** Sends a route with this body. The path is drawn when this returns. */
export async function sendBody(page: Page, route: string, entry: string, body: unknown): Promise<void> {
  await select(page, route);
  await (await bodyText(page)).fill(JSON.stringify(body, null, 2));
  await send(page);
  await expect(runEdges(page, `entry>${entry}`)).toHaveCount(1);
}

/** The violations that axe finds on the current page, `off` aside. axe stays in the page, since loading it takes as long as its rules. */
export async function faultsOf(page: Page, off: readonly string[] = []): Promise<string[]> {
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(axe.source);
  const rules = Object.fromEntries(off.map((id) => [id, { enabled: false }]));
  const { violations, passes } = await page.evaluate(
    (options) => (globalThis as unknown as { readonly axe: typeof axe }).axe.run(options),
    { resultTypes: ["violations" as const], rules },
  );
  expect(passes.length, "rules that were kept").toBeGreaterThan(10);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** Expects no violation by axe in both themes. Afterwards the page has its earlier theme. */
export async function expectNoViolation(page: Page): Promise<void> {
  for (let themes = 0; themes < 2; themes += 1) {
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Theme").click();
  }
}
