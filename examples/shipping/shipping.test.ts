/**
 * The shop calls shipping for an order, and the shop's dashboard reads the run from there.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ServiceRun, Trace } from "@framework/devtools";
import type { Framework } from "framework";
import { openShop, type OpenShop, removeFolder, newFolder } from "../shop/testing.ts";
import { createShipping } from "./app.ts";

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const order = { customerId: "c-1", card: "visa", lines: [{ productId: "p-0040", quantity: 3 }] };

let folder: string;
let shipping: Framework;
let shop: OpenShop;

before(async () => {
  folder = await newFolder();
  shipping = await createShipping(silent).start(0);
  shop = await openShop(folder, "shipping", { shippingUrl: `http://127.0.0.1:${shipping.port}` });
});
after(async () => {
  await shop.close();
  await shipping.stop({ graceMs: 0 });
  await removeFolder(folder);
});

describe("the shop with shipping", () => {
  it("books a parcel for an order, and reads its run", async () => {
    assert.equal((await shop.call("POST", "/orders", order)).status, 201);
    const [trace] = (await shop.call("GET", "/framework/dev/api/requests")).body as Trace[];
    const leaf = trace?.leaves.find(({ kind }) => kind === "http");
    assert.ok(leaf?.kind === "http" && leaf.detail.run !== null);
    const gateway = trace?.calls[leaf.parentId ?? -1];
    assert.deepEqual([gateway?.bean, gateway?.result, leaf.detail.status], ["ShippingGateway", "parcel-1", 201]);
    const query = new URLSearchParams({ ...leaf.detail.run });
    const { status, body } = await shop.call("GET", `/framework/dev/api/remote?${query}`);
    const run = body as ServiceRun;
    assert.deepEqual(
      [status, run.name, run.trace.calls.map(({ bean }) => bean), run.trace.leaves.map(({ kind }) => kind)],
      [200, "shipping", ["ParcelController", "CarrierService", "ParcelRepository"], ["log", "cache"]],
    );
  });

  it("accepts an order even when shipping is closed", async () => {
    await shipping.stop({ graceMs: 0 });
    assert.equal((await shop.call("POST", "/orders", order)).status, 201);
    const [trace] = (await shop.call("GET", "/framework/dev/api/requests")).body as Trace[];
    const leaf = trace?.leaves.find(({ kind }) => kind === "http");
    assert.deepEqual([leaf?.kind === "http" && leaf.detail.status, typeof leaf?.error?.message], [null, "string"]);
  });
});
