/**
 * The program: `npm start`.
 *
 *   PORT        where it listens (8080)
 *   DATA_FILE   keeps the tasks in that file; without it, in memory
 */
import { createApp } from "./app.ts";
import { report, serve } from "./serve.ts";

serve(createApp({ dataFile: process.env["DATA_FILE"] || undefined })).catch(report);
