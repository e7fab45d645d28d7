/**
 * What a bean's stand-in costs a call, recorded and not.
 *
 * As in an application: one devtools in the process, and every place that calls knows one bean. A place that has seen
 * several, or a second AsyncLocalStorage, teaches the compiler something else.
 */
import { Beans, Framework, Interface } from "framework";
import { Devtools } from "@framework/devtools";
import type { Batch, Case } from "./method/ns-per-op.ts";
import { NullEngine } from "./null-engine.ts";

interface Product {
  readonly id: number;
  readonly name: string;
  readonly tags: readonly string[];
  readonly price: { readonly amount: number; readonly currency: string };
}
interface Products {
  find(id: number): Product;
  load(id: number): Promise<Product>;
}
const Products: Interface<Products> = Interface("Products");

/** About 170 bytes as JSON, arguments included. */
const product = (id: number): Product => ({
  id,
  name: "a lamp for the desk, brass, with a long arm",
  tags: ["light", "desk", "brass"],
  price: { amount: 12.5, currency: "EUR" },
});
const products = (): Products => ({ find: product, load: (id) => Promise.resolve(product(id)) });
const callsPerRequest = 20;

/** The cases, each of the direct ones with a twin as the control. */
export async function beanCases(): Promise<readonly Case[]> {
  const devtools = Devtools.create();
  const beans = Beans.builder().bind(Products, products).instrument(devtools.recorder()).start();
  const engine = new NullEngine();
  const app = Framework.create({ engine, logger: { warn: () => undefined } });
  devtools.install(app.beans(beans), beans);
  const [direct, twin, spied] = [products(), products(), beans.get(Products)];
  app.get("/direct", async () => {
    for (let n = 0; n < callsPerRequest; n += 1) await direct.load(n);
    return { hello: "world" };
  });
  app.get("/twin", async () => {
    for (let n = 0; n < callsPerRequest; n += 1) await twin.load(n);
    return { hello: "world" };
  });
  app.get("/spied", async () => {
    for (let n = 0; n < callsPerRequest; n += 1) await spied.load(n);
    return { hello: "world" };
  });
  await app.start(0);
  const asking =
    (target: string): Batch =>
    (times) =>
      engine.ask({ method: "GET", target, headers: {} }, times, 200);
  return [
    {
      id: "bean-direct",
      title: "bean call, direct",
      run: (times) => {
        let sum = 0;
        for (let n = 0; n < times; n += 1) sum += direct.find(n).id;
        return sum;
      },
    },
    {
      id: "bean-twin",
      title: "bean call, direct, of its twin",
      run: (times) => {
        let sum = 0;
        for (let n = 0; n < times; n += 1) sum += twin.find(n).id;
        return sum;
      },
      less: "bean-direct",
    },
    {
      id: "bean-idle",
      title: "bean call through a stand-in, not recording",
      run: (times) => {
        let sum = 0;
        for (let n = 0; n < times; n += 1) sum += spied.find(n).id;
        return sum;
      },
      less: "bean-direct",
    },
    { id: "request-direct", title: "a traced request with 20 direct async calls", run: asking("/direct") },
    {
      id: "bean-recorded-twin",
      title: "bean call, direct and async, of its twin",
      run: asking("/twin"),
      less: "request-direct",
      per: callsPerRequest,
    },
    {
      id: "bean-recorded",
      title: "bean call, recorded: async, 170 bytes of snapshot",
      run: asking("/spied"),
      less: "request-direct",
      per: callsPerRequest,
    },
  ];
}
