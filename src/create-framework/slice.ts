/**
 * A slice of a project: the files of a kind, and its additions to the module file.
 *
 *   resource = controller ──▶ service ──▶ repository + the type itself
 *
 * A kind adds its missing dependencies too: `service` after `repository` adds only the service.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModuleAdditions } from "./module-file.ts";
import { capitalised, type ResourceName } from "./resource-name.ts";
import type { Schema } from "./schema.ts";
import { wiringOf, type LayerName } from "./wiring.ts";

/** The kinds that can be generated. */
export const kinds = ["resource", "controller", "service", "repository"] as const;

/** One of them. */
export type Kind = (typeof kinds)[number];

/** A layer of a slice; `stem` is the file that shows that it exists. */
interface Layer {
  readonly name: LayerName;
  readonly stem: string;
  /** Template → file name; `_` stands for the name. */
  readonly files: Readonly<Record<string, string>>;
}

const layers: readonly Layer[] = [
  {
    name: "repository",
    stem: "_-repository.ts",
    files: {
      "entity/__schema__.ts": "_.ts",
      "repository.ts": "_-repository.ts",
      "in-memory-repository.ts": "in-memory-_-repository.ts",
      "repository.test.ts": "_-repository.test.ts",
    },
  },
  {
    name: "service",
    stem: "_-service.ts",
    files: { "service.ts": "_-service.ts", "service.test.ts": "_-service.test.ts" },
  },
  {
    name: "controller",
    stem: "_-controller.ts",
    files: {
      "contracts.ts": "_-contracts.ts",
      "controller.ts": "_-controller.ts",
      "routes.test.ts": "_-routes.test.ts",
    },
  },
];

/** New files of a project, by path with `/`, and the additions to its module file. */
export interface Slice {
  readonly files: ReadonlyMap<string, string>;
  readonly additions: ModuleAdditions;
  /** Beans that it depends on and does not add. */
  readonly needs: readonly string[];
}

/** The options of a slice besides its name. */
export interface SliceOptions {
  /** The folder of the templates. */
  readonly templates: string;
  /** The library with which the project validates request bodies. */
  readonly schema: Schema;
  /** Does the project have a file (path with `/`)? */
  readonly isThere: (path: string) => boolean;
}

/** The slice of that kind. */
export function sliceOf(kind: Kind, name: ResourceName, { templates, schema, isThere }: SliceOptions): Slice {
  const top = kind === "resource" ? layers.length - 1 : layers.findIndex((layer) => layer.name === kind);
  const path = (file: string): string => `src/${name.folder}/${file.replace("_", name.file)}`;
  const wanted = layers.filter(
    ({ stem }, at) => at <= top && (kind === "resource" || at === top || !isThere(path(stem))),
  );
  const files = wanted.flatMap((layer) =>
    Object.entries(layer.files).map(([template, file]) => {
      const text = readFileSync(join(templates, template.replace("__schema__", schema)), "utf8");
      return [path(file), named(text, name)] as const;
    }),
  );
  const additions = wanted.map((layer) => wiringOf[layer.name](name));
  const below = layers.slice(0, top).filter((layer) => !wanted.includes(layer));
  return {
    needs: below.map((layer) => `${name.type}${capitalised(layer.name)}`),
    files: new Map(files),
    additions: {
      imports: additions.flatMap(({ imports }) => imports),
      binds: additions.flatMap(({ binds }) => binds),
      routes: additions.flatMap(({ routes }) => routes),
    },
  };
}

function named(text: string, { type, variable, file, folder, plural }: ResourceName): string {
  return text
    .replaceAll("__Type__", type)
    .replaceAll("__variable__", variable)
    .replaceAll("__file__", file)
    .replaceAll("__path__", `/${folder}`)
    .replaceAll("__plural__", plural)
    .replaceAll("__Plural__", capitalised(plural));
}
