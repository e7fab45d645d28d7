import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { Interface } from "./interface.ts";
import { observedBeans } from "./observed.ts";

const [A, B] = [Interface<object>("A"), Interface<object>("B")];

describe("observedBeans", () => {
  it("reports each resolved type to each listener, even if one of them fails", () => {
    const heard: unknown[] = [];
    const beans = Beans.builder()
      .bind(A, () => ({}))
      .start();
    const observed = observedBeans(beans, [() => assert.fail("a listener that throws"), (type) => heard.push(type)]);
    assert.equal(observed.get(A), beans.get(A));
    assert.throws(() => observed.get(B), { code: "BEAN_MISSING" });
    assert.deepEqual(heard, [A]);
  });

  it("is the resolver itself without listeners", () => {
    const beans = Beans.builder().start();
    assert.equal(observedBeans(beans, []), beans);
  });
});
