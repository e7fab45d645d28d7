/**
 * Test file: a kept run as a test of `node:test` that needs neither running devtools nor the services that its beans use.
 *
 *   Trace, chosen beans ──▶ recordedBeans({ … }) ──▶ createApp({ decorator }) ──▶ app.fetch(the request) ──▶ status and body
 *
 * All data from the run is written as JSON, so that none of it can become code.
 *
 * Spec: spec/replay.md
 */
import type { Trace } from "../../run/shapes.ts";
import { hiddenHeaders, isJson, requestAgain } from "../../run/again.ts";
import { flawOfData, recordedCall } from "../../record/replay/flaws.ts";
import { Reviver, SeenErrors } from "../../capture/revive.ts";

const reviver = new Reviver(new Map(), new SeenErrors());

/** `101 Switching Protocols` */
const SWITCHED = 101;

/** Why a run cannot be saved as a test with any beans, or undefined if it can. */
export function whyNoTest(trace: Trace): string | undefined {
  const { kind, method, aborted, status } = trace;
  if (kind !== undefined) return "it is no request: nobody can send it again";
  if (aborted) return "its client left before the response was over";
  if (status === SWITCHED) return "its connection has left HTTP";
  const { missing, body } = requestAgain(trace);
  const lost = missing.find((one) => !one.startsWith("its header "));
  if (lost !== undefined) return lost;
  return body !== undefined && (method === "GET" || method === "HEAD")
    ? `its request has a body, which a Request of the method ${method} cannot have`
    : undefined;
}

/** The name of the file. */
export const testFileName = ({ method, route, path, status }: Trace): string =>
  `${[method, route ?? path, String(status)]
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 80)}.test.ts`;

/** The run as a test. @param beans those that return recorded results */
export function testFile(trace: Trace, beans: readonly string[], commit: string | null): string {
  const { method, path, status, startedAt } = trace;
  const calls = trace.calls.filter(({ bean }) => beans.includes(bean)).map(recordedCall);
  return `/**
 * ${comment(`${method} ${path}`)} as it ran on ${new Date(startedAt).toISOString()}${commit === null ? "" : `, at commit ${comment(commit.slice(0, 10))}`}. Saved by devtools.
 *
 * ${comment(beans.join(", "))}: what was recorded. All other code runs. What was not recorded fails the test.
${hiddenHeaders(trace.request)
  .map((name) => ` * The header ${comment(name)} of the request was redacted: it is not sent.\n`)
  .join("")} */
import assert from "node:assert/strict";
import { it } from "node:test";
import { recordedBeans } from "@framework/devtools/replay";
import { createApp } from "./app.ts";

const recorded = recordedBeans(${code({ beans, calls })});

it(${code(`${method} ${path} responds with ${status}`)}, async () => {
  const { app, beans } = await createApp({ decorator: recorded.decorator });
  try {
    const response = await app.fetch(${requestCode(trace)});
    recorded.check();
    assert.equal(response.status, ${status});
${expected(trace)}
  } finally {
    await app.stop();
    await beans.close();
  }
});
`;
}

function requestCode(trace: Trace): string {
  const { method, path, headers, body } = requestAgain(trace);
  const init = { method, ...(headers.length === 0 ? {} : { headers }), ...(body === undefined ? {} : { body }) };
  return `new Request(${code(`http://localhost${path}`)}, ${indented(code(init), 4)})`;
}

function expected({ method, response }: Trace): string {
  const { body, headers } = response;
  const [type = ""] = headers["content-type"] ?? [];
  if (method === "HEAD") return '    assert.equal(await response.text(), "");';
  const flaw = flawOfData(body, "the body");
  if (flaw !== undefined) return `    // ${comment(flaw)}, so it is not compared.`;
  if (body === null && !isJson(type)) return '    assert.equal(await response.text(), "");';
  if (typeof body === "string" && !isJson(type)) return `    assert.equal(await response.text(), ${code(body)});`;
  return `    assert.deepEqual(await response.json(), ${indented(code(reviver.value(body)), 4)});`;
}

/** JSON as TypeScript. A key that would set the prototype is written in a form that does not. */
const code = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/(?<!\\)"__proto__":/g, '["__proto__"]:');

const indented = (text: string, by: number): string => text.replaceAll("\n", `\n${" ".repeat(by)}`);

/** A text that cannot end a comment. */
const comment = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?").replaceAll("*/", "* /");
