/**
 * A request as text for another tool. Pure. Redacted values stay redacted, and of a file only the name is there.
 */

import { curlCommand, shellQuoted as quote } from "../../run/curl.ts";
import type { FormPart, OutgoingRequest } from "./receive.ts";

/** A shell command for POSIX shells, with every value in single quotes. `base` is the origin with a mount path. */
export function toCurl(base: string, request: OutgoingRequest): string {
  const { form, method, url, headers } = request;
  return curlCommand(method, base + url, headers, form ? form.map(curlPart) : curlBody(request.body));
}

function curlBody(body: OutgoingRequest["body"]): string[] {
  if (body === undefined) return [];
  return [typeof body === "string" ? `--data-raw ${quote(body)}` : `--data-binary ${quote(`@${body.name}`)}`];
}

/** A part of a form. A text is never taken for the name of a file. */
function curlPart([name, value]: FormPart): string {
  if (typeof value === "string") return `--form-string ${quote(`${name}=${value}`)}`;
  const path = value.name.replace(/["\\]/g, (char) => `\\${char}`);
  return `-F ${quote(`${name}=@"${path}"${value.type ? `;type=${value.type}` : ""}`)}`;
}

/** A `fetch` call, with the lines that it needs before it. */
export function toFetch(base: string, request: OutgoingRequest): string {
  return [...formCode(request), `await ${fetchCall(base, request)};`].join("\n");
}

/** A `node:test` case that repeats the request and checks the status. */
export function toTest(base: string, request: OutgoingRequest, status: number): string {
  const lines = [
    ...formCode(request),
    `const response = await ${fetchCall(base, request)};`,
    `assert.equal(response.status, ${status});`,
  ];
  return [
    `import { test } from "node:test";`,
    `import assert from "node:assert/strict";`,
    ``,
    `test(${JSON.stringify(`${request.method} ${request.url} responds with ${status}`)}, async () => {`,
    ...lines.map((line) => `  ${line.replaceAll("\n", "\n  ")}`),
    `});`,
  ].join("\n");
}

function fetchCall(base: string, { method, url, headers, body, form }: OutgoingRequest): string {
  const init = JSON.stringify({ method, headers, ...(typeof body === "string" ? { body } : {}) }, null, 2);
  const code = !form ? (body instanceof File ? fileCode(body) : undefined) : "form";
  const whole = code === undefined ? init : init.replace(/\n\}$/, `,\n  "body": ${code}\n}`);
  return `fetch(${JSON.stringify(base + url)}, ${whole})`;
}

function formCode({ form }: OutgoingRequest): string[] {
  if (!form) return [];
  const appended = form.map(([name, value]) => {
    const given =
      typeof value === "string" ? JSON.stringify(value) : `${fileCode(value)}, ${JSON.stringify(value.name)}`;
    return `form.append(${JSON.stringify(name)}, ${given});`;
  });
  return ["const form = new FormData();", ...appended];
}

/** Node's way to a file that is read as it is sent. */
const fileCode = ({ name, type }: File): string =>
  `await (await import("node:fs")).openAsBlob(${JSON.stringify(name)}, { type: ${JSON.stringify(type)} })`;
