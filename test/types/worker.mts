/**
 * An application for a host that is not Node: fetch only, and compiled without Node's types.
 */
import { Beans, Framework, HealthMiddleware, InMemoryMetricsCollector, Interface, MetricsMiddleware } from "framework";

interface Greeter {
  greet(name: string): string;
}
const Greeter = Interface<Greeter>("Greeter");
const beans = Beans.builder()
  .bind(Greeter, () => ({ greet: (name) => `Hello, ${name}` }))
  .start();
const metrics = new InMemoryMetricsCollector();
const app = Framework.create().beans(beans);
app.use(HealthMiddleware.defaults()).use(new MetricsMiddleware(metrics));
app.get("/hello/{name}", (ctx) => ctx.get(Greeter).greet(ctx.pathParam("name")));

export const handler: { fetch(request: Request): Response | Promise<Response> } = {
  fetch: (request) => app.fetch(request),
};
