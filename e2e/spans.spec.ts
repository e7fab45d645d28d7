/**
 * Services in other languages: spans that are received while the page is open, files of spans, and a run's export.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { Interface } from "framework";
import { expect, openDashboard, test } from "./demo.ts";
import { startLab } from "./lab.ts";
import { bean, button, faultsOf, runEdges, runs, select, send, sendProduct } from "./page.ts";

interface Till {
  pay(): Promise<string>;
}
const Till = Interface<Till>("Till", { stereotype: "controller" });

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const sentId = "00f067aa0ba902b7";

/** An export of one service, as OTLP/JSON. */
function exportOf(service: string, spans: readonly object[], scope = "flask"): string {
  const times = { startTimeUnixNano: "1700000000000000000", endTimeUnixNano: "1700000000004000000" };
  const resource = { attributes: [{ key: "service.name", value: { stringValue: service } }] };
  const all = spans.map((span) => ({ traceId, ...times, ...span }));
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: scope }, spans: all }] }] });
}
const id = (digit: string): string => digit.repeat(16);
const ofPay = [
  { spanId: id("1"), parentSpanId: sentId, kind: 2, name: "GET /charge" },
  {
    spanId: id("2"),
    parentSpanId: id("1"),
    kind: 1,
    name: "charge",
    attributes: [{ key: "code.function.name", value: { stringValue: "shop.Cards.charge" } }],
  },
];
const ofBank = [{ spanId: id("3"), parentSpanId: id("2"), kind: 2, name: "POST /transfer" }];

/** Drops a file on the page, as a user drags it from a folder. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([file, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], file, { type: "application/json" }));
      return transfer;
    },
    [name, text] as const,
  );
  await page.dispatchEvent("main", "dragover", { dataTransfer: data });
  await expect(page.locator("html")).toHaveClass(/takes-files/);
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
  await expect(page.locator("html")).not.toHaveClass(/takes-files/);
}

test("DASH-205: spans of other services are islands below the request that reached them, as they arrive", async ({
  page,
}) => {
  const payments = createServer((_, response) => response.end("paid")).listen(0, "127.0.0.1");
  await once(payments, "listening");
  const { port } = payments.address() as AddressInfo;
  const headers = { traceparent: `00-${traceId}-${sentId}-01` };
  const lab = await startLab({
    devtools: { otlp: true },
    beans: (builder) =>
      builder.bind(Till, () => ({
        pay: async () => (await fetch(`http://127.0.0.1:${port}/charge`, { headers })).text(),
      })),
    routes: (app) => app.get("/pay", [Till, "pay"]),
  });
  const receive = async (body: string): Promise<void> => {
    const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
    expect((await fetch(`${lab.origin}/framework/dev/v1/traces`, init)).status).toBe(200);
  };
  try {
    await openDashboard(page, lab.origin);
    await select(page, "GET /pay");
    await send(page);
    await expect(bean(page, "Till")).toHaveAttribute("data-state", "path");
    await expect(page.locator("[data-island]")).toHaveCount(0);
    await receive(exportOf("payments", ofPay));
    await expect(page.locator('[data-island="payments"]')).toHaveCount(1);
    await expect(bean(page, "payments › Cards")).toHaveAttribute("data-state", "path");
    await expect(runEdges(page, "Till>payments › payments")).toHaveCount(1);
    await receive(exportOf("bank", ofBank));
    await expect(page.locator('[data-island="bank"]')).toHaveCount(1);
    await expect(bean(page, "bank › bank")).toHaveAttribute("data-state", "path");
    expect(await faultsOf(page)).toEqual([]);
  } finally {
    await lab.stop();
    payments.close();
  }
});

test("DASH-206: a file of spans or of a run that is dropped on the page is opened", async ({ dashboard }) => {
  const root = { ...ofPay[0], parentSpanId: "" };
  await drop(
    dashboard,
    "spans.jsonl",
    [exportOf("payments", [root, ...ofPay.slice(1)]), exportOf("bank", ofBank)].join("\n"),
  );
  await expect(bean(dashboard, "Cards")).toHaveAttribute("data-state", "path");
  await expect(dashboard.locator('[data-island="bank"]')).toHaveCount(1);
  await drop(dashboard, "notes.json", "{}");
  await expect(dashboard.getByRole("alert")).toContainText("notes.json: The file is not a saved run.");
});

test("DASH-207: a run is exported as spans of OpenTelemetry, which can be opened again", async ({ dashboard }) => {
  await sendProduct(dashboard, "p-0031");
  await dashboard.locator(".export summary").click();
  const [download] = await Promise.all([dashboard.waitForEvent("download"), button(dashboard, "Save as OTLP").click()]);
  expect(download.suggestedFilename()).toMatch(/^run-GET-products-p-0031-200-\d+\.otlp\.json$/);
  const text = await readFile(await download.path(), "utf8");
  await dashboard.getByRole("tab", { name: "History" }).click();
  const before = await runs(dashboard, "p-0031").count();
  await drop(dashboard, "again.json", text);
  await expect(runs(dashboard, "p-0031")).toHaveCount(before + 1);
  await expect(bean(dashboard, "CatalogService")).toHaveAttribute("data-state", "path");
});

test.describe(() => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });
  test("DASH-208: a run is copied as Markdown for an issue", async ({ dashboard }) => {
    await sendProduct(dashboard, "p-0031");
    await dashboard.locator(".export summary").click();
    await button(dashboard, "Copy as Markdown").click();
    const copied = (): Promise<string> => dashboard.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toMatch(/^## `GET \/products\/p-0031` → 200 in /);
    expect(await copied()).toMatch(/```text\n[^]*CatalogService\.[^]*```sh\ncurl --globoff '[^']*\/products\/p-0031/);
    await dashboard.keyboard.press("Escape");
    await expect(dashboard.locator(".export div")).toBeHidden();
    await expect(dashboard.locator(".export summary")).toBeFocused();
  });
});
