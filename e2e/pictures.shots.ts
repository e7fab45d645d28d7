/**
 * `make screenshots`: the pictures of docs/, taken from the running demo after its path is drawn, and the one that moves.
 */
import { join } from "node:path";
import type { Page } from "@playwright/test";
import sharp from "sharp"; // The only maintained encoder of animated GIFs for Node.
import { expect, test } from "./demo.ts";
import {
  bean,
  button,
  field,
  methodPlace,
  open,
  order,
  runEdges,
  select,
  send,
  sendBody,
  sendProduct,
} from "./page.ts";

const docs = join(import.meta.dirname, "..", "docs");

async function take(page: Page, name: string): Promise<void> {
  await expect(page.locator(".graph [data-still]")).toHaveCount(1);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(docs, name) });
}

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test(`takes docs/dashboard-${theme}.png: a run's path and its timeline`, async ({ dashboard }) => {
      await sendProduct(dashboard);
      await open(dashboard, "Timeline");
      await take(dashboard, `dashboard-${theme}.png`);
    });
  });
}

/** The frames of a picture that moves, each with the time that it is shown for, in milliseconds. */
class Film {
  readonly #page: Page;
  readonly #frames: Buffer[] = [];
  readonly #delays: number[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  async frame(ms: number): Promise<void> {
    this.#frames.push(
      await sharp(await this.#page.screenshot())
        .resize({ width: 960 })
        .toBuffer(),
    );
    this.#delays.push(ms);
  }

  /** Frames while the page draws, until the graph stands still. */
  async framesUntilStill(): Promise<void> {
    const still = this.#page.locator(".graph [data-still]");
    for (let left = 20; left > 0 && (await still.count()) === 0; left -= 1) await this.frame(120);
    await expect(still).toHaveCount(1);
  }

  async write(name: string): Promise<void> {
    const film = sharp(this.#frames, { join: { animated: true } });
    await film.gif({ delay: this.#delays, loop: 0, colours: 128 }).toFile(join(docs, name));
  }
}

test.describe("light", () => {
  test.use({ colorScheme: "light" });

  test("takes docs/dashboard.gif: Send, the path, a value, and the line that made it", async ({ dashboard }) => {
    const film = new Film(dashboard);
    await select(dashboard, "GET /products/{id}");
    await field(dashboard, "id").fill("p-0001");
    await film.frame(1_200);
    await button(dashboard, "Send").hover();
    await film.frame(600);
    await send(dashboard);
    await expect(bean(dashboard, "ProductController")).toHaveAttribute("data-state", "path");
    await film.framesUntilStill();
    await film.frame(1_800);
    await open(dashboard, "Timeline");
    await film.frame(1_800);
    await bean(dashboard, "PricingService").click();
    await film.framesUntilStill();
    await film.frame(2_500);
    await methodPlace(dashboard).hover();
    await film.frame(3_500);
    await film.write("dashboard.gif");
  });

  test("takes docs/dashboard-node.png: the arguments and results of a bean of an order", async ({ dashboard }) => {
    await sendBody(dashboard, "POST /orders", "OrderController", order);
    await bean(dashboard, "PaymentGateway").click();
    await take(dashboard, "dashboard-node.png");
  });

  test("takes docs/dashboard-compare.png: a product that exists and one that does not", async ({ dashboard }) => {
    await sendProduct(dashboard);
    await button(dashboard, "Compare as A").click();
    await select(dashboard, "GET /products/{id}");
    await field(dashboard, "id").fill("p-9999");
    await send(dashboard);
    await expect(dashboard.locator(".graph [data-threw]")).toHaveCount(1);
    await button(dashboard, "Compare as B").click();
    await open(dashboard, "Compare");
    await expect(runEdges(dashboard, "CatalogService>PricingService")).toHaveAttribute("data-side", "a");
    await take(dashboard, "dashboard-compare.png");
  });
});
