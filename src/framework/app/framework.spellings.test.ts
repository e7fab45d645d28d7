/** No spelling of a path bypasses a middleware's prefix or a group, on any engine (ROUTE, MW). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { posix, win32 } from "node:path";
import { describe, test } from "node:test";
import express from "express";
import fc from "fast-check";
import { hosts, overHttp1, type Host, type Seen } from "../testing/clients.testkit.ts";
import { created } from "../testing/harness.testkit.ts";
import type { ServerEngine } from "../engine/index.ts";
import type { Context, Framework, FrameworkOptions } from "../index.ts";

const marking =
  (name: string) =>
  (ctx: Context, next: () => unknown): unknown => (ctx.appendHeader("X-Ran", name), next());

/** Guards on prefixes and in groups, and routes that could pass guarded paths to another handler. */
function define(app: Framework): void {
  const reads =
    (route: string, read: (ctx: Context) => string) =>
    (ctx: Context): object => ({ route, read: read(ctx), path: ctx.path });
  app.use("/files/private", marking("prefix"));
  app.group("/files/private", (group) => {
    group.use(marking("group"));
    group.get(
      "/a",
      reads("group a", () => "/files/private/a"),
    );
    group.get(
      "/x/{y}",
      reads("group y", (ctx) => `/files/private/x/${ctx.pathParam("y")}`),
    );
  });
  app.group("/tenants/{id}", (group) => {
    group.use(marking("tenant"));
    group.get(
      "/a",
      reads("tenant a", (ctx) => `/tenants/${ctx.pathParam("id")}/a`),
    );
  });
  app.get(
    "/files/*path",
    reads("files", (ctx) => `/files/${ctx.pathParam("path")}`),
  );
  app.get(
    "/files/{name}",
    reads("file", (ctx) => `/files/${ctx.pathParam("name")}`),
  );
  app.get(
    "/{one}/{two}",
    reads("two", (ctx) => `/${ctx.pathParam("one")}/${ctx.pathParam("two")}`),
  );
  app.get(
    "/*rest",
    reads("rest", (ctx) => `/${ctx.pathParam("rest")}`),
  );
}

/** A client's view of one request. */
interface Found {
  readonly status: number;
  readonly ran: readonly string[];
  readonly route: string;
  readonly read: string;
}

function found({ status, headers, body }: Seen): Found {
  const response: unknown = status === 200 ? JSON.parse(body) : {};
  const text = (name: string): string => String(Reflect.get(Object(response), name) ?? "");
  return {
    status,
    ran: [headers["x-ran"] ?? []].flat().flatMap((value) => value.split(", ")),
    route: text("route"),
    read: text("read"),
  };
}

/** The path as Windows reads it, with slashes. */
const onWindows = (read: string): string => win32.normalize(read).replace(/[/\\]+/g, "/");

/** Is the path read by a handler under `prefix`, when taken as a POSIX or Windows path? */
const isBelow = (read: string, prefix: string): boolean =>
  [posix.normalize(read), onWindows(read)].some((path) => `${path.replace(/\/+$/, "")}/`.startsWith(`${prefix}/`));

/** A byte as it is, or escaped in either case. */
const spelt = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.nat(9), { minLength: text.length, maxLength: text.length }).map((dice) =>
    [...text]
      .map((char, index) => {
        const hex = char.charCodeAt(0).toString(16);
        const die = dice[index] ?? 0;
        return die > 1 || char === "%" ? char : `%${die === 0 ? hex : hex.toUpperCase()}`;
      })
      .join(""),
  );
const word = fc.constantFrom("files", "private", "privateer", "Private", "tenants", "a", "x", "7", "..", ".", "%252F");
const gap = fc.constantFrom("/", "/", "/", "//", "%2F", "%2f", "%5C", "%5c", "\\", "/%2F", "%2F/", "/%5c");
const tail = fc.tuple(gap, word.chain(spelt)).map((parts) => parts.join(""));
const end = fc.constantFrom("", "", "/", "%2F", "//", "%5C", "?files/private");
const start = fc.constantFrom("/files", "/files", "/files/private", "/%66iles", "/tenants", "/x", "");
const target = fc
  .tuple(start, fc.array(tail, { maxLength: 4 }), end)
  .map(([head, tails, last]) => `${head}${tails.join("")}${last}`)
  .filter((path) => path.startsWith("/"));

