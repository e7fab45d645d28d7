/**
 * Starts an application and stops it on a signal: requests in flight are completed first.
 *
 *   PORT   where it listens (8080); 0 picks a free one
 */
import type { App } from "./app.ts";

/** Resolves once the application listens. */
export async function serve({ app, beans }: App): Promise<void> {
  const close = async (): Promise<void> => {
    await app.stop();
    await beans.close();
  };
  try {
    await app.start(portFrom(process.env["PORT"]));
  } catch (error) {
    await close();
    throw error;
  }
  console.log(JSON.stringify({ time: new Date().toISOString(), message: "listening", url: app.url }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void close().catch(report));
}

function portFrom(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new Error(`PORT is ${JSON.stringify(text)}: a number from 0 to 65535 is allowed`);
  return Number(text);
}

/** Says why the program cannot go on; it ends when nothing is left to do. */
export function report(error: unknown): void {
  console.error(error);
  process.exitCode = 1;
}
