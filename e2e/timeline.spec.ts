/**
 * The Timeline tab: the calls in order, and the flags on them.
 */
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";
import { bean, open, runEdges, select, send, sendProduct } from "./page.ts";

interface Clerk {
  work(): Promise<number>;
}
interface Store {
  read(key: string): Promise<number>;
}
const Clerk = Interface<Clerk>("Clerk");
const Ledger = Interface<Store>("Ledger");
const Cache = Interface<Store>("Cache");

const pause = (ms: number): Promise<number> => new Promise((done) => setTimeout(done, ms, ms));

/** A clerk asks the cache twice for the same, and the slow ledger once, in parallel with the second. */
function startOffice(): Promise<Lab> {
  return startLab({
    devtools: { slowMs: 100 },
    beans: (builder) =>
      builder
        .bind(Cache, () => ({ read: () => pause(1) }))
        .bind(Ledger, () => ({ read: () => pause(150) }))
        .bind(Clerk, (b) => ({
          work: async () => {
            await b.get(Cache).read("rates");
            const parts = await Promise.all([b.get(Ledger).read("sum"), b.get(Cache).read("rates")]);
            return parts.length;
          },
        })),
    routes: (app) => app.get("/work", [Clerk, "work"]),
  });
}

test("DASH-013: the timeline lists the calls in order with depth, self time and total time", async ({ dashboard }) => {
  await sendProduct(dashboard);
  await open(dashboard, "Timeline");
  const rows = dashboard.locator("#panel-timeline [data-call]");
  await expect(rows.first()).toContainText("ProductController.show");
  await expect(rows.nth(1)).toContainText("CatalogService.page");
  const indents = await rows.evaluateAll((all) =>
    all.slice(0, 3).map((row) => getComputedStyle(row.children[0] ?? row).paddingLeft),
  );
  expect(indents).toEqual(["0px", "14px", "28px"]);
  await expect(dashboard.getByRole("columnheader", { name: "Self" })).toBeVisible();
  await expect(dashboard.getByRole("columnheader", { name: "Total" })).toBeVisible();
  for (const row of (await rows.all()).slice(0, 3)) {
    await expect(row.locator(".num")).toHaveText([/\d ?(µs|ms)/, /\d ?(µs|ms)/]);
  }
  await rows.nth(1).click();
  await expect(bean(dashboard, "CatalogService")).toHaveAttribute("data-selected", "");
});

test("DASH-014: slow calls, the critical path and calls repeated with the same arguments are flagged", async ({
  page,
}) => {
  const office = await startOffice();
  try {
    await openDashboard(page, office.origin);
    await select(page, "GET /work");
    await send(page);
    await expect(runEdges(page, "Clerk>Ledger")).toHaveCount(1);
    await open(page, "Timeline");
    const rows = page.locator("#panel-timeline [data-call]");
    const flags = await rows.evaluateAll((all) =>
      all.map((row) => ({
        call: row.querySelector(".call-name > span")?.textContent,
        flags: [...row.querySelectorAll(".flag")].map((flag) => flag.textContent),
        critical: row.querySelector(".bar[data-critical]") !== null,
      })),
    );
    expect(flags).toEqual([
      { call: "Clerk.work", flags: ["slow"], critical: true },
      { call: "Cache.read", flags: ["1/2"], critical: true },
      { call: "Ledger.read", flags: ["slow"], critical: true },
      { call: "Cache.read", flags: ["2/2"], critical: false },
    ]);
    await expect(page.locator("#panel-timeline")).toContainText(
      /Called again with the same arguments: Cache\.read\(\) 2×/,
    );
  } finally {
    await office.stop();
  }
});
