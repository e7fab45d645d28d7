/**
 * An application for a host that is not Node: fetch only, compiled without Node's types, its bindings typed.
 */
import { Beans, Framework, HealthMiddleware, InMemoryMetricsCollector, Interface, MetricsMiddleware } from "framework";

interface Greeter {
  greet(name: string): string;
}
const Greeter = Interface<Greeter>("Greeter");
const beans = Beans.builder()
  .bind(Greeter, () => ({ greet: (name) => `Hello, ${name}` }))
  .start();
interface Env {
  readonly GREETINGS: { get(key: string): Promise<string | null> };
}
declare module "framework" {
  interface ContextPlatforms {
    worker: readonly [env: Env];
  }
}

const metrics = new InMemoryMetricsCollector();
const app = Framework.create().beans(beans);
app.use(HealthMiddleware.defaults()).use(new MetricsMiddleware(metrics));
app.get("/hello/{name}", (ctx) => ctx.get(Greeter).greet(ctx.pathParam("name")));
app.get("/greeting", async (ctx) => {
  const [env] = ctx.platform;
  const greeting: string | null = await env.GREETINGS.get("hello");
  // @ts-expect-error -- there is no such binding
  const missing: unknown = env.FAREWELLS;
  // @ts-expect-error -- one argument is declared
  const second: unknown = ctx.platform[1];
  return { greeting, missing, second };
});

export const handler: { fetch(request: Request, env: Env): Response | Promise<Response> } = {
  fetch: (request, env) => app.fetch(request, env),
};
