/**
 * The program with devtools: `npm run dev`. Takes the same variables as main.ts.
 */
import { createWatchedApp } from "./devtools.ts";
import { report, serve } from "./serve.ts";

const watched = createWatchedApp({ dataFile: process.env["DATA_FILE"] || undefined });
serve(watched).then(() => console.log(`Dashboard: ${watched.app.url}/framework/dev`), report);
