/**
 * Five problems that a developer has, each solved on the page alone. The page itself counts the clicks.
 *
 *   the requests were made ──▶ Start, or the response ──▶ at most so many clicks ──▶ the reason
 */
import { setTimeout as wait } from "node:timers/promises";
import { step } from "@framework/devtools";
import type { Locator, Page } from "@playwright/test";
import { Interface, type BeansBuilder } from "framework";
import { expect, test, watch } from "./demo.ts";
import { clickOnRun, payUnderLoad, startBank } from "./lanes.ts";
import { startLab, type Lab, type LabPlan } from "./lab.ts";
import { bean, button, expectNoViolation, select, send } from "./page.ts";

interface Counted {
  /** The clicks and the keys that act like one, since the page was opened or `reset`. Typing is none. */
  readonly clicks: () => Promise<number>;
  readonly reset: () => Promise<void>;
}

/** Opens a page that counts, at Start or where the request is written. */
async function openCounted(page: Page, { origin }: Lab, violations: string[], place = "start"): Promise<Counted> {
  await watch(page, origin, violations);
  await page.addInitScript(() => {
    const add = (): void => void Reflect.set(window, "clicks", Number(Reflect.get(window, "clicks") ?? 0) + 1);
    // A key on a button makes a click without a position, which is counted as the key.
    addEventListener("click", (event) => event.isTrusted && event.detail > 0 && add(), true);
    addEventListener("keydown", ({ key, repeat }) => (key === "Enter" || key === " ") && !repeat && add(), true);
  });
  await page.goto(`${origin}/framework/dev#place=${place}`);
  return {
    clicks: () => page.evaluate(() => Number(Reflect.get(window, "clicks") ?? 0)),
    reset: () => page.evaluate(() => void Reflect.set(window, "clicks", 0)),
  };
}

const finding = (page: Page, kind: string): Locator => page.locator(`.finding[data-kind="${kind}"]`);
const slowest = (page: Page): Locator =>
  page.getByRole("region", { name: "Slowest routes" }).locator("tbody button").first();
const newestError = (page: Page): Locator =>
  page.getByRole("region", { name: "Newest errors" }).getByRole("listitem").getByRole("button").first();

/** Runs a test on a lab of that plan, which is stopped afterwards. */
async function withLab(plan: LabPlan, act: (lab: Lab) => Promise<void>): Promise<void> {
  const lab = await startLab(plan);
  try {
    await act(lab);
  } finally {
    await lab.stop();
  }
}
const ask = async ({ origin }: Lab, ...paths: readonly string[]): Promise<void> => {
  for (const path of paths) await (await fetch(origin + path)).arrayBuffer();
};

interface Part {
  run(value: number): Promise<number>;
}
const [Reports, Ledger, Rounding] = ["Reports", "Ledger", "Rounding"].map((name) => Interface<Part>(name)) as [
  Interface<Part>,
  Interface<Part>,
  Interface<Part>,
];

/** Reports asks the Ledger for each of `times` years, and Rounding last. */
const reports =
  (ledger: (value: number) => Promise<number>, times = 1) =>
  (builder: BeansBuilder): BeansBuilder =>
    builder
      .bind(Ledger, () => ({ run: ledger }))
      .bind(Rounding, () => ({ run: async (value) => value * 1 }))
      .bind(Reports, (b) => {
        const [years, rounding] = [b.get(Ledger), b.get(Rounding)];
        return {
          run: async (value) => {
            let sum = 0;
            for (let year = 0; year < times; year += 1) sum = await years.run(value + year);
            return rounding.run(sum);
          },
        };
      });
const routes: LabPlan["routes"] = (app) =>
  app
    .get("/reports/{year}", async (ctx) => ({ total: await ctx.get(Reports).run(Number(ctx.pathParam("year"))) }))
    .get("/health", () => ({ ok: true }));

test("DASH-235: a slow route is led to the call that takes the time in two clicks", async ({ page, violations }) => {
  await withLab({ beans: reports((year) => wait(180, year)), routes }, async (lab) => {
    await ask(lab, "/health", "/reports/2024", "/health");
    const { clicks } = await openCounted(page, lab, violations);
    await slowest(page).click();
    const slow = finding(page, "own-time").first();
    await expect(slow).toContainText(/Ledger\.run took [1-9]\d\d ms itself, in nothing that it called/);
    await slow.getByTitle("Shows it in the graph").click();
    await expect(bean(page, "Ledger")).toHaveAttribute("data-selected", "");
    expect(await clicks()).toBeLessThanOrEqual(2);
  });
});

test("DASH-236: a wrong value is led to the call where it first was in three clicks", async ({ page, violations }) => {
  await withLab({ beans: reports(async (year) => year * 3 + 1), routes }, async (lab) => {
    const { clicks, reset } = await openCounted(page, lab, violations, "compose");
    await select(page, "GET /reports/{year}");
    await page.getByLabel("year").fill("2024");
    await send(page);
    const wrong = page.locator("#panel-response .json-row", { hasText: "6073" });
    await expect(wrong).toBeVisible();
    await expect(bean(page, "Reports")).toHaveAttribute("data-state", "path");
    await reset();
    await wrong.hover();
    await wrong.locator(".j-from").click();
    const first = page.locator(".trail li").first();
    await expect(first).toContainText("returned by");
    await first.getByRole("button", { name: "Ledger.run" }).click();
    await expect(page.getByRole("tab", { name: "Bean" })).toHaveAttribute("aria-selected", "true");
    const call = page.locator("#panel-node [data-call]").first();
    await expect(call).toContainText("2024");
    await expect(call).toContainText("6073");
    expect(await clicks()).toBeLessThanOrEqual(3);
  });
});

