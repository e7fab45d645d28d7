/**
 * An application full of payloads: in its routes, its beans, their arguments, results and errors, and in its responses. Its
 * client
 * sends the same payloads as path, query, header and body.
 *
 *   payload i ──▶ POST /take/{id}/i ──▶ bean named payload i ──▶ result, or an error for ?fail
 */
import { Interface } from "framework";
import { startLab, type Lab } from "./lab.ts";
import { payloads } from "./payloads.ts";

interface Taker {
  take(text: string, fail: boolean): Record<string, string>;
}

const tokens = payloads.map((payload) => Interface<Taker>(payload));

/** A payload as a route pattern, without characters that a pattern rejects. */
export const patternOf = (payload: string, index: number): string =>
  `/p${index}-${payload.replace(/[{}*?#]/g, "").replace(/\/+/g, "/")}`.replace(/\/$/, "");

/** The media types of responses with a body in markup. */
const types = ["text/html", "image/svg+xml", "application/json", "text/plain", "application/xml"];

/** Starts it. */
export function startHostile(): Promise<Lab> {
  return startLab({
    beans: (builder) => {
      for (const token of tokens) {
        builder.bind(token, () => ({
          take: (text, fail) => {
            if (fail) throw new Error(text);
            return { [text]: text };
          },
        }));
      }
      return builder;
    },
    routes: (app) =>
      payloads.forEach((payload, index) => {
        const token = tokens[index];
        if (token === undefined) return;
        app.get(patternOf(payload, index), () => payload);
        app.post(`/take/{id}/${index}`, async (ctx) => {
          const sent = await ctx.bodyAsString();
          const result = ctx.get(token).take(ctx.pathParam("id"), ctx.queryParam("fail") !== undefined);
          ctx.setHeader("X-Hostile", ctx.header("X-Hostile") ?? "").setHeader("X-Sent", String(sent.length));
          const type = types[index % types.length] ?? "text/html";
          if (type === "application/json") return result;
          return ctx.setHeader("Content-Type", type).text(payload);
        });
      }),
  });
}

/** Sends every payload twice: once to be returned, once to be thrown. */
export async function attack(origin: string): Promise<void> {
  for (const [index, payload] of payloads.entries()) {
    for (const fail of ["", "&fail"]) {
      const text = encodeURIComponent(payload);
      const response = await fetch(`${origin}/take/${text}/${index}?q=${text}${fail}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Hostile": payload },
        body: JSON.stringify({ [payload]: payload }),
      });
      await response.text();
    }
  }
}
