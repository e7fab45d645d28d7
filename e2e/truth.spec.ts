/**
 * The recorder's data on the page: where an error was thrown, runs in progress, folded or omitted calls, and why a bean is not
 * recorded.
 */
import type { Locator, Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab, type Lab, type LabPlan } from "./lab.ts";
import { faultsOf, open, runs, select, send } from "./page.ts";

interface Ledger {
  book(amount: number): number;
}
const Ledger = Interface<Ledger>("Ledger");

/** A ledger that rejects negative amounts. */
class StrictLedger implements Ledger {
  book(amount: number): number {
    if (amount < 0) throw new RangeError("the ledger is closed", { cause: new TypeError(`not booked: ${amount}`) });
    return amount;
  }
}

const ledgerPlan: LabPlan = {
  beans: (builder) => builder.bind(Ledger, () => new StrictLedger()),
  routes: (app) => app.get("/book", (ctx) => ctx.get(Ledger).book(-1)),
};

/** Runs `test` with a lab, and stops the lab. */
async function withLab(plan: LabPlan, run: (lab: Lab) => Promise<void>): Promise<void> {
  const lab = await startLab(plan);
  try {
    await run(lab);
  } finally {
    await lab.stop();
  }
}

test("DASH-050: an error shows its own frames, the others folded, the line that threw and its cause", async ({
  page,
}) => {
  await withLab(ledgerPlan, async (lab) => {
    await fetch(`${lab.origin}/book`);
    await openDashboard(page, lab.origin);
    await open(page, "History");
    await runs(page, "/book").click();
    const error = page.locator("#panel-response .error-places");
    const stack = error.getByRole("list", { name: "Stack of RangeError" });
    await expect(stack.locator("> li").first()).toContainText("StrictLedger.book");
    await expect(stack.getByText(/frames? of Node and packages/).first()).toBeVisible();
    await expect(stack.getByText("node_modules")).toHaveCount(0);
    await expect(error.locator("[data-threw]").first()).toContainText('throw new RangeError("the ledger is closed"');
    await expect(error).toContainText("Caused by TypeError not booked: -1");
    await error.getByText("Caused by").waitFor();
    await page.locator('[data-bean="Ledger"]').first().click();
    const call = page.locator("#panel-node [data-call][data-failed]");
    await expect(call.locator("[data-threw]").first()).toContainText("throw new RangeError");
  });
});

test("DASH-051 DASH-143: a line of a stack opens in the configured editor, and is not a link without one", async ({
  page,
}) => {
  const expected: readonly (readonly [LabPlan["devtools"], RegExp | null])[] = [
    [{}, /^vscode:\/\/file\/.+\/e2e\/truth\.spec\.ts:\d+:\d+$/],
    [{ editor: "my://open?at={line}&in={file}" }, /^my:\/\/open\?at=\d+&in=\/.+\/e2e\/truth\.spec\.ts$/],
    [{ editor: false }, null],
  ];
  for (const [devtools, link] of expected)
    await withLab({ ...ledgerPlan, devtools: devtools ?? {} }, async (lab) => {
      await fetch(`${lab.origin}/book`);
      await openDashboard(page, lab.origin);
      await open(page, "History");
      await runs(page, "/book").click();
      const first = page.getByRole("list", { name: "Stack of RangeError" }).locator("> li").first();
      await expect(first).toContainText("e2e/truth.spec.ts");
      if (link === null) await expect(first.locator("a")).toHaveCount(0);
      else await expect(first.locator("a")).toHaveAttribute("href", link);
    });
});

