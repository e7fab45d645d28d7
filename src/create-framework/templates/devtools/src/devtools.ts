/**
 * The application with devtools: the recorder records every bean's calls, the dashboard shows them.
 *
 *   Devtools.create() ──recorder──▶ createApp ──▶ install
 */
import { Devtools } from "@framework/devtools";
import { type App, type AppOptions, createApp } from "./app.ts";

export interface WatchedApp extends App {
  /** False if the environment disables devtools. */
  readonly isWatched: boolean;
}

export interface WatchedOptions extends Omit<AppOptions, "decorator"> {
  /** Keeps runs in `.framework/runs.jsonl`, so that they survive a restart; default: true. */
  readonly history?: boolean;
}

/** Builds the application with devtools. */
export async function createWatchedApp({ history = true, ...options }: WatchedOptions = {}): Promise<WatchedApp> {
  const devtools = Devtools.create({ history });
  const recorder = devtools.recorder();
  const watched = await createApp({ ...options, decorator: recorder });
  devtools.install(watched.app, watched.beans);
  return { ...watched, isWatched: recorder.traces === true };
}
