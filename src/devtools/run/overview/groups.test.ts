/**
 * foldersOf, byFolder: groups of beans, by stereotype or by folder.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BeanGraph, BeanNode, RouteInfo, Stereotype } from "../shapes.ts";
import { graphOf } from "../traces.testkit.ts";
import { byFolder, byStereotype, foldersOf } from "./groups.ts";

/** A graph whose beans have the stereotype that their name ends in. */
function typed(dependencies: Readonly<Record<string, readonly string[]>>): BeanGraph {
  const graph = graphOf(dependencies);
  const kindOf = ({ name }: BeanNode): Stereotype =>
    (["Controller", "Service", "Repository"].find((end) => name.endsWith(end))?.toLowerCase() as Stereotype) ?? "bean";
  return { ...graph, nodes: graph.nodes.map((node) => ({ ...node, stereotype: kindOf(node) })) };
}

const graph = typed({
  OrderController: ["OrderService"],
  ItemController: ["ItemService"],
  OrderService: ["OrderRepository", "ItemService"],
  ItemService: ["OrderRepository"],
  OrderRepository: ["Pool"],
  Pool: [],
});
const route = (path: string, ...beans: string[]): RouteInfo => ({ method: "GET", path, pathParams: [], beans });

describe("foldersOf", () => {
  test("groups beans, counts their stereotypes and routes, and joins the dependencies of two groups", () => {
    const routes = [route("/a", "OrderController"), route("/b", "ItemController", "OrderController"), route("/c")];
    const { folders, edges } = foldersOf(graph, routes, byStereotype);
    assert.deepEqual(
      folders.map(({ name, column, beans, counts, routes: n }) => [
        name,
        column,
        beans.map(({ id }) => id),
        [...counts],
        n,
      ]),
      [
        ["beans", "base", ["Pool"], [["bean", 1]], 0],
        ["controllers", "feature", ["ItemController", "OrderController"], [["controller", 2]], 2],
        ["repositories", "shared", ["OrderRepository"], [["repository", 1]], 0],
        ["services", "shared", ["ItemService", "OrderService"], [["service", 2]], 0],
      ],
    );
    assert.deepEqual(edges, [
      { from: "controllers", to: "services", count: 2 },
      { from: "services", to: "repositories", count: 2 },
      { from: "repositories", to: "beans", count: 1 },
    ]);
  });

  test("takes a group that routes enter for a feature only if no other group uses it", () => {
    const routes = [route("/pool", "Pool"), route("/jobs", "Jobs")];
    const { folders } = foldersOf(typed({ Jobs: ["Pool"], Pool: [] }), routes, ({ name }) => name);
    assert.deepEqual(
      folders.map(({ name, column }) => `${name} ${column}`),
      ["Jobs feature", "Pool base"],
    );
  });
});

describe("byFolder", () => {
  const at = (bean: string, file: string) => ({ bean, method: "run", file, line: 1 });

  test("is the first folder in which sources differ, and the stereotype of a bean without a source", () => {
    const groupOf = byFolder([
      at("OrderController", "src/orders/api/controller.ts"),
      at("OrderController", "node_modules/base/controller.ts"),
      at("OrderService", "src/orders/service.ts"),
      at("ItemService", "src\\items\\service.ts"),
      at("Pool", "src/pool.ts"),
    ]);
    assert.deepEqual(
      graph.nodes.map((bean) => groupOf?.(bean)),
      ["orders", "controllers", "orders", "items", "repositories", "src"],
    );
  });

  test("is null if all sources are in one folder, or none is known", () => {
    assert.equal(byFolder([at("A", "src/a.ts"), at("B", "src/b.ts")]), null);
    assert.equal(byFolder([at("A", "src/a.ts"), at("B", "node_modules/b/b.ts")]), null);
    assert.equal(byFolder([]), null);
  });
});
