/** An agent uses the shop's tools: the official client, in both versions of the protocol. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { newFolder, openShop, type OpenShop, removeFolder } from "./testing.ts";

const versions = { "2026-07-28": { pin: "2026-07-28" }, "2025-11-25": "legacy" } as const;

let home: string;
before(async () => void (home = await newFolder()));
after(() => removeFolder(home));

/** The text of a result. */
const textOf = ({ content }: { readonly content: readonly object[] }): string =>
  content.map((part) => String(Reflect.get(part, "text") ?? "")).join("\n");

async function connected(
  shop: OpenShop,
  version: keyof typeof versions,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client(
    { name: "Claude Code", version: "2.1" },
    { versionNegotiation: { mode: versions[version] } },
  );
  const url = new URL(`${shop.app.url}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

describe("an agent in the shop", () => {
  for (const version of Object.keys(versions) as (keyof typeof versions)[])
    it(`searches, orders, mends a mistake, is told who it is not, and watches the stock in ${version}`, async () => {
      const shop = await openShop(home, version);
      const agent = await connected(shop, version);
      const { tools } = await agent.listTools();
      const hints = Object.fromEntries(
        tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint === true]),
      );
      assert.deepEqual(hints, {
        "search-products": true,
        "show-product": true,
        "place-order": false,
        "show-order": true,
        "cancel-order": false,
        "watch-stock": true,
        "show-me": true,
      });

      const found = await agent.callTool({ name: "search-products", arguments: { text: "lamp", inStock: true } });
      const { items } = found.structuredContent as { items: { id: string }[] };
      const [lamp] = items;
      const lines = [{ productId: lamp?.id, quantity: 1 }];

      const wrong = await agent.callTool({ name: "place-order", arguments: { customerId: "c-1", lines } });
      assert.equal(wrong.isError, true);
      assert.match(textOf(wrong), /"status":422.*"pointer":"\/card"/);
      const placed = await agent.callTool({
        name: "place-order",
        arguments: { customerId: "c-1", card: "visa", lines },
      });
      const { id, status } = placed.structuredContent as { id: string; status: string };
      assert.equal(status, "paid");
      assert.match(textOf(await agent.callTool({ name: "cancel-order", arguments: { id } })), /^204/);
      const shown = await agent.callTool({ name: "show-order", arguments: { id } });
      assert.equal((shown.structuredContent as { status: string }).status, "cancelled");

      const nobody = await agent.callTool({ name: "show-me", arguments: {} });
      assert.match(textOf(nobody), /"status":401/);
      const login = await shop.call("POST", "/login", { email: "ada@shop.example", password: "open sesame" });
      const { token } = login.body as { token: string };
      const ada = await connected(shop, version, { authorization: `Bearer ${token}` });
      const me = await ada.callTool({ name: "show-me", arguments: {} });
      assert.equal((me.structuredContent as { email: string }).email, "ada@shop.example");
      await ada.close();

      const progress: string[] = [];
      const stop = new AbortController();
      const watching = agent.callTool(
        { name: "watch-stock", arguments: {} },
        {
          signal: stop.signal,
          onprogress: ({ message = "" }) => {
            progress.push(message);
            stop.abort();
          },
        },
      );
      watching.catch(() => undefined);
      const all = { customerId: "c-1", card: "visa", lines: [{ productId: lamp?.id, quantity: 1 }] };
      while (
        progress.length === 0 &&
        (await agent.callTool({ name: "place-order", arguments: { ...all } })).isError !== true
      )
        await new Promise((resolve) => setImmediate(resolve));
      await assert.rejects(watching);
      assert.match(progress[0] ?? "", /^(?:low|soldOut): \{"product":/);
      await agent.close();
      await shop.close();
    });
});
