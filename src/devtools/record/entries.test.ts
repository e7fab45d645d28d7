/**
 * Where routes enter the graph: the beans that their handlers request, and the line about a container without the recorder.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiVersions, Beans, Framework, Interface, type Context } from "framework";
import { Devtools, type RouteInfo } from "../index.ts";
import type { Call } from "../run/shapes.ts";
import { Entries } from "./entries.ts";

interface Orders {
  list(ctx?: Context): string;
}
const Orders = Interface<Orders>("Orders");
class Clock {
  now(): number {
    return 7;
  }
}

interface Subject {
  readonly app: Framework;
  readonly beans: Beans;
  readonly lines: string[];
}

function subject(routes: (app: Framework, beans: Beans) => unknown, isInstrumented = true): Subject {
  const devtools = Devtools.create();
  const lines: string[] = [];
  const builder = Beans.builder()
    .bind(Orders, () => ({ list: (ctx) => `at ${ctx?.get(Clock).now()}` }))
    .bind(Clock, () => new Clock());
  const beans = (isInstrumented ? builder.instrument(devtools.recorder()) : builder).start();
  const app = Framework.create({ logger: { warn: (line) => void lines.push(line), error: () => undefined } });
  routes(app.beans(beans), beans);
  devtools.install(app, beans);
  return { app, beans, lines };
}

/** Requests these paths, and returns the beans of each route after it. */
async function entries({ app }: Subject, paths: readonly string[]): Promise<readonly unknown[]> {
  await app.start(0);
  const at = `http://127.0.0.1:${app.port}`;
  for (const path of paths) await (await fetch(at + path)).text();
  const routes = (await (await fetch(`${at}/framework/dev/api/routes`)).json()) as RouteInfo[];
  await app.stop({ graceMs: 0 });
  return routes.map(({ path, beans }) => [path, beans.toSorted()]);
}

describe("RouteInfo.beans", () => {
  it("names the beans that ctx.get returned, bound as a class too, after the first request", async () => {
    const asked = subject((app) =>
      app
        .get("/clock", (ctx) => ctx.get(Clock).now())
        .get("/never", (ctx) => ctx.get(Clock).now())
        .get("/unused", (ctx) => {
          ctx.get(Orders);
          return 1;
        }),
    );
    assert.deepEqual(await entries(asked, ["/clock", "/unused"]), [
      ["/clock", ["Clock"]],
      ["/never", []],
      ["/unused", ["Orders"]],
    ]);
  });

  it("leaves out beans that a bean requested within its own call", async () => {
    const asked = subject((app) => app.get("/list", (ctx) => ctx.get(Orders).list(ctx)));
    assert.deepEqual(await entries(asked, ["/list"]), [["/list", ["Orders"]]]);
  });

  it("names those of a version, and of no other version of its route", async () => {
    const version = apiVersions({ header: "API-Version", default: "1" });
    const asked = subject((app) =>
      app
        .get("/now", { version: version("1") }, (ctx) => ctx.get(Clock).now())
        .get("/now", { version: version("2") }, (ctx) => ctx.get(Orders).list(ctx)),
    );
    assert.deepEqual(await entries(asked, ["/now"]), [
      ["/now", ["Clock"]],
      ["/now", []],
    ]);
  });
});

describe("a container without the recorder", () => {
  const about = (lines: readonly string[]): number => lines.filter((line) => line.includes("no call of a bean")).length;

  it("is named once at the first request, also if a closure has the bean", async () => {
    const closed = subject((app, beans) => {
      const orders = beans.get(Orders);
      app.get("/list", () => orders.list());
    }, false);
    await entries(closed, ["/nowhere", "/list", "/list"]);
    assert.equal(about(closed.lines), 1);
  });

  it("is not named with the recorder, or if all beans are classes", async () => {
    const recorded = subject((app) => app.get("/list", (ctx) => ctx.get(Orders).list()));
    await entries(recorded, ["/list"]);
    assert.equal(about(recorded.lines), 0);
    const named = subject((app) => app.get("/list", [Orders, "list"]));
    await entries(named, ["/list"]);
    assert.equal(about(named.lines), 0);
  });

  it("is named at the first request of a route that names a bean, though all beans are classes", async () => {
    const devtools = Devtools.create();
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const app = Framework.create({ logger: { warn: log, error: log } });
    const beans = Beans.builder()
      .bind(Clock, () => new Clock())
      .start();
    app.beans(beans).get("/list", () => 1);
    app.post("/a", () => 1).post("/list", [Clock, "now"]);
    devtools.install(app, beans);
    const ask = async (method: string, path: string): Promise<number> => {
      await app.fetch(new Request(`http://localhost${path}`, { method }));
      return lines.length;
    };
    assert.deepEqual([await ask("GET", "/nowhere"), await ask("POST", "/a"), await ask("GET", "/list")], [0, 0, 0]);
    assert.deepEqual([await ask("POST", "/list"), await ask("POST", "/list"), about(lines)], [1, 1, 1]);
  });
});

describe("Entries", () => {
  const callOf = (bean: string, parentId: number | null): Call => ({ bean, parentId }) as Call;

  it("are the requested beans and those of calls without a caller, by route and method", () => {
    const entries = new Entries();
    entries.add({ method: "GET", route: "/a", apiVersion: undefined }, ["A"], [callOf("B", null), callOf("C", 0)]);
    entries.add({ method: "GET", route: "/a", apiVersion: undefined }, undefined, [
      callOf("D", null),
      callOf("B", null),
    ]);
    entries.add({ method: "POST", route: "/a", apiVersion: undefined }, ["E"], []);
    entries.add({ method: "GET", route: "/b", apiVersion: undefined }, undefined, []);
    const of = (route: string, method: string): string[] => [...entries.of(route, method)];
    assert.deepEqual(
      [of("/a", "GET"), of("/a", "POST"), of("/a", "PUT"), of("/b", "GET"), of("/c", "GET")],
      [["A", "B", "D"], ["E"], [], [], []],
    );
  });

  it("are empty for a request without a route", () => {
    const entries = new Entries();
    entries.add({ method: "GET", route: undefined, apiVersion: undefined }, ["A"], [callOf("B", null)]);
    assert.deepEqual([...entries.of(undefined as never, "GET")], []);
  });
});
