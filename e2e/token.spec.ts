/**
 * The token: the printed link opens the page, its address does not keep the token, and no other client gets in.
 */
import { Devtools } from "@framework/devtools";
import { Beans, Framework } from "framework";
import { expect, test } from "@playwright/test";
import { field, select, send } from "./page.ts";

const token = "a-token-of-more-than-twenty-characters";

test("a printed link opens the page for one browser and no other", async ({ page, browser }) => {
  const lines: string[] = [];
  const devtools = Devtools.create({ token });
  const beans = Beans.builder().instrument(devtools.recorder()).start();
  const logger = { warn: (line: string): void => void lines.push(line), error: (): void => undefined };
  const app = Framework.create({ host: "127.0.0.1", logger }).beans(beans);
  devtools.install(
    app.get("/products/{id}", (ctx) => ctx.pathParam("id")),
    beans,
  );
  try {
    await app.start(0);
    const link = /http:\/\/\S+\?token=\S+/.exec(lines.join("\n"))?.[0] ?? "";
    expect(link, "the start line names the link").toContain(token);
    const closed = link.replace(/\?.*/, "");

    const rejected = await page.goto(closed);
    expect(rejected?.status()).toBe(403);
    await expect(page.locator("body")).toContainText("Open the link that the application printed");

    await page.goto(link);
    await expect(page).toHaveURL(closed);
    await select(page, "GET /products/{id}");
    await field(page, "id").fill("7");
    await send(page);
    await expect(page.getByText("200", { exact: true }).first()).toBeVisible();
    await page.reload();
    await expect(page.locator(`[data-route="GET /products/{id}"]`)).toBeVisible();

    const other = await (await browser.newContext()).newPage();
    expect((await other.goto(closed))?.status()).toBe(403);
    await other.context().close();
  } finally {
    await app.stop({ graceMs: 0 });
    await beans.close();
  }
});
