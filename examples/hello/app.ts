/** A whole application: `node app.ts`, then `curl localhost:8080/hello/Ada`. */
import { Framework, Interface, Beans } from "framework";

interface Greeter {
  greet(name: string): string;
}
const Greeter = Interface<Greeter>("Greeter");

const beans = Beans.builder()
  .bind(Greeter, () => ({ greet: (name) => `Hello, ${name}!` }))
  .start();

const app = Framework.create().beans(beans);
app.get("/hello/{name}", (ctx) => ctx.get(Greeter).greet(ctx.pathParam("name")));

await app.start(Number(process.env["PORT"] ?? 8080));
console.log(`Try ${app.url}/hello/Ada`);
