/** Handlers with examples, for tests. Written by `framework client`: change the document instead. */

import { http, type HttpHandler, HttpResponse, type WebSocketHandler, ws } from "msw";

/** A handler for each operation. @param baseUrl the one of the client */
export function createHandlers(baseUrl: string): (HttpHandler | WebSocketHandler)[] {
  const quoted = (text: string): string => text.replaceAll(/[.*+?^$()|[\]\\{}]/g, String.raw`\$&`);
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const base = quoted(new URL(baseUrl, location?.href).href.replace(/\/+$/, ""));
  const at = (path: string, scheme = base): RegExp =>
    new RegExp(`^${scheme}${path.split(/\{[^{}]+\}/).map((part) => quoted(encodeURI(part))).join("[^/]+")}$`);
  return [
    // findNotes: QUERY /notes
    http.all(at("/notes"), ({ request }) => request.method === "QUERY" ? HttpResponse.json([{ id: 1, text: "Buy milk" }]) : undefined),
    // addNote: POST /notes
    http.post(at("/notes"), () => HttpResponse.json({ id: 1, text: "Buy milk" }, { status: 201, headers: { "Content-Type": "application/json" } })),
    // changes: GET /changes
    http.get(at("/changes"), ({ request }) => request.headers.has("Last-Event-ID") ? new HttpResponse(null, { status: 204 }) : new HttpResponse("id: 1\nevent: added\ndata: {\"id\":1,\"text\":\"Buy milk\"}\n\n", { status: 200, headers: { "Content-Type": "text/event-stream" } })),
    // chat: GET /chat
    ws.link(at("/chat", base.replace(/^http/, "ws"))).addEventListener("connection", ({ client }) => client.send("{\"text\":\"text\",\"run\":1}")),
  ];
}
