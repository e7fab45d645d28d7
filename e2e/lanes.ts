/**
 * An application for Lanes: payments that fail when two change a wallet at the same time, and quotes that are slow for one region. Also the runs that Lanes draws.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { DevtoolsOptions } from "@framework/devtools";
import { Interface } from "framework";
import type { Locator, Page } from "@playwright/test";
import { expect } from "./demo.ts";
import { startLab, type Lab } from "./lab.ts";

interface WalletRepository {
  find(id: string): Promise<number>;
  save(id: string, version: number): Promise<number>;
}
interface RateCache {
  get(region: string): Promise<number | null>;
}
const WalletRepository = Interface<WalletRepository>("WalletRepository");
const RateCache = Interface<RateCache>("RateCache");

class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly status = 500;
}

/** `POST /wallets/{id}/pay`, `GET /quotes?region=…` and `GET /cart`. Runs longer than 100 ms are slow. */
export function startBank(devtools: DevtoolsOptions = {}): Promise<Lab> {
  const versions = new Map<string, number>();
  return startLab({
    devtools: { slowMs: 100, ...devtools },
    beans: (builder) =>
      builder
        .bind(WalletRepository, () => ({
          find: async (id) => versions.get(id) ?? 1,
          save: async (id, version) => {
            if ((versions.get(id) ?? 1) !== version) throw new ConflictError("the wallet has changed");
            versions.set(id, version + 1);
            return version + 1;
          },
        }))
        .bind(RateCache, () => ({
          get: async (region) => {
            if (region !== "FR") return 1;
            await wait(120);
            return null;
          },
        })),
    routes: (app) => {
      app.post("/wallets/{id}/pay", { beans: [WalletRepository] }, async (ctx) => {
        const wallets = ctx.get(WalletRepository);
        const id = ctx.pathParam("id");
        const version = await wallets.find(id);
        await wait(25);
        return { version: await wallets.save(id, version) };
      });
      app.get("/quotes", { beans: [RateCache] }, async (ctx) => ({
        rate: await ctx.get(RateCache).get(ctx.queryParams("region")[0] ?? ""),
      }));
      app.get("/cart", () => ({ items: 0 }));
    },
  });
}

/** Sends requests, some at the same time: two payments of one wallet among those of many. */
export async function payUnderLoad(origin: string, payments = 24): Promise<void> {
  const pay = (wallet: string): Promise<Response> => fetch(`${origin}/wallets/${wallet}/pay`, { method: "POST" });
  for (let sent = 0; sent < payments; sent += 4)
    await Promise.all([pay(`w-${sent}`), pay(`w-${sent + 1}`), pay(`w-${sent + 2}`), fetch(`${origin}/cart`)]);
  await Promise.all([pay("w-7000"), pay("w-7000")]);
}

/** Sends quotes for four regions, of which France is slow. */
export async function askQuotes(origin: string, each = 10): Promise<void> {
  for (let sent = 0; sent < each; sent += 1)
    await Promise.all(["DE", "FR", "IT", "ES"].map((region) => fetch(`${origin}/quotes?region=${region}`)));
}

/** The runs of Lanes. */
export const listOfRuns = (page: Page): Locator => page.getByRole("listbox", { name: "Runs" });

/** The boxes of a kind of run, as they are drawn. */
export const boxes = (page: Page, kind: string): Promise<readonly { x: number; y: number; width: number }[]> =>
  page
    .locator(`.lanes-list .${kind}`)
    .evaluate((path) =>
      [...(path.getAttribute("d") ?? "").matchAll(/M([-\d.]+) ([-\d.]+)h([-\d.]+)/g)].map(([, x, y, width]) => ({
        x: Number(x),
        y: Number(y),
        width: Number(width),
      })),
    );

/** Clicks on the first box of that kind. */
export async function clickOnRun(
  page: Page,
  kind: string,
  options: Parameters<Locator["click"]>[0] = {},
): Promise<void> {
  await expect.poll(async () => (await boxes(page, kind)).length).toBeGreaterThan(0);
  const [box = { x: 0, y: 0, width: 0 }] = await boxes(page, kind);
  await listOfRuns(page).click({ position: { x: box.x + Math.min(3, box.width / 2), y: box.y + 4 }, ...options });
}
