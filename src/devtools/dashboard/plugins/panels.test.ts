import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Panel } from "../../run/shapes.ts";
import { applicationSlice } from "../store/application.ts";
import { stage } from "../testing/stage.ts";
import { pluginPanelsSlice } from "./panels.ts";

const info = { title: "Mails", kind: "json" } as const;
const panelOf = (name: string, data: number): Panel => ({ ...info, name, data, error: null });

describe("pluginPanelsSlice", () => {
  test("knows the panels when the page is loaded, and reads the requested one", async () => {
    let reads = 0;
    const { use } = await stage({ panels: [{ ...info, name: "mail", read: async () => panelOf("mail", ++reads) }] });
    assert.deepEqual(
      use(applicationSlice).panels.value.map(({ name }) => name),
      ["mail"],
    );
    const { panel, read } = use(pluginPanelsSlice);
    assert.deepEqual([panel.value, reads], [null, 0]);
    await read("mail");
    await read("mail");
    assert.deepEqual(panel.value, panelOf("mail", 2));
  });

  test("keeps the last requested one, in any order of responses", async () => {
    let finish = (_: Panel): void => undefined;
    const slow = new Promise<Panel>((resolve) => (finish = resolve));
    const { use } = await stage({
      panels: [
        { ...info, name: "slow", read: () => slow },
        { ...info, name: "fast", read: async () => panelOf("fast", 1) },
      ],
    });
    const { panel, read } = use(pluginPanelsSlice);
    const first = read("slow");
    await read("fast");
    finish(panelOf("slow", 2));
    await first;
    assert.deepEqual(panel.value, panelOf("fast", 1));
  });

  test("says why it cannot be read, and keeps the earlier value", async () => {
    let isDown = false;
    const { use } = await stage({
      panels: [
        {
          ...info,
          name: "mail",
          read: async () => {
            if (isDown) throw new Error("Failed to fetch");
            return panelOf("mail", 1);
          },
        },
      ],
    });
    const { panel, failure, read } = use(pluginPanelsSlice);
    await read("mail");
    isDown = true;
    await read("mail");
    assert.deepEqual([panel.value, failure.value], [panelOf("mail", 1), "Failed to fetch"]);
    isDown = false;
    await read("mail");
    assert.equal(failure.value, null);
  });
});
