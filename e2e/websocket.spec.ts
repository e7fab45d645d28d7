/**
 * WebSockets of a real browser over HTTP/2: on the session that the page came over, with the protections of HTTP/1.1.
 *
 *   page over TLS, h2 ──▶ new WebSocket ──▶ extended CONNECT on the same session ──▶ 200, frames
 */
import { Framework, NodeHttp2Engine } from "framework";
import { webSocket } from "framework/websocket";
import { expect, test as base } from "@playwright/test";
import { certificate } from "../test/certificate.ts";

interface Site {
  readonly url: string;
  /** The handshakes: the HTTP version, the connection's port, its close code. */
  readonly seen: string[];
}

const test = base.extend<{ readonly site: Site }>({
  ignoreHTTPSErrors: true,
  // eslint-disable-next-line no-empty-pattern
  site: async ({}, use) => {
    const seen: string[] = [];
    const app = Framework.create({ host: "127.0.0.1", engine: new NodeHttp2Engine(certificate) });
    app.get("/", (ctx) =>
      ctx.setCookie("session", "ada").html(`<!doctype html><title>over HTTP/${ctx.httpVersion}</title>`),
    );
    app.ws(
      "/echo",
      webSocket({
        compression: true,
        open: (socket, ctx) => void socket.send(`HTTP/${ctx.httpVersion} as ${ctx.cookie("session")}`),
        message: (socket, message) => void socket.send(message),
        close: (_socket, code, reason) => void seen.push(`${code} ${reason}`),
      }),
    );
    await app.start(0);
    await use({ url: app.url, seen });
    await app.stop({ graceMs: 0 });
  },
});

/** Opens a WebSocket, sends a text and bytes, closes it. Returns the received messages and the end. */
const talk = (base: string): Promise<readonly unknown[]> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${base.replace("https", "wss")}/echo`);
    const came: unknown[] = [];
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => {
      came.push(typeof data === "string" ? data.slice(0, 40) : new Uint8Array(data as ArrayBuffer).length);
      if (came.length === 1) socket.send("y".repeat(100_000));
      if (came.length === 2) socket.send(new Uint8Array(70_000));
      if (came.length === 3) socket.close(3_000, "enough");
    });
    socket.addEventListener("close", ({ code, wasClean }) => resolve([...came, socket.extensions, code, wasClean]));
  });

test("a browser opens its WebSockets on the HTTP/2 session that its page came over", async ({
  page,
  site: { url, seen },
}) => {
  await page.goto(url);
  await expect(page).toHaveTitle("over HTTP/2");
  const sockets = await Promise.all(Array.from({ length: 5 }, () => page.evaluate(talk, url)));
  const one = ["HTTP/2 as ada", "y".repeat(40), 70_000, "permessage-deflate", 3_000, true];
  expect(sockets).toEqual([one, one, one, one, one]);
  await expect.poll(() => seen).toEqual(Array.from({ length: 5 }, () => "3000 enough"));
});

test("a page of another origin is rejected over HTTP/2 too", async ({ page, site: { url, seen } }) => {
  await page.goto(url);
  await page.goto(url.replace("127.0.0.1", "localhost"));
  const end = await page.evaluate(
    (base) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${base.replace("https", "wss")}/echo`);
        socket.addEventListener("open", () => resolve("opened"));
        socket.addEventListener("close", ({ code }) => resolve(code));
      }),
    url,
  );
  expect(end).toBe(1006);
  expect(seen).toEqual([]);
});
