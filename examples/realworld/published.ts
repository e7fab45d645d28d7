/**
 * Compares the documented API with the published one, by differences that a client could notice.
 *
 *   document ──▶ each operation as facts: "query limit: maximum 100", "response 200 body.user.bio: type null|string" ──▶ the difference
 *
 * Texts, examples and the names of components are not facts. For a response only names, types and formats count, since no client
 * notices additional restrictions of it. For a request everything counts.
 */
import type { OpenApiDocument } from "framework/openapi";

/** Operations that differ, by difference: `lacks …` of the published document, or `adds …` to it. */
export type Differences = Readonly<Record<string, readonly string[]>>;

type Json = Readonly<Record<string, unknown>>;
type Facts = ReadonlyMap<string, ReadonlySet<string>>;

/** The differences. `prefix` is the beginning of the paths of `own`. */
export function differences(published: OpenApiDocument, own: OpenApiDocument, prefix: string): Differences {
  const [wanted, given] = [factsOf(published, ""), factsOf(own, prefix)];
  const found = new Map<string, readonly string[]>();
  const compare = (verb: string, these: Facts, others: Facts): void => {
    for (const [operation, facts] of these)
      for (const fact of facts)
        if (isMissing(fact, others.get(operation)))
          found.set(`${verb} ${fact}`, [...(found.get(`${verb} ${fact}`) ?? []), operation]);
  };
  compare("lacks", wanted, given);
  compare("adds", given, wanted);
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Facts about a response are not separate differences if the whole response is missing. */
function isMissing(fact: string, facts: ReadonlySet<string> | undefined): boolean {
  const [response] = /^response \w+(?= )/.exec(fact) ?? [];
  return facts?.has(fact) !== true && (response === undefined || facts?.has(response) === true);
}

const methods = ["get", "put", "post", "delete", "patch", "query"];

/** The facts of each operation, by its name: `POST /users`. */
function factsOf(document: OpenApiDocument, prefix: string): Facts {
  const facts = new Map<string, Set<string>>();
  for (const [path, item] of entries(document["paths"]))
    for (const [method, operation] of entries(item))
      if (methods.includes(method))
        facts.set(`${method.toUpperCase()} ${path.slice(prefix.length)}`, new Set(operationFacts(document, operation)));
  return facts;
}

function* operationFacts(document: OpenApiDocument, operation: Json): Generator<string> {
  yield `operationId ${JSON.stringify(operation["operationId"])}`;
  yield `tags ${JSON.stringify(operation["tags"] ?? [])}`;
  yield `security ${JSON.stringify(operation["security"] ?? document["security"] ?? [])}`;
  for (const given of list(operation["parameters"])) {
    const parameter = followed(document, given);
    const where = `${String(parameter["in"])} ${String(parameter["name"])}`;
    if (parameter["required"] === true) yield `${where}: required`;
    yield* schemaFacts(document, where, object(parameter["schema"]), requestKeywords);
  }
  if (operation["requestBody"] !== undefined) {
    const body = followed(document, object(operation["requestBody"]));
    yield* contentFacts(document, "body", object(body["content"]), requestKeywords);
  }
  for (const [status, given] of entries(operation["responses"])) {
    yield `response ${status}`;
    const response = followed(document, given);
    yield* contentFacts(document, `response ${status} body`, object(response["content"]), responseKeywords);
  }
}

function* contentFacts(
  document: OpenApiDocument,
  where: string,
  content: Json,
  keywords: readonly string[],
): Generator<string> {
  for (const [type, media] of entries(content)) {
    yield `${where}: ${type}`;
    yield* schemaFacts(document, where, object(media["schema"]), keywords);
  }
}

const responseKeywords = ["format"];
const requestKeywords = [
  "format",
  "default",
  "enum",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
];

function* schemaFacts(
  document: OpenApiDocument,
  where: string,
  given: Json,
  keywords: readonly string[],
): Generator<string> {
  const schema = followed(document, given);
  const choices = list(schema["anyOf"]).map((choice) => followed(document, choice));
  const types = [schema, ...choices].flatMap(({ type = [] }) =>
    Array.isArray(type) ? type.map(String) : String(type),
  );
  if (types.length > 0) yield `${where}: type ${types.toSorted((a, b) => (a < b ? -1 : 1)).join("|")}`;
  for (const one of [schema, ...choices])
    for (const keyword of keywords)
      if (one[keyword] !== undefined) yield `${where}: ${keyword} ${JSON.stringify(one[keyword])}`;
  for (const [name, property] of entries(schema["properties"])) {
    if (Array.isArray(schema["required"]) && schema["required"].includes(name)) yield `${where}.${name}: required`;
    yield* schemaFacts(document, `${where}.${name}`, property, keywords);
  }
  if (schema["items"] !== undefined) yield* schemaFacts(document, `${where}[]`, object(schema["items"]), keywords);
  const others = object(schema["additionalProperties"]);
  if (Object.keys(others).length > 0) yield* schemaFacts(document, `${where}.*`, others, keywords);
}

/** The target of a reference, or the value itself. */
function followed(document: OpenApiDocument, given: Json): Json {
  const { $ref: reference } = given;
  if (typeof reference !== "string") return given;
  const names = reference.replace(/^#\//, "").split("/");
  return names.reduce<Json>((at, name) => object(at[name]), document);
}

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(object) : []);
const entries = (value: unknown): readonly (readonly [string, Json])[] =>
  Object.entries(object(value)).map(([name, one]) => [name, object(one)]);
