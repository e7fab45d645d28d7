/**
 * The parameters of a route by name, and a name for it, for documents and tools.
 *
 *   params, query, headers, cookies of the contracts ──▶ { name, in, required, schema }
 */
import type { Contract, DeclaredRoute } from "./contract.ts";
import type { JsonSchemaSource } from "./json-schema.ts";
import type { Schemas } from "./named-schemas.ts";
import { usageError } from "../internal/usage-errors.ts";

const placeOf = { params: "path", query: "query", headers: "header", cookies: "cookie" } as const;
type ParameterPart = keyof typeof placeOf;

/** A parameter, as OpenAPI writes it. */
export interface Parameter {
  readonly name: string;
  readonly in: (typeof placeOf)[ParameterPart];
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchemaSource;
}

/**
 * Every path parameter, as a text unless a contract declares it.
 *
 * @throws TypeError when a schema has no JSON Schema.
 */
export function pathParameters(where: string, route: DeclaredRoute, schemas: Schemas): Parameter[] {
  const declared = new Map(
    parametersOf(where, route.contracts, "params", schemas).map((one) => [one.name, one] as const),
  );
  return route.pathParams.map(
    (name) => declared.get(name) ?? { name, in: "path", required: true, schema: { type: "string" } },
  );
}

/** The declared parameters of one part, those of inner contracts last. @throws TypeError when a schema has no JSON Schema. */
export function parametersOf(
  where: string,
  contracts: readonly Contract[],
  part: ParameterPart,
  schemas: Schemas,
): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const contract of contracts) {
    if (contract[part] === undefined) continue;
    const what = `${where}: its ${part}`;
    const schema = objectOf(what, schemas.of(what, contract[part], "input", true), schemas);
    const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
    for (const [name, property] of Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchemaSource>))
      found.set(name, {
        name,
        in: placeOf[part],
        required: part === "params" || required.has(name),
        ...(typeof property["description"] === "string" ? { description: property["description"] } : {}),
        schema: property,
      });
  }
  return [...found.values()];
}

/** The schema of an object, because parameters have names. */
function objectOf(what: string, schema: JsonSchemaSource, schemas: Schemas): JsonSchemaSource {
  const found = schemas.followed(schema);
  if (found["properties"] !== undefined || found["type"] === "object") return found;
  throw usageError("CONTRACT_INVALID", `${what} has a JSON Schema without properties: parameters need names`);
}

/** `getOrdersByIdLines` of `GET /orders/{id}/lines`. */
export function madeId({ method, path }: DeclaredRoute): string {
  const words = path.split("/").flatMap((segment) => {
    const name = segment.replaceAll(/[{}*]/g, "");
    const capital = name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
    return /[{*]/.test(segment) ? `By${capital}` : capital;
  });
  return method.toLowerCase() + words.join("");
}