/** A ledger with calls that end when the test says so. */
class HeldLedger implements Ledger {
  #release: () => void = () => undefined;
  readonly held: Promise<void> = new Promise((resolve) => (this.#release = resolve));
  release(): void {
    this.#release();
  }
  book(amount: number): number {
    return amount;
  }
  async bookLater(amount: number): Promise<number> {
    await this.held;
    return amount;
  }
}

test("DASH-052: a run in progress is in History with its clock and the waiting call, until it is over", async ({
  page,
}) => {
  const ledger = new HeldLedger();
  const Held = Interface<Pick<HeldLedger, "book" | "bookLater">>("Ledger");
  const plan: LabPlan = {
    beans: (builder) => builder.bind(Held, () => ledger),
    routes: (app) => app.get("/hold", async (ctx) => ctx.get(Held).bookLater(ctx.get(Held).book(1))),
  };
  await withLab(plan, async (lab) => {
    await openDashboard(page, lab.origin);
    await open(page, "History");
    const response = fetch(`${lab.origin}/hold`);
    const row = page.locator(".under-way li");
    await expect(row).toContainText("/hold");
    await expect(row).toContainText(/2 calls so far, in Ledger\.bookLater\(\)/);
    const clock = row.locator(".time");
    const first = await clock.textContent();
    await expect(clock).not.toHaveText(first ?? "");
    ledger.release();
    await (await response).text();
    await expect(runs(page, "/hold")).toHaveCount(1);
    await expect(row).toHaveCount(0);
  });
});

test("DASH-053 DASH-144: work outside requests is in History under its name, with its result", async ({ page }) => {
  await withLab(ledgerPlan, async (lab) => {
    lab.app.background("nightly booking", () => lab.beans.get(Ledger).book(3));
    lab.app.background("broken booking", () => lab.beans.get(Ledger).book(-3));
    lab.devtools.trace("job of a queue", () => "done");
    await openDashboard(page, lab.origin);
    await open(page, "History");
    await expect(runs(page, "job of a queue")).toContainText("ok");
    await expect(runs(page, "broken booking")).toContainText("failed");
    await runs(page, "nightly booking").click();
    await expect(page.locator("#panel-response .summary")).toContainText("in the background");
    await expect(page.getByRole("button", { name: "Edit and resend" })).toHaveCount(0);
    await expect(page.locator('.graph [data-bean="Ledger"]')).toHaveAttribute("data-state", "path");
    await open(page, "Timeline");
    await expect(page.locator("#panel-timeline [data-call]")).toContainText("Ledger.book");
  });
});

/** An amount that no other code can read. */
class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  toJSON(): number {
    return this.#cents;
  }
}

interface Bank {
  ping(account: string, amount: Money): number;
}
const Bank = Interface<Bank>("Bank");

/** A bank that is called `?n=` times. */
const bankPlan: LabPlan = {
  devtools: { limits: { callsPerTrace: 20 } },
  beans: (builder) => builder.bind(Bank, () => ({ ping: (account, amount) => account.length + amount.toJSON() })),
  routes: (app) =>
    app.get("/ping", (ctx) => {
      const bank = ctx.get(Bank);
      return Array.from({ length: Number(ctx.query["n"]?.[0]) }, (_, i) => bank.ping(`a-${i}`, new Money(i)));
    }),
};

async function openTimeline(page: Page, lab: Lab, path: string): Promise<Locator> {
  await fetch(lab.origin + path);
  await openDashboard(page, lab.origin);
  await open(page, "History");
  await runs(page, path.split("?")[0]).first().click();
  await open(page, "Timeline");
  return page.locator("#panel-timeline");
}

test("DASH-054: equal calls in a row are one line that opens by click and by key", async ({ page }) => {
  await withLab(bankPlan, async (lab) => {
    const timeline = await openTimeline(page, lab, "/ping?n=7");
    const fold = timeline.locator("[data-fold]");
    await expect(fold).toContainText("Bank.ping 7×");
    await expect(fold.locator(".num")).toHaveText([/^Σ \d/, /^Σ \d/]);
    await expect(timeline.locator("[data-call]")).toHaveCount(0);
    await fold.click();
    await expect(timeline.locator("[data-call]")).toHaveCount(7);
    await fold.focus();
    await page.keyboard.press("Enter");
    await expect(timeline.locator("[data-call]")).toHaveCount(0);
  });
});

test("DASH-055: the line of the time outside of beans has that time, the run's, and its named parts", async ({
  page,
}) => {
  await withLab(bankPlan, async (lab) => {
    const timeline = await openTimeline(page, lab, "/ping?n=1");
    const root = timeline.locator(".call-row.root");
    await expect(root).toContainText(/handler \S+ \d[\d.]* (µs|ms)/);
    const said = root.locator(".bar-cell");
    await expect(said).toHaveAttribute("aria-label", /^(?=.*handler \S+ \d)(?=.*sending \d[\d.]* (µs|ms))/);
    await expect(root.locator("[data-phase=sending]").first()).toBeAttached();
    await expect(root.locator(".num")).toHaveText([/\d ?(µs|ms)/, /\d ?(µs|ms)/]);
  });
});

test("DASH-056: the bound of calls is shown with its setting if it was reached", async ({ page }) => {
  await withLab(bankPlan, async (lab) => {
    const timeline = await openTimeline(page, lab, "/ping?n=57");
    await expect(timeline.locator(".notice").last()).toContainText("The first 20 calls are kept, 37 more are not");
    await expect(timeline).toContainText("callsPerTrace: 20");
  });
});

test("DASH-057 DASH-145: arguments have names, and private fields a hint how to show them", async ({ page }) => {
  await withLab(bankPlan, async (lab) => {
    const timeline = await openTimeline(page, lab, "/ping?n=1");
    await timeline.locator("[data-call]").click();
    const given = page.getByLabel("Arguments of call 1").first();
    await expect(given).toContainText('"account": "a-0"');
    await expect(given).toContainText('"amount": Money {');
    await expect(given).toContainText("private fields; to show them: Devtools.create({ snapshot: [[Money,");
  });
});

test("DASH-058 DASH-146: a bean says why it is not recorded, and a request that it reached none", async ({ page }) => {
  const Callback = Interface<() => number>("Callback");
  const Proxied = Interface<Ledger>("Proxied");
  const plan: LabPlan = {
    beans: (builder) =>
      builder.bind(Callback, () => () => 7).bind(Proxied, () => new Proxy({ book: (amount: number) => amount }, {})),
    routes: (app) =>
      app.get("/plain", () => "no bean").get("/beans", (ctx) => [ctx.get(Callback)(), ctx.get(Proxied).book(1)]),
  };
  await withLab(plan, async (lab) => {
    await openDashboard(page, lab.origin);
    for (const [bean, why] of [
      ["Callback", "Not traceable: it is a function"],
      ["Proxied", "Not traceable: it is a proxy"],
    ] as const) {
      await page.locator(`.graph [data-bean="${bean}"]`).click();
      await expect(page.locator("#panel-node .notice")).toContainText(why);
    }
    await select(page, "GET /plain");
    await send(page);
    await open(page, "Response");
    await expect(page.getByText("This request reached no bean.")).toBeVisible();
    await select(page, "GET /beans");
    await send(page);
    await expect(page.locator(".summary")).toContainText("200");
    await expect(page.getByText("This request reached no bean.")).toHaveCount(0);
    await expect(page.locator('.graph [data-bean="Proxied"]')).not.toHaveAttribute("data-state", "dim");
  });
});

for (const theme of ["light", "dark"] as const)
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    test(`DASH-033: axe-core finds nothing in a stack, a fold and a run in progress, in the ${theme} theme`, async ({
      page,
    }) => {
      const ledger = new HeldLedger();
      const Held = Interface<Pick<HeldLedger, "book" | "bookLater">>("HeldLedger");
      const plan: LabPlan = {
        beans: (builder) =>
          (bankPlan.beans?.(builder) ?? builder).bind(Held, () => ledger).bind(Ledger, () => new StrictLedger()),
        routes: (app) => {
          bankPlan.routes(app);
          ledgerPlan.routes(app);
          app.get("/hold", (ctx) => ctx.get(Held).bookLater(1));
        },
      };
      await withLab(plan, async (lab) => {
        const held = fetch(`${lab.origin}/hold`);
        await fetch(`${lab.origin}/book`);
        const timeline = await openTimeline(page, lab, "/ping?n=9");
        await expect(timeline.locator("[data-fold]")).toBeVisible();
        await expect(page.locator(".under-way li")).toBeVisible();
        expect(await faultsOf(page)).toEqual([]);
        await runs(page, "/book").click();
        await open(page, "Response");
        await expect(page.locator("[data-threw]").first()).toBeVisible();
        expect(await faultsOf(page)).toEqual([]);
        ledger.release();
        await (await held).text();
      });
    });
  });
