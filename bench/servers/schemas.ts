/** The schemas of the peers, for our own servers, from one copy of each library. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { StandardSchema } from "framework";
import { root } from "../../test/environment.ts";

/** The exports of bench/peers/schemas.mjs. */
export interface Schemas {
  readonly responses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly contracts: Readonly<
    Record<"zod" | "typebox", () => Readonly<Record<"params" | "line" | "item", StandardSchema<object>>>>
  >;
  validatorOf(library: string, kind: string): StandardSchema<object>;
  compiled(library: string, schema: unknown): unknown;
  holds(validator: unknown, value: unknown): object;
}

/** Imported only for the jobs with schemas, since startup is measured too. */
export const schemas = (): Promise<Schemas> =>
  import(pathToFileURL(join(root, "bench", "peers", "schemas.mjs")).href) as Promise<Schemas>;
