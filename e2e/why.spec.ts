/**
 * The Why tab: three causes planted in one small application, each found from a sentence.
 */
import { step } from "@framework/devtools";
import type { Locator, Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";
import { bean, button, expectNoViolation, open, select, send } from "./page.ts";

interface Orders {
  list(): Promise<unknown>;
}
interface Mail {
  send(): Promise<void>;
}
interface Prices {
  today(): number;
}
const Orders = Interface<Orders>("Orders");
const Mail = Interface<Mail>("Mail");
const Prices = Interface<Prices>("Prices");

/** A list that sends a statement for each of its lines, goes on without the mail that failed, and gives a price that changes. */
function startOrders(): Promise<Lab> {
  let requests = 0;
  return startLab({
    beans: (builder) =>
      builder
        .bind(Prices, () => ({ today: () => ((requests += 1) < 2 ? 10 : 99) }))
        .bind(Mail, () => ({
          send: async () => {
            throw new RangeError("mailbox is full");
          },
        }))
        .bind(Orders, (b) => ({
          list: async () => {
            for (let id = 1; id <= 5; id += 1)
              await step("sql", "SELECT", async (note) => note({ statement: `select * from lines where id = ${id}` }));
            await b
              .get(Mail)
              .send()
              .catch(() => undefined);
            return { price: b.get(Prices).today() };
          },
        })),
    routes: (app) => app.get("/orders", [Orders, "list"]),
  });
}

const finding = (page: Page, kind: string): Locator => page.locator(`.finding[data-kind="${kind}"]`);

test("DASH-158 DASH-159 DASH-160: what went wrong is a sentence that leads to its call, line and statement", async ({
  page,
}) => {
  const lab = await startOrders();
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /orders");
    await send(page);
    await expect(bean(page, "Orders")).toHaveAttribute("data-state", "path");
    await open(page, "Why");

    await expect(page.locator(".why h3")).toHaveText(["What went wrong", "Where the time went"]);
    const swallowed = finding(page, "swallowed");
    await expect(swallowed).toContainText(
      "Mail.send threw RangeError: mailbox is full, and Orders.list went on without it",
    );
    await expect(swallowed.getByTitle("Open in the editor")).toHaveText(/e2e\/why\.spec\.ts:\d+/);
    await swallowed.getByTitle("Shows it in the graph").click();
    await expect(bean(page, "Orders")).toHaveAttribute("data-selected", "");

    const repeated = finding(page, "repeated-statement");
    await expect(repeated).toContainText("Orders.list sends 5 similar statements");
    await repeated.getByTitle("Shows it in the graph").click();
    await expect(page.locator(".leaf-pane .sql")).toContainText("from lines");
    await expectNoViolation(page);

    await send(page);
    await open(page, "Why");
    await expect(finding(page, "difference")).toContainText(
      "Prices.today returns another result for the same arguments",
    );
    await button(page, "Open both in Compare").click();
    await expect(page.getByRole("tab", { name: "Compare" })).toHaveAttribute("aria-selected", "true");
  } finally {
    await lab.stop();
  }
});
