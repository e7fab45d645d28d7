/**
 * What the module file gets for each layer of a slice: imports, beans and routes.
 */
import type { ModuleAdditions } from "./module-file.ts";
import type { ResourceName } from "./resource-name.ts";

/** A layer of a slice, by the kind of its bean. */
export type LayerName = "repository" | "service" | "controller";

/** Layer → the additions for a slice of that name. */
export const wiringOf: Readonly<Record<LayerName, (name: ResourceName) => ModuleAdditions>> = {
  repository: ({ type, file, folder }) => ({
    imports: [
      `import { InMemory${type}Repository } from "./${folder}/in-memory-${file}-repository.ts";`,
      `import { ${type}Repository } from "./${folder}/${file}-repository.ts";`,
    ],
    binds: [`.bind(${type}Repository, () => new InMemory${type}Repository())`],
    routes: [],
  }),
  service: ({ type, file, folder }) => ({
    imports: [`import { Repository${type}Service, ${type}Service } from "./${folder}/${file}-service.ts";`],
    binds: [`.bind(${type}Service, (b) => new Repository${type}Service(b.get(${type}Repository)))`],
    routes: [],
  }),
  controller: ({ type, file, folder }) => ({
    imports: [`import { Http${type}Controller, ${type}Controller } from "./${folder}/${file}-controller.ts";`],
    binds: [`.bind(${type}Controller, (b) => new Http${type}Controller(b.get(${type}Service)))`],
    routes: [
      `$app.group("/${folder}", (api) => {`,
      `  api.get("/", [${type}Controller, "list"]);`,
      `  api.post("/", [${type}Controller, "add"]);`,
      `  api.get("/{id}", [${type}Controller, "show"]);`,
      `  api.put("/{id}", [${type}Controller, "replace"]);`,
      `  api.delete("/{id}", [${type}Controller, "remove"]);`,
      `});`,
    ],
  }),
};