const runs = Number(process.env["FC_RUNS"] ?? 300);
const prefixed = { contextPath: "/shop" };
const places: Readonly<
  Record<
    string,
    { engine?: ServerEngine; options?: FrameworkOptions; base?: string; open(app: Framework): Promise<Host> }
  >
> = {
  ...hosts,
  "node:http with a context path": { ...hosts["node:http"], options: prefixed, base: "/shop", open: opening },
  "app.listener below a mount of Express": { base: "/mount", open: mounted },
};

async function opening(app: Framework): Promise<Host> {
  const host = hosts["node:http"];
  assert.ok(host !== undefined);
  return host.open(app);
}

async function mounted(app: Framework): Promise<Host> {
  const server = createServer(express().use("/mount", app.listener())).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    send: (request) => overHttp1(connect(port, "127.0.0.1"), request),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

for (const [place, { engine, options = {}, base = "", open }] of Object.entries(places))
  describe(`spellings of a path on ${place}`, () => {
    const asking = async (use: (ask: (path: string) => Promise<Found>) => Promise<unknown>): Promise<void> => {
      const { app } = created({ ...options, engine });
      define(app);
      const host = await open(app);
      try {
        await use(async (path) => found(await host.send({ target: base + path })));
      } finally {
        await host.close();
      }
    };

    test("MW-012: a path that a handler can read under a prefix went through its middleware", () =>
      asking(async (ask) => {
        const walked = ["private%2Fa", "private%2fa", "private%5Ca", "private%5ca", "private//a", "%70rivate%2F%61"];
        for (const rest of [...walked, "private", "private/", "private%2F", "privat%65/b"]) {
          const { status, ran } = await ask(`/files/${rest}`);
          assert.ok(status !== 200 || ran.includes("prefix"), rest);
        }
        for (const rest of ["privateer", "privateer%2Fa", "Private%2Fa", "a%2Fprivate", "private%252Fa", "privat"]) {
          const { status, ran } = await ask(`/files/${rest}`);
          assert.deepEqual([status, ran], [200, []], rest);
        }
        await fc.assert(
          fc.asyncProperty(target, async (path) => {
            const { status, ran, read } = await ask(path);
            if (status !== 200) return;
            assert.equal(ran.includes("prefix"), isBelow(read, "/files/private"), `${path} was read as ${read}`);
          }),
          { numRuns: runs },
        );
      }));

    test("ROUTE-017: no spelling passes a guarded path of a group to another handler", () =>
      asking(async (ask) => {
        for (const rest of [
          "private%2Fa",
          "private%5ca",
          "private//a",
          "private/x%2F7",
          "private%2Fx%2f7",
          "private//a/",
        ])
          assert.equal((await ask(`/files/${rest}`)).status, 404, rest);
        for (const path of ["/tenants/7%2Fa", "/tenants//7/a", "/tenants/7//a"])
          assert.equal((await ask(path)).status, 404, path);
        assert.deepEqual(await ask("/files/private%2Fb"), {
          status: 200,
          ran: ["prefix"],
          route: "file",
          read: "/files/private/b",
        });
        assert.equal((await ask("/files/private/x/7%2F8")).route, "group y");
        await fc.assert(
          fc.asyncProperty(target, async (path) => {
            const given = await ask(path);
            if (given.status !== 200) return;
            const plain = onWindows(given.read);
            const usual = await ask(plain.split("/").map(encodeURIComponent).join("/"));
            const guards = usual.ran.filter((name) => name !== "prefix" && !given.ran.includes(name));
            assert.deepEqual(guards, [], `${path} reached ${given.route}, and ${plain} is ${usual.route}`);
            if (given.route === "files" || given.route === "rest")
              assert.equal(usual.route, given.route, `${path} reached ${given.route}, and ${plain} does not`);
          }),
          { numRuns: runs },
        );
      }));
  });
