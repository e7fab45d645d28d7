/**
 * The application, watched: the recorder sees every bean's calls, the dashboard shows them.
 *
 *   Devtools.create() ──recorder──▶ createApp ──▶ install
 */
import { Devtools } from "@framework/devtools";
import { type App, type AppOptions, createApp } from "./app.ts";

/** Builds the application with devtools. */
export function createWatchedApp(options: Omit<AppOptions, "decorator"> = {}): App {
  const devtools = Devtools.create();
  const watched = createApp({ ...options, decorator: devtools.recorder() });
  devtools.install(watched.app, watched.beans);
  return watched;
}
