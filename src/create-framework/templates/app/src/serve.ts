/**
 * Starts an application and stops it on a signal, after requests in flight have completed.
 */
import type { App } from "./app.ts";
import { type Settings, SettingsError, settingsFrom } from "./settings.ts";

/** Resolves with the application of `create` when it listens. */
export async function serve<T extends App>(create: (settings: Settings) => Promise<T>): Promise<T> {
  const settings = settingsFrom(process.env);
  const created = await create(settings);
  const { app, beans, operations } = created;
  const close = async (): Promise<void> => {
    await app.stop();
    await operations.stop(); // Later, so that the metrics can be read until the end.
    await beans.close();
  };
  try {
    await app.start(settings.port);
    await operations.start(settings.metricsPort);
  } catch (error) {
    await close();
    throw error;
  }
  const line = { time: new Date().toISOString(), message: "listening", url: app.url };
  console.log(settings.jsonLog ? JSON.stringify(line) : `Listening on ${app.url}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void close().catch(report));
  return created;
}

/** Prints why the program cannot go on. It ends when nothing is left to do. */
export function report(error: unknown): void {
  console.error(isOfTheMachine(error) ? error.message : error);
  process.exitCode = 1;
}

/** Wrong settings and an unavailable port: the message is complete, and a stack would point to the wrong place. */
function isOfTheMachine(error: unknown): error is Error {
  if (error instanceof SettingsError) return true;
  return error instanceof Error && "code" in error && ["EADDRINUSE", "EACCES"].includes(String(error.code));
}
