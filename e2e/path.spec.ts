/**
 * The path of a run over the graph: reachable beans before Send, colours, counts, steps, a call that threw.
 */
import { expect, test } from "./demo.ts";
import { bean, bodyText, button, colours, field, order } from "./page.ts";
import { runEdges, select, send, sendBody, sendProduct, strokes } from "./page.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

type Method = keyof typeof colours.light;

const product = { name: "Rake", category: "garden", price: 12.5, brand: "Acorn" };

/** How to send one request of each method through the page; `create` makes the entity that a test changes or deletes. */
const requests: Readonly<Record<Method, { route: string; entry: string; id?: "p-0002" | "new"; body?: unknown }>> = {
  GET: { route: "GET /products/{id}", entry: "ProductController", id: "p-0002" },
  POST: { route: "POST /orders", entry: "OrderController", body: order },
  PUT: { route: "PUT /products/{id}", entry: "ProductController", id: "new", body: product },
  PATCH: { route: "PATCH /products/{id}", entry: "ProductController", id: "new", body: { name: "Hoe" } },
  DELETE: { route: "DELETE /products/{id}", entry: "ProductController", id: "new" },
  QUERY: { route: "QUERY /products/search", entry: "SearchController", body: { text: "pro" } },
};

test("DASH-002: selecting a route shows its reach at full strength, dims the rest and draws no path", async ({
  dashboard,
}) => {
  await select(dashboard, "GET /products/{id}");
  for (const id of ["ProductController", "CatalogService", "PricingService", "ReviewRepository"]) {
    await expect(bean(dashboard, id)).toHaveAttribute("data-state", "reach");
    await expect(bean(dashboard, id)).toHaveCSS("opacity", "1");
  }
  for (const id of ["PaymentGateway", "OrderController"]) {
    await expect(bean(dashboard, id)).toHaveAttribute("data-state", "dim");
    await expect(bean(dashboard, id)).toHaveCSS("opacity", "0.28");
  }
  await expect(runEdges(dashboard)).toHaveCount(0);
  await expect(dashboard.locator(".graph .entry")).toHaveAttribute("data-state", "reach");
});

for (const theme of ["light", "dark"] as const) {
  test.describe(theme, () => {
    test.use({ colorScheme: theme });

    for (const [method, how] of Object.entries(requests) as [Method, (typeof requests)[Method]][]) {
      test(`DASH-006 DASH-022: a ${method} is drawn from its entry on, in its colour of the ${theme} theme`, async ({
        dashboard,
        origin,
        request,
      }) => {
        await select(dashboard, how.route);
        if (how.id !== undefined) {
          const made = await request.post(`${origin}/products`, { data: { ...product, quantity: 3 } });
          expect(made.status()).toBe(201);
          const { id } = (await made.json()) as { id: string };
          await field(dashboard, "id").fill(how.id === "new" ? id : how.id);
        }
        if (how.body !== undefined) await (await bodyText(dashboard)).fill(JSON.stringify(how.body));
        await expect(runEdges(dashboard)).toHaveCount(0);
        await send(dashboard);
        await expect(runEdges(dashboard, `entry>${how.entry}`)).toHaveCount(1);
        await expect(bean(dashboard, how.entry)).toHaveAttribute("data-state", "path");
        expect(await runEdges(dashboard).count()).toBeGreaterThan(1);
        expect(await strokes(runEdges(dashboard))).toEqual([colours[theme][method]]);
        await expect(dashboard.locator(".graph .entry")).toHaveAttribute("data-method", method);
        await expect(dashboard.locator("#panel-response .summary")).toContainText(/20[014]/);
      });
    }
  });
}

test("DASH-007: beans that were reachable but not called stay plain, the rest stays dimmed", async ({ dashboard }) => {
  await sendBody(dashboard, "POST /orders", "OrderController", order);
  await expect(bean(dashboard, "PaymentGateway")).toHaveAttribute("data-state", "path");
  const plain = dashboard.locator('.graph [data-bean][data-state="reach"]');
  await expect(bean(dashboard, "RecommendationService")).toHaveAttribute("data-state", "reach");
  await expect(plain.locator(".count")).toHaveCount(0);
  await expect(runEdges(dashboard, "CatalogService>RecommendationService")).toHaveCount(0);
  await expect(bean(dashboard, "SearchController")).toHaveAttribute("data-state", "dim");
});

test("DASH-008: each bean of the path shows its number of calls and their total time", async ({
  dashboard,
  origin,
  request,
}) => {
  await sendProduct(dashboard);
  const key = await dashboard.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("trace"));
  const traces = (await (await request.get(`${origin}/framework/dev/api/requests`)).json()) as {
    instance: string;
    sequence: number;
    calls: { bean: string }[];
  }[];
  const trace = traces.find(({ instance, sequence }) => `${instance}.${sequence}` === key);
  expect(trace?.calls.length).toBeGreaterThan(5);
  for (const id of new Set(trace?.calls.map((call) => call.bean))) {
    const count = trace?.calls.filter((call) => call.bean === id).length;
    const times = count === 1 ? "" : `${count}× `;
    await expect(bean(dashboard, id).locator(".time")).toHaveText(new RegExp(`^${times}[\\d.]+ (µs|ms|s)$`));
  }
});

test("DASH-009 DASH-117: one can step through the calls forward and back, and replay the path", async ({
  dashboard,
}) => {
  await sendProduct(dashboard);
  const whole = await runEdges(dashboard).count();
  const [back, forward] = [button(dashboard, "Previous call"), button(dashboard, "Next call")];
  const at = dashboard.locator(".steps span");
  const total = Number((await at.textContent())?.split("/")[1]);
  expect(total).toBeGreaterThan(5);
  for (let step = total - 1; step >= 0; step -= 1) {
    await back.click();
    await expect(at).toHaveText(`${step} / ${total}`);
  }
  await expect(bean(dashboard, "CatalogService")).toHaveAttribute("data-state", "reach");
  await forward.click();
  await expect(bean(dashboard, "ProductController")).toHaveAttribute("data-current", "");
  await expect(runEdges(dashboard)).toHaveCount(1);
  await forward.click();
  await expect(bean(dashboard, "CatalogService")).toHaveAttribute("data-current", "");
  await expect(runEdges(dashboard)).toHaveCount(2);
  // The animation can be over before a look at its edges, so its start is the proof.
  const started = dashboard.evaluate(
    () =>
      new Promise((done) =>
        document.addEventListener("animationstart", ({ animationName }) => done(animationName), { once: true }),
      ),
  );
  await button(dashboard, "Replay").click();
  expect(await started).toBe("draw");
  await expect(runEdges(dashboard)).toHaveCount(whole);
  await expect(dashboard.locator(".overlay[data-still]")).toHaveCount(1);
});

test("DASH-010 DASH-118: a call that threw is marked on its bean, and the path ends there", async ({ dashboard }) => {
  await select(dashboard, "GET /products/{id}");
  await field(dashboard, "id").fill("no-such-product");
  await send(dashboard);
  const threw = dashboard.locator(".graph [data-bean][data-threw]");
  await expect(threw).toHaveCount(1);
  await expect(threw).toHaveAttribute("data-bean", "CatalogService");
  await expect(threw.locator(".count")).toHaveText("!");
  await expect(runEdges(dashboard, "ProductController>CatalogService")).toHaveCount(1);
  await expect(runEdges(dashboard, "CatalogService>PricingService")).toHaveCount(0);
  await expect(bean(dashboard, "PricingService")).toHaveAttribute("data-state", "reach");
  await expect(dashboard.locator("#panel-response .summary")).toContainText("404");
});
