/**
 * The program with devtools: `npm run dev`. Takes the same variables as main.ts.
 */
import { createWatchedApp } from "./devtools.ts";
import { report, serve } from "./serve.ts";

serve(createWatchedApp).then(({ app, isWatched }) => {
  const off = "off: FRAMEWORK_DEVTOOLS or NODE_ENV says so";
  console.log(`Dashboard: ${isWatched ? `${app.url}/framework/dev` : off}`);
  if (isWatched) console.log("In a terminal: npx --no framework-devtools help; for coding agents: .mcp.json");
}, report);
