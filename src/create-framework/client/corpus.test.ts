/**
 * Clients of other people's documents: each file of a folder is generated, compiled in the strictest project, and its operations
 * called once.
 *
 *   OPENAPI_DOCUMENTS=<folder of .json> node scripts/test.mjs src/create-framework/client/corpus
 *
 * The documents are not in this repository, so the tests are skipped without that variable.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Json } from "../document/json.ts";
import { documentOf as read } from "../document/read.ts";
import { sources } from "../harness.testkit.ts";
import { exampleOf, valueOf } from "./example.ts";
import { compiled, loaded } from "./harness.testkit.ts";
import { contentKind, mediaIn } from "./media.ts";
import { writeMsw } from "./msw.ts";
import type { ClientOperation } from "./operation.ts";
import { readRuntime } from "./runtime.ts";
import { writeTanStack } from "./tanstack.ts";
import { writeClient } from "./write.ts";

const folder = process.env["OPENAPI_DOCUMENTS"];
const skip = folder === undefined && "OPENAPI_DOCUMENTS names no folder with documents";
const runtime = readRuntime(join(sources, "create-framework"));
const names = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(".json"));
const tanStack = { name: "@tanstack/query-core", hasStreams: true };

/** An input that the document allows. */
function inputOf(document: Json, { operation: { parameters, requestBody } }: ClientOperation): object {
  const params = parameters
    .filter(({ place }) => place === "path")
    .map(({ name, value }) => [name, valueOf(document, value["schema"]) ?? "a"] as const);
  const [, media] = (requestBody === undefined ? undefined : mediaIn(requestBody)) ?? [];
  return { params: Object.fromEntries(params), body: media === undefined ? undefined : exampleOf(document, media) };
}

/** A response, and the content that a client makes of it. */
interface Answer {
  readonly response: Response;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
}

/** The first documented success, as an example. Without one it is `default`. */
function answerOf(document: Json, { operation: { method, responses } }: ClientOperation): Answer {
  const [status, response] = [...responses].find(([one]) => /^2\d\d$/.test(one)) ?? [
    "200",
    responses.get("default") ?? {},
  ];
  const [type = "application/json", media] = mediaIn(response) ?? [];
  const isEmpty = method === "HEAD" || ["204", "205"].includes(status) || media === undefined;
  if (isEmpty) return { response: new Response(null, { status: Number(status) }), body: undefined };
  const isJson = contentKind(type) === "json";
  const body = isJson ? (exampleOf(document, media) ?? null) : undefined;
  const headers = { "Content-Type": type.includes("*") ? "application/octet-stream" : type };
  return { response: new Response(isJson ? JSON.stringify(body) : "text", { status: Number(status), headers }), body };
}

describe("clients of other people's documents", { skip }, () => {
  for (const name of names)
    it(`${name}: compiles, and each operation has its documented success`, async () => {
      const document = read(name, readFileSync(join(folder ?? "", name), "utf8"));
      const { text, calls } = writeClient(document, runtime);
      const files = {
        "client.ts": text,
        "queries.ts": writeTanStack(calls, "./client.ts", tanStack).text,
        "handlers.ts": writeMsw(document, calls),
      };
      assert.deepEqual((await compiled(files)).errors, []);
      const { createClient } = await loaded(text);
      for (const call of calls.filter(({ shape }) => shape === "call")) {
        const { response, body } = answerOf(document, call);
        const client = createClient({ baseUrl: "http://test", fetch: async () => response });
        const result = await client[call.name]?.(inputOf(document, call));
        assert.equal(result?.["ok"], true, call.name);
        if (body !== undefined) assert.deepEqual(result["body"], body, call.name);
      }
    });
});
