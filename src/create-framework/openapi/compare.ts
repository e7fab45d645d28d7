/**
 * Finds what breaks for clients of one document when the service follows another.
 *
 *   operations ──▶ gone, renamed, need a permission more ──▶ parameters and body (input) ──▶ responses (output)
 *
 * It compares what clients rely on. Any addition is compatible.
 */
import { isJson, listIn, objectIn, textIn, textsIn, type Json } from "../document/json.ts";
import { followed, nameOf, type Operation, operationsOf, type Parameter } from "../document/operations.ts";
import type { Side } from "../document/sides.ts";
import { SchemaComparison } from "./schemas.ts";

/** The differences of two documents. */
export interface Comparison {
  /** Sentences, in the order of the earlier document. */
  readonly breaking: readonly string[];
  /** The number of other differences, except those of descriptions. */
  readonly compatible: number;
}

/** A difference. Two at one place count once. */
interface Difference {
  readonly place: string;
  readonly what: string;
}

/** Compares two documents. @throws DocumentError if one of them cannot be read */
export function compareDocuments(before: Json, now: Json): Comparison {
  const breaking = new DocumentComparison(before, now).differences();
  // Breaks in the opposite direction are additions.
  const places = new Set(breaking.map(({ place }) => place));
  const added = new DocumentComparison(now, before).differences().filter(({ place }) => !places.has(place));
  return {
    breaking: breaking.map(({ place, what }) => `${place} ${what}`),
    compatible: new Set(added.map(({ place }) => place)).size,
  };
}

class DocumentComparison {
  readonly #before: Json;
  readonly #now: Json;
  readonly #comparisons: Readonly<Record<Side, SchemaComparison>> = {
    input: new SchemaComparison("input"),
    output: new SchemaComparison("output"),
  };

  constructor(before: Json, now: Json) {
    this.#before = before;
    this.#now = now;
  }

  differences(): readonly Difference[] {
    const now = new Map(operationsOf(this.#now).map((one) => [keyOf(one), one]));
    return operationsOf(this.#before).flatMap((one) => {
      const other = now.get(keyOf(one));
      if (other === undefined) return [{ place: nameOf(one), what: "is gone" }];
      return this.#operation(one, other).map(({ place, what }) => ({ place: `${nameOf(one)}${place}`, what }));
    });
  }

  #operation(one: Operation, other: Operation): readonly Difference[] {
    const [id, newId] = [textIn(one.value["operationId"]), textIn(other.value["operationId"])];
    return [
      ...(id === undefined || id === newId
        ? []
        : [{ place: ": operationId", what: `was ${id}, and is ${newId ?? "gone"}` }]),
      ...this.#security(one, other),
      ...this.#parameters(one, other),
      ...this.#body(one, other),
      ...[...one.responses].flatMap(([status, response]) =>
        this.#response(status, response, responseFor(other, status)),
      ),
    ];
  }

  /** Every client with access must keep it: for each earlier alternative, one of the new ones requires no more. */
  #security(one: Operation, other: Operation): readonly Difference[] {
    const today = alternativesOf(this.#now, other);
    const isMet = (given: Json): boolean =>
      today.some((needed) =>
        Object.entries(needed).every(
          ([scheme, scopes]) =>
            textsIn(scopes).every((scope) => textsIn(given[scheme]).includes(scope)) && Object.hasOwn(given, scheme),
        ),
      );
    const lost = alternativesOf(this.#before, one).filter((given) => !isMet(given));
    return lost.length === 0
      ? []
      : [{ place: ": security", what: `needs ${today.map((all) => Object.keys(all).join(" and ")).join(" or ")} now` }];
  }

  #parameters(one: Operation, other: Operation): readonly Difference[] {
    const find = (all: readonly Parameter[], wanted: Parameter): Parameter | undefined =>
      all.find(
        ({ name, place }) =>
          place === wanted.place &&
          (place === "header" ? name.toLowerCase() === wanted.name.toLowerCase() : name === wanted.name),
      );
    const added = other.parameters.filter(
      (parameter) => parameter.isRequired && find(one.parameters, parameter) === undefined,
    );
    return [
      ...added.map((parameter) => ({ place: placeOf(parameter), what: "is new, and required" })),
      ...one.parameters.flatMap((parameter) => {
        const place = placeOf(parameter);
        const today = find(other.parameters, parameter);
        if (today === undefined) return [{ place, what: "is gone" }];
        return [
          ...(today.isRequired && !parameter.isRequired ? [{ place, what: "is required now" }] : []),
          ...(styleOf(parameter) === styleOf(today)
            ? []
            : [{ place, what: `was written as ${styleOf(parameter)}, and is as ${styleOf(today)}` }]),
          ...this.#schemas("input", place, schemaOf(parameter.value), schemaOf(today.value)),
        ];
      }),
    ];
  }

  #body({ requestBody: before }: Operation, { requestBody: now }: Operation): readonly Difference[] {
    const place = ": body";
    if (before === undefined) return now?.["required"] === true ? [{ place, what: "is new, and required" }] : [];
    if (now === undefined) return [{ place, what: "is gone" }];
    return [
      ...(now["required"] === true && before["required"] !== true ? [{ place, what: "is required now" }] : []),
      ...this.#content("input", place, before, now),
    ];
  }

  #response(status: string, before: Json, now: Json | undefined): readonly Difference[] {
    const place = `: response ${status}`;
    if (now === undefined) return [{ place, what: "is gone" }];
    const today = new Set(Object.keys(objectIn(now["headers"])).map((name) => name.toLowerCase()));
    const headers = Object.keys(objectIn(before["headers"])).filter((name) => !today.has(name.toLowerCase()));
    return [
      ...headers.map((name) => ({ place: `${place} header ${name}`, what: "is gone" })),
      ...this.#content("output", place, before, now),
    ];
  }

  #content(direction: Side, place: string, before: Json, now: Json): readonly Difference[] {
    const today = new Map(Object.entries(objectIn(now["content"])).map(([type, media]) => [spelling(type), media]));
    return Object.entries(objectIn(before["content"])).flatMap(([type, media]) => {
      const other = today.get(spelling(type));
      if (!isJson(other)) return [{ place: `${place} ${type}`, what: "is gone" }];
      return this.#schemas(direction, place, objectIn(media)["schema"], other["schema"]);
    });
  }

  #schemas(direction: Side, place: string, before: unknown, now: unknown): readonly Difference[] {
    return this.#comparisons[direction]
      .breaks({ document: this.#before, schema: before }, { document: this.#now, schema: now })
      .map(({ path, what }) => ({ place: `${place}${path === "" ? "" : ` ${path.replace(/^\./, "")}`}`, what }));
  }
}

