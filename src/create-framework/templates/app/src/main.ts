/**
 * The program: `npm start`. Its variables are in settings.ts.
 */
import { createApp } from "./app.ts";
import { report, serve } from "./serve.ts";

serve(createApp).catch(report);
