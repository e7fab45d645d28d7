/**
 * The front end of examples/front-end in a browser: a list read by QUERY, a mutation, and changes over restarts of the service.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import type { Framework } from "framework";
import { Board, createApp } from "../examples/front-end/app.ts";
import { buildPage } from "../examples/front-end/build.ts";

test("the front end finds, adds and follows notes, and loses no change over restarts of the service", async ({
  page,
}) => {
  const board = new Board();
  const built = await buildPage(fileURLToPath(new URL("../examples/front-end/", import.meta.url)));
  const start = async (port: number): Promise<Framework> => {
    const app = createApp(board, built);
    await app.start(port);
    return app;
  };
  let app = await start(0);
  const port = app.port ?? 0;
  try {
    await page.goto(app.url ?? "");
    const notes = page.getByRole("list", { name: "Notes" }).getByRole("listitem");
    await page.getByRole("textbox", { name: "Note" }).fill("Buy milk");
    await page.getByRole("button", { name: "Add" }).click();
    await expect(notes).toHaveText(["Buy milk"]);
    await page.getByRole("textbox", { name: "Note" }).fill(" ");
    await page.getByRole("button", { name: "Add" }).click();
    await expect(page.getByRole("alert")).toHaveText("The service responded with 422");
    await board.add("Walk");
    await expect(notes).toHaveText(["Walk", "Buy milk"]);
    await page.getByRole("textbox", { name: "Find" }).fill("milk");
    await expect(notes).toHaveText(["Buy milk"]);

    await page.getByRole("textbox", { name: "Message" }).fill("hello");
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
    const messages = page.getByRole("list", { name: "Messages" }).getByRole("listitem");
    await expect(messages).toHaveText(["hello (run 1)"]);

    for (let at = 3; at <= 1000; at += 1) {
      await board.add(`note ${at}`);
      if (at % 10 === 0) await new Promise(setImmediate);
      if (at % 300 !== 0) continue;
      await app.stop();
      app = await start(port);
    }
    await expect(page.locator("#count")).toHaveText("1000");
    await expect(page.locator("#doubled")).toHaveText("0");
    await expect(async () => {
      await page.getByRole("textbox", { name: "Message" }).press("Enter");
      await expect(messages.last()).toHaveText("hello (run 4)", { timeout: 500 });
    }).toPass();
  } finally {
    await app.stop();
  }
});
