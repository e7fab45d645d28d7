/**
 * Cycles: an app that starts, answers and stops, over and over in one process.
 */
import { Framework } from "framework";
import type { Row } from "../rows.ts";

/** Starts and stops an app a hundred times in one process, each time with a request. */
export async function cycles(): Promise<Row> {
  const census = (): string =>
    JSON.stringify([
      process.getActiveResourcesInfo().filter((kind) => /TCP|Socket|Server/.test(kind)).length,
      Object.fromEntries(process.eventNames().map((event) => [String(event), process.listenerCount(event)])),
    ]);
  const cycle = async (): Promise<void> => {
    const app = Framework.create({ host: "127.0.0.1" }).get("/", () => "x");
    await app.start(0);
    await fetch(`${app.url}/`, { headers: { connection: "close" } }).then((response) => response.text());
    await app.stop();
  };
  const settle = async (): Promise<string> => {
    for (let i = 0; i < 100 && !census().startsWith("[0,"); i += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return census();
  };
  await cycle();
  const before = await settle();
  for (let i = 0; i < 100; i += 1) await cycle();
  const after = await settle();
  return {
    name: "start and stop, 100 times",
    figure: `before ${before}, after ${after}`,
    target: "the same",
    met: before === after,
  };
}
