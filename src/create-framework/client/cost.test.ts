/**
 * The cost of a client in an editor: the compiler's work for it, at ten operations and at five hundred.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientOf, compiled, documentOf } from "./harness.testkit.ts";

const text = { type: "string" };
const component = {
  type: "object",
  properties: { id: text, name: text, size: { type: "integer" } },
  required: ["id", "name"],
};

/** A client of `count` operations, each with a parameter, a body and problems, and a program that calls each of them. */
function programOf(count: number): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: count }, (_, at) => at);
  const json = (name: string): object => ({
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const operation = (at: number): object => ({
    operationId: `change${at}`,
    parameters: [{ name: "id", in: "path", required: true, schema: text }],
    requestBody: { required: true, ...json(`Item${at}`) },
    responses: { 200: json(`Item${at}`), 404: json("Missing"), default: json("Problem") },
  });
  const schemas = Object.fromEntries(
    [...numbers.map((at) => `Item${at}`), "Missing", "Problem"].map((name) => [name, component]),
  );
  const paths = Object.fromEntries(numbers.map((at) => [`/items${at}/{id}`, { query: operation(at) }]));
  const calls = numbers.map(
    (at) => `export async function call${at}(): Promise<void> {
  const result = await client.change${at}({ params: { id: "a" }, body: { id: "a", name: "b" } });
  names.push(result.ok ? result.body.name : result.status === 404 ? result.problem.id : result.problem.name);
}`,
  );
  const caller = `import { createClient } from "./client.ts";\nconst client = createClient({ baseUrl: "" });\nconst names: string[] = [];\n${calls.join("\n")}\n`;
  return { "client.ts": clientOf(documentOf(paths, { components: { schemas } })), "caller.ts": caller };
}

describe("a client in an editor", () => {
  it("costs the compiler instantiations in proportion to its operations", async () => {
    const [ten = 0, many = 0] = await Promise.all(
      [10, 500].map(async (count) => {
        const { errors, output } = await compiled(programOf(count), "--extendedDiagnostics");
        assert.deepEqual(errors, []);
        return Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1]);
      }),
    );
    assert.ok(ten > 0 && many <= 55 * ten, `${ten} instantiations for 10 operations, ${many} for 500`);
    assert.ok(many <= 20_000, `${many} instantiations for 500 operations`);
  });
});
