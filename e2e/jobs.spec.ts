/**
 * Jobs: an order, its job as a run behind it, a failure, the dead letter, a replay, the mend, done.
 */
import type { Page } from "@playwright/test";
import { Interface } from "framework";
import { job, memoryWork, Work } from "framework/work";
import { expect, openDashboard, test as base, watch } from "./demo.ts";
import { type Lab, startLab } from "./lab.ts";
import { button, faultsOf, open as openTab, runs } from "./page.ts";

interface Mailer {
  send(order: string): string;
}
const Mailer = Interface<Mailer>("MailerRepository");
const input = { type: "object", properties: { order: { type: "string" } }, required: ["order"] } as const;
const Confirm = job("confirm", { input, attempts: 2, backoff: { kind: "fixed", delayMs: 10 } });

/** The shop of these tests: its mail server is down until it is mended. */
class Shop {
  isUp = false;
  readonly sent: string[] = [];
  readonly jobs = memoryWork();

  start(): Promise<Lab> {
    const mailer: Mailer = {
      send: (order) => {
        if (!this.isUp) throw new Error("no mail server");
        this.sent.push(order);
        return order;
      },
    };
    return startLab({
      beans: (builder) => builder.bind(Mailer, () => mailer),
      routes: (app) => {
        app.work(this.jobs);
        app.job(Confirm, (given, run) => run.get(Mailer).send((given as { order: string }).order));
        app.schedule("nightly", "0 3 * * *", { timeZone: "Europe/Berlin" }, Confirm, { order: "all" });
        app.post("/orders", async (ctx) => ({ job: await ctx.get(Work).send(Confirm, { order: "7" }) }));
      },
    });
  }
}

const test = base.extend<{ readonly shop: Shop; readonly lab: Lab; readonly open: Page }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from the pattern
  shop: async ({}, use) => use(new Shop()),
  lab: async ({ shop }, use) => {
    const lab = await shop.start();
    await use(lab);
    await lab.stop();
  },
  open: async ({ page, lab, violations }, use) => {
    await watch(page, lab.origin, violations);
    await openDashboard(page, lab.origin);
    await use(page);
  },
});

/** Orders, and waits until the job is a dead letter. */
async function order(page: Page, { origin }: Lab, shop: Shop): Promise<void> {
  await page.request.post(`${origin}/orders`);
  if (!shop.isUp) await expect.poll(async () => (await shop.jobs.work.dead(Confirm)).length).toBe(1);
}

const appTab = async (page: Page) => {
  await page.getByRole("tab", { name: "App" }).click();
  return page.locator("#panel-app");
};
const openRun = async (page: Page, text: string): Promise<void> => {
  await openTab(page, "History");
  await runs(page, text).first().click();
  await openTab(page, "Response");
};

test("DASH-250: an attempt at a job is a run with its number, its outcome and its input", async ({
  open,
  lab,
  shop,
}) => {
  await order(open, lab, shop);
  await openRun(open, "confirm");
  await expect(open.getByRole("status").filter({ hasText: "attempt" })).toContainText("attempt 2 of 2: a dead letter");
  await expect(open.locator("#panel-response")).toContainText("no mail server");
  await open.getByRole("tab", { name: "Request", exact: true }).click();
  await expect(open.locator("#panel-request")).toContainText('"7"');
});

test("DASH-251: a run leads to the attempts at the jobs that it sent, and an attempt to that run", async ({
  open,
  lab,
  shop,
}) => {
  await order(open, lab, shop);
  await openRun(open, "/orders");
  const links = open.locator("[data-jobs]").getByRole("button");
  await expect(links).toHaveText(["confirm attempt 2 of 2: a dead letter", /^confirm attempt 1 of 2: failed/]);
  await links.first().click();
  await expect(open.locator("[data-jobs]")).toContainText(/^sent .+ before/);
  await links.filter({ hasText: "POST /orders" }).click();
  await expect(links).toHaveCount(2);
});

for (const colorScheme of ["light", "dark"] as const)
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test(`DASH-252: the App tab has the figures of each job, and the schedules, ${colorScheme}`, async ({
      open,
      lab,
      shop,
    }) => {
      await order(open, lab, shop);
      const panel = await appTab(open);
      const row = panel.getByRole("table", { name: "Jobs" }).getByRole("row").nth(1);
      await expect(row.getByRole("cell")).toHaveText(["1", "0", "1", ""]);
      const schedule = panel.getByRole("table", { name: "Schedules" }).getByRole("row").nth(1);
      await expect(schedule).toContainText("nightly 0 3 * * * Europe/Berlinconfirm");
      await expect(panel.getByRole("list", { name: "Dead letters" })).toContainText("confirm no mail server");
      expect(await faultsOf(open)).toEqual([]);
    });
  });

test("DASH-253: a dead letter says why it died, and leads to its last attempt", async ({ open, lab, shop }) => {
  await order(open, lab, shop);
  const letter = (await appTab(open)).getByRole("list", { name: "Dead letters" }).getByRole("listitem");
  await expect(letter).toContainText("no mail server");
  await button(open, "Run").click();
  await open.getByRole("tab", { name: "Response" }).click();
  await expect(open.locator("#panel-response")).toContainText("attempt 2 of 2: a dead letter");
});

test("DASH-254: the replay of a dead letter uses what it recorded, and its engine learns nothing of it", async ({
  open,
  lab,
  shop,
}) => {
  await order(open, lab, shop);
  shop.isUp = true;
  await appTab(open);
  await button(open, "Replay").click();
  const dialog = open.getByRole("dialog");
  await expect(dialog.getByRole("checkbox", { name: /MailerRepository/ })).toBeChecked();
  await dialog.getByRole("button", { name: "Replay", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(open.locator("#panel-compare")).toContainText("The replay did the same");
  expect([shop.sent, (await shop.jobs.work.dead(Confirm)).length]).toEqual([[], 1]);
});

test("DASH-255: a retry puts a dead letter back into its engine, which does the job", async ({ open, lab, shop }) => {
  await order(open, lab, shop);
  shop.isUp = true;
  const panel = await appTab(open);
  await button(open, "Retry").click();
  await expect(panel.getByRole("list", { name: "Dead letters" })).toBeHidden();
  expect(shop.sent).toEqual(["7"]);
  await openRun(open, "confirm");
  await expect(open.locator("#panel-response")).toContainText(/attempt \d of \d: done/);
});

test("DASH-256: the App tab says why the engine cannot be read, and shows the rest", async ({ open, lab }) => {
  const { jobs } = lab.app.about;
  if (jobs === undefined) throw new Error("the lab has no jobs");
  Object.defineProperty(jobs, "counts", { value: () => Promise.reject(new Error("memory is not connected")) });
  const panel = await appTab(open);
  await expect(panel.getByText("The jobs cannot be read: memory is not connected.")).toBeVisible();
  await expect(panel.getByRole("table", { name: "Schedules" })).toBeVisible();
});
