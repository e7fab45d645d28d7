/** The schemas of validated requests: the same for every server, from one copy of each library. */
import { Compile } from "typebox/compile";
import { Type } from "typebox";
import { z } from "zod";

const closed = { additionalProperties: false };

/** By library and kind of work. */
export const schemas = {
  zod: {
    echo: z.strictObject({
      customer: z.string(),
      note: z.string(),
      items: z.array(
        z.strictObject({ id: z.number(), name: z.string(), price: z.number(), tags: z.array(z.string()) }),
      ),
    }),
    query: z.strictObject({ text: z.string(), limit: z.number() }),
  },
  typebox: {
    echo: Type.Object(
      {
        customer: Type.String(),
        note: Type.String(),
        items: Type.Array(
          Type.Object(
            { id: Type.Number(), name: Type.String(), price: Type.Number(), tags: Type.Array(Type.String()) },
            closed,
          ),
        ),
      },
      closed,
    ),
    query: Type.Object({ text: Type.String(), limit: Type.Number() }, closed),
  },
};

/** The response schemas of the kinds `shaped-1k` and `shaped-20k`, by library. */
export const responses = {
  zod: {
    "shaped-1k": z.object({
      customer: z.string(),
      note: z.string(),
      items: z.array(z.object({ id: z.number(), name: z.string(), price: z.number(), tags: z.array(z.string()) })),
    }),
    "shaped-20k": z.array(
      z.object({
        id: z.number(),
        name: z.string(),
        category: z.string(),
        price: z.number(),
        inStock: z.boolean(),
        rating: z.number(),
      }),
    ),
  },
  typebox: {
    "shaped-1k": Type.Object({
      customer: Type.String(),
      note: Type.String(),
      items: Type.Array(
        Type.Object({ id: Type.Number(), name: Type.String(), price: Type.Number(), tags: Type.Array(Type.String()) }),
      ),
    }),
    "shaped-20k": Type.Array(
      Type.Object({
        id: Type.Number(),
        name: Type.String(),
        category: Type.String(),
        price: Type.Number(),
        inStock: Type.Boolean(),
        rating: Type.Number(),
      }),
    ),
  },
};

/** New schemas of one resource of the kind `contracts`, by library, as each resource of an app has its own. */
export const contracts = {
  zod: () => ({
    params: z.object({ id: z.string(), item: z.string() }),
    line: z.strictObject({ sku: z.string(), quantity: z.number(), tags: z.array(z.string()) }),
    item: z.object({ id: z.string(), item: z.string() }),
  }),
  typebox: () => ({
    params: Type.Object({ id: Type.String(), item: Type.String() }),
    line: Type.Object({ sku: Type.String(), quantity: Type.Number(), tags: Type.Array(Type.String()) }, closed),
    item: Type.Object({ id: Type.String(), item: Type.String() }),
  }),
};

/** A schema that validates: Zod's as it is, TypeBox's compiled. */
export const compiled = (library, schema) => (library === "zod" ? schema : Compile(schema));

/** The validator for ours. */
export const validatorOf = (library, kind) => compiled(library, schemas[library][kind]);

/** The value if the validator accepts it. */
export const holds = (validator, value) => {
  if ("parse" in validator && "~standard" in validator) return validator.parse(value);
  if (!validator.Check(value)) throw new Error("rejected");
  return value;
};

/** A compiled TypeBox validator as a Standard Schema, for servers that accept only that. */
export const standardOf = (compiled) => ({
  "~standard": {
    version: 1,
    vendor: "typebox",
    validate: (value) => (compiled.Check(value) ? { value } : { issues: compiled.Errors(value) }),
  },
});
