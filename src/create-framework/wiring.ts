/**
 * The additions to the module file for each layer of a slice: imports, beans and routes.
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
  controller: ({ type, variable, file, folder }) => ({
    imports: [
      `import * as ${variable}Contracts from "./${folder}/${file}-contracts.ts";`,
      `import { Http${type}Controller, ${type}Controller } from "./${folder}/${file}-controller.ts";`,
    ],
    binds: [`.bind(${type}Controller, (b) => new Http${type}Controller(b.get(${type}Service)))`],
    routes: [
      `$app.group("/${folder}", { tags: ["${folder}"] }, (api) => {`,
      `  api.get("/", ${variable}Contracts.list, [${type}Controller, "list"]);`,
      `  api.post("/", ${variable}Contracts.add, [${type}Controller, "add"]);`,
      `  api.get("/{id}", ${variable}Contracts.show, [${type}Controller, "show"]);`,
      `  api.put("/{id}", ${variable}Contracts.replace, [${type}Controller, "replace"]);`,
      `  api.delete("/{id}", ${variable}Contracts.remove, [${type}Controller, "remove"]);`,
      `});`,
    ],
  }),
};
