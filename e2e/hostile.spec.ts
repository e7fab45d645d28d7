/**
 * Thirty payloads in ten places, through every view of the page: nothing runs, nothing becomes markup.
 *
 *   path · query · header · body · route pattern · bean name · argument · result · error · response (header, body)
 *
 * The test also proves that it reads the right text: each payload must be legible, unchanged, in each place.
 */
import type { Page } from "@playwright/test";
import { expect, openDashboard, test, watch } from "./demo.ts";
import { attack, patternOf, startHostile } from "./hostile.ts";
import { payloads } from "./payloads.ts";

const places = [
  "path",
  "query",
  "header",
  "body",
  "route pattern",
  "bean name",
  "argument",
  "result",
  "error",
  "response",
] as const;
type Place = (typeof places)[number];

/** Collects, during the page's life, every element that a payload could have created. */
function lookForMarkup(): void {
  const found: string[] = [];
  Reflect.set(window, "markupFound", found);
  const inspect = (one: Node): void => {
    if (!(one instanceof Element)) return;
    const made =
      one.hasAttribute("data-hostile") || /^(iframe|object|embed|base|foreignObject|math)$/i.test(one.tagName);
    const handler = one.getAttributeNames().some((name) => name.startsWith("on"));
    const link = /^\s*javascript:/i.test(one.getAttribute("href") ?? one.getAttribute("src") ?? "");
    if (made || handler || link) found.push(one.outerHTML.slice(0, 200));
  };
  // An element is inspected once it is added and for each change of its attributes, so not with each change of its parents.
  new MutationObserver((changes) => {
    for (const { addedNodes, target } of changes) {
      inspect(target);
      for (const node of addedNodes) {
        inspect(node);
        if (node instanceof Element) node.querySelectorAll("*").forEach(inspect);
      }
    }
  }).observe(document, { childList: true, subtree: true, attributes: true });
}

/** Visits the views of the run at `row` of the list. Returns their texts, by view. */
async function readRun(page: Page, row: number): Promise<Record<string, string>> {
  return page.evaluate(async (at) => {
    const frame = (): Promise<unknown> =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const click = async (selector: string): Promise<void> => {
      document.querySelector(selector)?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      await frame();
    };
    const text = (selector: string): string => document.querySelector(selector)?.textContent ?? "";
    const field = (label: string): string =>
      document.querySelector<HTMLInputElement | HTMLTextAreaElement>(`.editor [aria-label="${label}"]`)?.value ?? "";
    const items = document.querySelectorAll("[data-trace]");
    items[at]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await frame();
    await click("#tab-response");
    document.querySelector("details.headers")?.setAttribute("open", "");
    const response = text("#panel-response");
    await click("#tab-timeline");
    const timeline = text("#panel-timeline");
    await click(".call-row[data-call]");
    const parts = { argument: "Arguments", result: "Result", error: "Error" };
    const call = Object.fromEntries(
      Object.entries(parts).map(([name, label]) => [name, text(`#panel-node [aria-label^="${label} of call"]`)]),
    );
    await click("#tab-response");
    const edit = [...document.querySelectorAll("button")].find((one) => one.textContent === "Edit and resend");
    edit?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    await frame();
    const named = [...document.querySelectorAll<HTMLInputElement>(".editor .pair input")];
    const header = named.find((_, i) => named[i - 1]?.value === "x-hostile");
    return {
      ...call,
      list: items[at]?.textContent ?? "",
      response,
      timeline,
      id: document.querySelector<HTMLInputElement>(".editor .field input")?.value ?? "",
      query: field("Parameter 1 value"),
      header: header?.value ?? "",
      body: field("Body"),
    };
  }, row);
}

/** The places where a payload is legible, from the views of its two runs. */
function seenIn(payload: string, returned: Record<string, string>, failed: Record<string, string>): Set<Place> {
  const json = JSON.stringify(payload);
  const has = (view: string | undefined, text: string): boolean => view?.includes(text) ?? false;
  const marks: Partial<Record<Place, boolean>> = {
    path: has(decodeURIComponent(returned["list"] ?? ""), payload) && returned["id"] === payload,
    query: returned["query"] === payload,
    header: returned["header"] === payload,
    body: has(returned["body"], json),
    argument: has(returned["argument"], json),
    result: has(returned["result"], json),
    error: has(failed["response"], payload) && has(failed["error"], json) && has(failed["timeline"], payload),
    response: has(returned["response"]?.replaceAll(json, payload), payload),
  };
  return new Set(places.filter((place) => marks[place] === true));
}

test(`DASH-030: ${payloads.length} payloads in ${places.length} places are shown as text and never run`, async ({
  page,
}) => {
  test.setTimeout(150_000);
  expect([payloads.length, places.length]).toEqual([30, 10]);
  const app = await startHostile();
  const violations: string[] = [];
  try {
    page.on("dialog", (dialog) => violations.push(`dialog: ${dialog.message()}`));
    await watch(page, app.origin, violations);
    await page.addInitScript(lookForMarkup);
    await attack(app.origin);
    await openDashboard(page, app.origin);

    const routes = await page.locator("[data-route]").evaluateAll((all) => all.map((one) => one.textContent));
    const beans = await page.locator(".graph [data-bean] .name").allTextContents();
    await page.getByRole("tab", { name: "History" }).click();
    await expect(page.locator("[data-trace]")).toHaveCount(2 * payloads.length);

    const missing: string[] = [];
    for (const [index, payload] of payloads.entries()) {
      const row = 2 * (payloads.length - 1 - index);
      const seen = seenIn(payload, await readRun(page, row + 1), await readRun(page, row));
      if (routes.some((text) => text?.includes(patternOf(payload, index)))) seen.add("route pattern");
      if (beans.includes(payload)) seen.add("bean name");
      missing.push(...places.filter((place) => !seen.has(place)).map((place) => `${place}: ${payload}`));
    }
    expect(missing).toEqual([]);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("script");
    await expect(page.getByRole("dialog").getByRole("option").first()).toContainText("<script>");
    expect(await page.evaluate(() => Reflect.get(window, "markupFound") as string[])).toEqual([]);
    expect(await page.evaluate(() => Reflect.has(window, "hostile"))).toBe(false);
    expect(violations).toEqual([]);
    // The search for markup would have found it.
    await page.evaluate(() => document.body.append(document.createElement("base")));
    await expect.poll(() => page.evaluate(() => Reflect.get(window, "markupFound") as string[])).toContain("<base>");
  } finally {
    await app.stop();
  }
});

test("DASH-030: a hostile response to the page's own request is text as well", async ({ page }) => {
  test.setTimeout(150_000);
  const app = await startHostile();
  const violations: string[] = [];
  try {
    await watch(page, app.origin, violations);
    await page.addInitScript(lookForMarkup);
    await openDashboard(page, app.origin);
    const heads: string[] = [];
    for (const [index, payload] of payloads.entries()) {
      await page.locator(`[data-route="POST /take/{id}/${index}"]`).click();
      await page.getByRole("textbox", { name: "id", exact: true }).fill(payload);
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await expect(page.locator("#panel-response .summary")).toContainText(/[12] calls?/);
      await expect(page.locator("#panel-response .json").first()).toBeAttached();
      heads.push((await page.locator("#panel-response").textContent()) ?? "");
    }
    expect(heads.filter((text) => text.includes("200")).length).toBe(payloads.length);
    expect(await page.evaluate(() => Reflect.get(window, "markupFound") as string[])).toEqual([]);
    expect(await page.evaluate(() => Reflect.has(window, "hostile"))).toBe(false);
    expect(violations).toEqual([]);
  } finally {
    await app.stop();
  }
});