/** The key of an operation in both documents, without the names of path parameters, which are compared with the parameters. */
const keyOf = ({ method, path }: Operation): string => `${method} ${path.replaceAll(/\{[^{}]*\}/g, "{}")}`;

/**
 * The response for a status: its own, its range's, else `default`. `default` covers no success if another success is documented.
 */
function responseFor({ responses }: Operation, status: string): Json | undefined {
  const named = responses.get(status) ?? responses.get(`${status.charAt(0)}XX`);
  const isDefault = !status.startsWith("2") || ![...responses.keys()].some((one) => one.startsWith("2"));
  return named ?? (isDefault ? responses.get("default") : undefined);
}

/** The canonical spelling of a media type: lower case, without spaces, quotes and the default charset of texts. */
function spelling(type: string): string {
  const [name = "", ...parameters] = type.split(";").map((part) => part.replaceAll(/["\s]/g, "").toLowerCase());
  return [name, ...parameters.filter((one) => one !== "" && one !== "charset=utf-8").toSorted()].join(";");
}

const placeOf = ({ place, name }: Parameter): string => `: ${place} ${name}`;
const schemaOf = (value: Json): unknown =>
  value["schema"] ?? objectIn(Object.values(objectIn(value["content"]))[0])["schema"];

function styleOf({ place, value }: Parameter): string {
  if (value["schema"] === undefined && isJson(value["content"]))
    return spelling(Object.keys(value["content"])[0] ?? "");
  const style = textIn(value["style"]) ?? (place === "query" || place === "cookie" ? "form" : "simple");
  const isExploded = typeof value["explode"] === "boolean" ? value["explode"] : style === "form";
  return isExploded ? `${style}, exploded` : style;
}

/** The requirements of each security alternative, empty if there are none. */
function alternativesOf(document: Json, { value }: Operation): readonly Json[] {
  const all = listIn(value["security"] ?? document["security"]).map((one) => followed(document, one));
  return all.length === 0 ? [{}] : all;
}
