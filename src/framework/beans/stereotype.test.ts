/** stereotype: which of its four sources wins. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { Interface } from "./interface.ts";
import type { Stereotype } from "./types.ts";

describe("stereotype", () => {
  class Marked {
    static readonly stereotype: string = "component";
    readonly size: number = 1;
  }
  class MarkedService extends Marked {}
  class Other {
    static readonly stereotype: string = "loudspeaker";
    readonly size: number = 1;
  }
  const any = (name: string, stereotype?: Stereotype) => Interface<object>(name, { stereotype });
  const table: Record<string, [object, Stereotype | undefined, Stereotype]> = {
    "is the bind option over the token's": [any("XService", "controller"), "repository", "repository"],
    "is the bind option over a class's static": [Marked, "repository", "repository"],
    "is the token's over the suffix": [any("XService", "controller"), undefined, "controller"],
    "is a class's static over the suffix": [MarkedService, undefined, "component"],
    "is the suffix Service": [any("UserService"), undefined, "service"],
    "is the suffix Repository": [any("UserRepository"), undefined, "repository"],
    "is the suffix Controller": [any("UserController"), undefined, "controller"],
    "is the suffix Component": [any("MailComponent"), undefined, "component"],
    "is bean by default": [any("Microservice"), undefined, "bean"],
    "is bean when a static means something else": [Other, undefined, "bean"],
  };
  for (const [title, [type, stereotype, expected]] of Object.entries(table)) {
    it(title, () => {
      const beans = Beans.builder()
        .bind(type as Interface<object>, () => ({}), { stereotype })
        .start();
      assert.equal(beans.graph().nodes[0]?.stereotype, expected);
    });
  }
});
