/**
 * Streams and WebSockets with a contract: what is declared, what arrives, what was recorded, and a console to talk.
 */
import type { Page } from "@playwright/test";
import { events, HttpError, redirect, stream } from "framework";
import { webSocket } from "framework/websocket";
import { z } from "zod";
import { expect } from "./demo.ts";
import { labTest } from "./lab-test.ts";
import { button, expectNoViolation, field, open, runs, select, send } from "./page.ts";

const Tick = z.object({ n: z.number().int().max(9), at: z.string() });
const Say = z.object({ text: z.string().max(20) });

async function* ticks() {
  yield { event: "tick", data: { n: 1, at: "start" }, id: "1" } as const;
  yield { event: "tick", data: { n: 10, at: "late" }, id: "2" } as const;
  yield { event: "done", data: { total: 2 } } as const;
}

const test = labTest({
  responseChecks: "warn",
  routes: (app) => {
    const responses = { 200: events({ tick: Tick, done: z.object({ total: z.number() }) }), 303: redirect() };
    app.get("/ticks", { responses, deprecated: true }, () => ticks());
    app.get("/rows", { responses: { 200: stream("application/json-seq", Tick) } }, async function* () {
      for (let n = 1; n <= 3; n += 1) yield { n, at: `row ${n}` };
    });
    app.get("/endless", { responses: { 200: stream("text/csv") } }, async function* (ctx) {
      yield "a;b\n";
      yield "1;2\n";
      await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
    });
    app.ws(
      "/chat/{room}",
      { incoming: Say, outgoing: z.object({ from: z.string(), text: z.string() }) },
      webSocket({
        open: (socket, ctx) => void socket.send({ from: ctx.params.room, text: "welcome" }),
        message: (socket, message) => {
          if (message.text === "bye") socket.close(4001, "as you wish");
          else socket.send({ from: "echo", text: message.text });
        },
      }),
    );
    const signedIn = () => {
      throw new HttpError(401, "sign in first");
    };
    app.ws("/closed", { incoming: Say, use: [signedIn] }, webSocket({}));
    app.ws("/plain", webSocket({ message: (socket, message) => void socket.send(message) }));
  },
});

const items = (page: Page) => page.locator("#panel-response .item");

test("DASH-161 DASH-162 DASH-163: a stream shows what its contract declares, and each event as it arrived and was recorded", async ({
  lab: page,
}) => {
  await select(page, "GET /ticks");
  await expect(page.locator(".editor .flag")).toHaveText("deprecated");
  await page.getByText("Responses: 200, 303").click();
  await expect(page.locator('[data-response="303"]')).toContainText("redirect");
  const declared = page.locator('[data-response="200"]');
  await expect(declared).toContainText("events, text/event-stream");
  await declared.getByText("Schema of the event tick").click();
  await expect(declared.getByRole("region", { name: "Schema of the event tick" })).toContainText("n: integer");
  await send(page);
  await expect(items(page)).toHaveCount(3);
  await expect(items(page).nth(0)).toContainText(/1tick1\{"n":1,"at":"start"\}\+\d/);
  await expect(items(page).nth(1)).toContainText("breaks its schema");
  await items(page).nth(0).click();
  await expect(page.getByRole("tree", { name: "Event 1, tree" })).toContainText('"start"');
  await expectNoViolation(page);
  await page.reload();
  await open(page, "History");
  await runs(page, "/ticks").click();
  await expect(items(page)).toHaveCount(3);
  await expect(page.locator("#panel-response .item[data-broken]")).toHaveCount(1);
  await page.getByText("As text").click();
  await expect(page.getByRole("region", { name: "Response body as text" })).toContainText("event: done");
  await open(page, "Requests");
  await select(page, "GET /rows");
  await send(page);
  await expect(items(page)).toHaveCount(3);
  await expect(items(page).nth(2)).toContainText('{"n":3,"at":"row 3"}');
});

test("DASH-162: an endless text grows as it arrives, until the user stops it", async ({ lab: page }) => {
  await select(page, "GET /endless");
  await send(page);
  await expect(page.getByRole("region", { name: "Response body" })).toContainText("1;2");
  await button(page, "Stop the response").click();
  await expect(page.locator("#panel-response .summary")).toContainText("stopped");
});

test("DASH-164 DASH-165: a WebSocket is opened, talked to and closed from the page, and its run lists its messages", async ({
  lab: page,
}) => {
  await select(page, "GET /chat/{room}");
  await field(page, "room").fill("blue");
  await button(page, "Connect").click();
  await expect(items(page)).toContainText(['received{"from":"blue","text":"welcome"}']);
  await field(page, "text").fill("hello");
  await button(page, "Send message").click();
  await expect(items(page)).toContainText(["welcome", "sent{", 'received{"from":"echo","text":"hello"}']);
  await expectNoViolation(page);
  await field(page, "text").fill("much longer than twenty characters");
  await page.keyboard.press("Control+Enter");
  const end = page.locator("#panel-response .notice");
  await expect(end).toContainText("Closed with 4400, the schema of incoming messages rejected the message: /text: ");
  await button(page, "Its run").click();
  await expect(page.locator('[data-annotation="webSocket"]')).toContainText("closed by the server with 4400 (/text: ");
  await expect(items(page)).toContainText(["open", 'message{"text":"hello"}', "breaks its schema"]);
  await expectNoViolation(page);
  await items(page).nth(1).click();
  await button(page, "Its run").click();
  await expect(page.locator("#panel-response .summary")).toContainText("of a WebSocket");
});

test("DASH-164: a WebSocket without a contract sends text, and a failed handshake leads to its run", async ({
  lab: page,
}) => {
  await select(page, "GET /plain");
  await button(page, "Connect").click();
  await expect(page.locator("#panel-response .summary")).toContainText("open");
  await field(page, "Message").fill("hello");
  await button(page, "Send message").click();
  await expect(items(page)).toContainText(["sent", "received"]);
  await button(page, "Close").click();
  await expect(page.locator("#panel-response .notice")).toHaveText("Closed with 1000, as it should.");
  await select(page, "GET /closed");
  await button(page, "Connect").click();
  await expect(page.locator("#panel-response .notice")).toContainText("The handshake failed");
  await button(page, "Its run").click();
  await expect(page.locator("#panel-response .status")).toHaveText("401");
});
