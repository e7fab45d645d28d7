/** The peers that take a web Request and give a web Response: the same hello, without a network. */
import { H3 } from "h3";
import { Hono } from "hono";

const hono = new Hono();
hono.get("/hello", (c) => c.json({ hello: "world" }));
const h3 = new H3();
h3.get("/hello", () => ({ hello: "world" }));

export const fetching = {
  Hono: (request) => hono.fetch(request),
  h3: (request) => h3.fetch(request),
};
