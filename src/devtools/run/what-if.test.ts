import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replayHeader } from "./what-if.ts";

describe("replayHeader", () => {
  it("has the run, the beans, the outcomes in base64url, and the ticket", () => {
    const whatIf = [{ call: 3, returns: "ÿ?>" }];
    assert.equal(
      replayHeader({ key: "a.1", beans: ["A", "B,C"], whatIf, ticket: "t" }),
      `a.1;beans=A,B%2CC;what-if=${Buffer.from(JSON.stringify(whatIf)).toString("base64url")};ticket=t`,
    );
    assert.equal(replayHeader({ key: "a.1", beans: ["A"], whatIf: [], ticket: null }), "a.1;beans=A");
    assert.equal(
      replayHeader({ key: "a.1", beans: [], whatIf: [], isProfiled: true, ticket: null }),
      "a.1;beans=;profile=1",
    );
  });
});