test("DASH-237: statements in a loop are named with the call that sends them in two clicks", async ({
  page,
  violations,
}) => {
  const sum = async (year: number): Promise<number> => {
    await step("sql", "SELECT", async (note) => {
      await wait(3);
      note({ statement: `select sum(paid) from entries where year = ${year}` });
    });
    return year;
  };
  await withLab({ beans: reports(sum, 12), routes }, async (lab) => {
    await ask(lab, "/health", "/reports/2010");
    const { clicks } = await openCounted(page, lab, violations);
    await slowest(page).click();
    const repeated = finding(page, "repeated-statement");
    await expect(repeated.locator(".finding-sign")).toHaveText("12×");
    await expect(repeated).toContainText("Reports.run sends 12 similar statements");
    await repeated.getByTitle("Shows it in the graph").click();
    await expect(page.locator(".leaf-pane .sql")).toContainText("from entries");
    expect(await clicks()).toBeLessThanOrEqual(2);
  });
});

test("DASH-238: a failure under load is led to the run between its read and its write, and to the difference", async ({
  page,
  violations,
}) => {
  const bank = await startBank();
  try {
    await payUnderLoad(bank.origin);
    const { clicks } = await openCounted(page, bank, violations);
    await page.getByRole("link", { name: "Lanes", exact: true }).click();
    await clickOnRun(page, "ring");
    const beside = page.getByRole("region", { name: "Interleaved with" });
    await expect(beside.locator(".lanes-sentence")).toContainText(
      "Between WalletRepository.find and WalletRepository.save of this run, POST /wallets/w-7000/pay called WalletRepository.save",
    );
    await beside.getByRole("button", { name: /^Compare with/ }).click();
    await expect(page.locator("#panel-compare .call-diff", { hasText: "WalletRepository.save" })).toContainText(
      "the wallet has changed",
    );
    expect(await clicks()).toBeLessThanOrEqual(4);
  } finally {
    await bank.stop();
  }
});

test("DASH-238: a failure of some requests is led to what the failed ones share and the others do not", async ({
  page,
  violations,
}) => {
  const ledger = async (year: number): Promise<number> => {
    await wait(5);
    if (year === 2019) throw new RangeError("the year is closed");
    return year;
  };
  await withLab({ beans: reports(ledger), routes }, async (lab) => {
    for (let sent = 0; sent < 5; sent += 1)
      await Promise.all([2017, 2018, 2019, 2020].map((year) => ask(lab, `/reports/${year}`)));
    const { clicks } = await openCounted(page, lab, violations);
    await page.getByRole("link", { name: "Lanes", exact: true }).click();
    await button(page, "Errors").click();
    await expect(page.locator(".lanes-first")).toHaveText(
      "params.year of the request is 2019 in 5 of 5, 0 of 15 others.",
    );
    expect(await clicks()).toBeLessThanOrEqual(4);
  });
});

/** Runs a test on a shop whose reports come from a second service, which takes its time, and fails for years long ago. */
async function withServices(act: (lab: Lab) => Promise<void>): Promise<void> {
  const slow = reports(async (year) => {
    if (year < 2000) throw new RangeError("no such year");
    return wait(180, year);
  });
  await withLab({ devtools: { name: "post" }, beans: slow, routes }, async (post) => {
    const remote = async (year: number): Promise<number> => {
      const response = await fetch(`${post.origin.replace("localhost", "127.0.0.1")}/reports/${year}`);
      if (!response.ok) throw new Error("post did not answer");
      return ((await response.json()) as { readonly total: number }).total;
    };
    await withLab({ devtools: { name: "shop" }, beans: reports(remote), routes }, act);
  });
}

test("DASH-239: the call of another service where the time is, is named in two clicks", async ({
  page,
  violations,
}) => {
  await withServices(async (lab) => {
    await ask(lab, "/health", "/reports/2024");
    const { clicks } = await openCounted(page, lab, violations);
    await slowest(page).click();
    const own = finding(page, "own-time").first();
    await expect(own).toContainText(/post › Ledger\.run took [1-9]\d\d ms itself/);
    await own.getByTitle("Shows it in the graph").click();
    await expect(bean(page, "post › Ledger")).toHaveAttribute("data-selected", "");
    expect(await clicks()).toBeLessThanOrEqual(2);
  });
});

test("DASH-239: the call of another service where the error is, is named in two clicks", async ({
  page,
  violations,
}) => {
  await withServices(async (lab) => {
    await ask(lab, "/reports/1999");
    const { clicks } = await openCounted(page, lab, violations);
    await newestError(page).click();
    const thrown = finding(page, "error").nth(1);
    await expect(thrown).toContainText(
      "post › Ledger.run threw RangeError: no such year, and Ledger.run then failed with Error",
    );
    await thrown.getByTitle("Shows it in the graph").click();
    await expect(bean(page, "post › Ledger")).toHaveAttribute("data-selected", "");
    expect(await clicks()).toBeLessThanOrEqual(2);
    await expectNoViolation(page);
  });
});

test("the page counts a click by mouse and by key as one each, and typing as none", async ({ page, violations }) => {
  await withLab({ beans: reports(async (year) => year), routes }, async (lab) => {
    await ask(lab, "/reports/2024");
    const { clicks } = await openCounted(page, lab, violations);
    await page.getByRole("searchbox", { name: "Find bean" }).fill("Ledger");
    expect(await clicks()).toBe(0);
    await button(page, "Live").focus();
    await page.keyboard.press("Enter");
    expect(await clicks()).toBe(1);
    await button(page, "Live").click();
    expect(await clicks()).toBe(2);
  });
});
