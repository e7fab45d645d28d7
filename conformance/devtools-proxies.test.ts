/**
 * Devtools behind proxies that add no forwarding headers, requested from this machine's network address.
 *
 *   10.0.0.5 ──▶ nginx or HAProxy, as they come ──▶ 127.0.0.1 ──▶ app with devtools
 *
 * With a token, nothing of devtools is readable through any of them. Without one, nothing is readable through nginx' HTTP/1.0.
 * The test also asserts what is readable without a token, since a proxy on this machine counts as this machine.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { networkInterfaces } from "node:os";
import { describe, test, type TestContext } from "node:test";
import { Devtools } from "@framework/devtools";
import { Beans, Framework } from "framework";
import { freePort } from "../test/free-port.ts";
import { isMissing, nginxAround, startProxy, type ProxyName } from "./proxy-process.testkit.ts";

const secret = "behind-a-silent-proxy";
const dev = "/framework/dev";
const paths = ["", "/", "/api/routes", "/api/graph", "/api/requests", "/api/stream", "/unknown"].map(
  (path) => dev + path,
);

const nginx = (more: string) => (app: number, listen: string, folder: string) =>
  nginxAround(`server { listen ${listen}; location / { proxy_pass http://127.0.0.1:${app}; ${more} } }\n`, folder);
const haproxy = (mode: "http" | "tcp") => (app: number, listen: string) =>
  `defaults\n  mode ${mode}\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\nlisten app\n  bind ${listen}\n  server one 127.0.0.1:${app}\n`;

interface Silent {
  readonly program: ProxyName;
  config(app: number, listen: string, folder: string): string;
  /** Does the proxy reach devtools without a token? */
  readonly reaches: boolean;
}

const proxies: Readonly<Record<string, Silent>> = {
  "nginx with HTTP/1.0, its default for years": {
    program: "nginx",
    config: nginx("proxy_http_version 1.0;"),
    reaches: false,
  },
  "nginx with HTTP/1.1": {
    program: "nginx",
    config: nginx('proxy_http_version 1.1; proxy_set_header Connection "";'),
    reaches: true,
  },
  "HAProxy, mode http": { program: "haproxy", config: haproxy("http"), reaches: true },
  "HAProxy, mode tcp": { program: "haproxy", config: haproxy("tcp"), reaches: true },
};

/** This machine's network address. */
const here = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

/** The status and body of each path, requested through the proxy from outside. */
async function readThrough(
  t: TestContext,
  { program, config }: Silent,
  token: string | false,
  address: string,
): Promise<readonly { readonly status: number; readonly text: string }[]> {
  const logger = { warn: () => undefined, error: () => undefined };
  const beans = Beans.builder().start();
  const app = Framework.create({ host: "127.0.0.1", logger }).beans(beans);
  Devtools.create({ token }).install(app, beans);
  await app.get("/secret", () => "kept in the traces").start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  const listen = await freePort();
  const ask = async (path: string): Promise<{ status: number; text: string }> => {
    const headers = { Host: "localhost" };
    const sent = httpRequest({ host: address, port: listen, localAddress: address, path, headers, agent: false }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const status = response.statusCode ?? 0;
    if (response.headers["content-type"]?.startsWith("text/event-stream") === true) {
      response.destroy();
      return { status, text: "" };
    }
    const chunks: unknown[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { status, text: chunks.map(String).join("") };
  };
  await startProxy(
    t,
    program,
    (folder) => config(app.port, `${address}:${listen}`, folder),
    async () => (await ask("/secret").catch(() => undefined))?.text === "kept in the traces",
  );
  return await Promise.all(paths.map(ask));
}

const noNetwork = here === undefined ? "skipped: this machine has no address besides loopback" : false;
for (const [name, proxy] of Object.entries(proxies))
  describe(`devtools behind ${name}`, { skip: isMissing(proxy.program) || noNetwork }, () => {
    test("exposes nothing to the network with a token", async (t) => {
      const responses = await readThrough(t, proxy, secret, here ?? "");
      assert.deepEqual(
        responses.map(({ status }) => status),
        paths.map(() => 403),
      );
      for (const { text } of responses)
        assert.match(text, /^Devtools rejected the request: the (?:token is missing|request is HTTP\/1\.0)/);
    });

    test(`GUARD-020: without one ${proxy.reaches ? "the proxy counts as this machine" : "nothing is readable either"}`, async (t) => {
      const responses = await readThrough(t, proxy, false, here ?? "");
      const open = [200, 200, 200, 200, 200, 200, 404];
      assert.deepEqual(
        responses.map(({ status }) => status),
        proxy.reaches ? open : paths.map(() => 403),
      );
    });
  });
