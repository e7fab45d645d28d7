/** A server with handlers that take time, with overload protection when it is asked for by name. */
import { setTimeout } from "node:timers/promises";
import { Framework, OverloadMiddleware } from "framework";
import { busy } from "../values.ts";
import type { Work } from "../work.ts";

/** Starts it and resolves to its port. */
export async function serve({ server }: Work): Promise<number> {
  const app = Framework.create({ port: 0, host: "127.0.0.1", logger: { info: () => undefined } });
  if (server === "protected") app.use(new OverloadMiddleware({ eventLoopDelayMs: 100 }));
  app
    .get("/cpu", () => ({ sum: busy() }))
    .get("/waits", async () => {
      await setTimeout(20);
      return { sum: busy() };
    });
  await app.start();
  return app.port;
}
