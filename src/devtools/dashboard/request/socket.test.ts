/**
 * socketSlice: a WebSocket of the selected route, its messages in both directions, and its end.
 */

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { RouteInfo } from "../../run/shapes.ts";
import { selectionSlice } from "../store/selection.ts";
import { setGlobals } from "../testing/fake-page.ts";
import { runOf, stage, type StageProps } from "../testing/stage.ts";
import { draftsSlice } from "./drafts.ts";
import { sendSlice } from "./send.ts";
import { endText, socketSlice } from "./socket.ts";

class FakeSocket extends EventTarget {
  static opened: FakeSocket[] = [];
  readonly sent: unknown[] = [];
  readonly #given: readonly unknown[];

  constructor(url: string, protocols: readonly string[]) {
    super();
    if (protocols.includes("twice")) throw new SyntaxError("the subprotocol is there twice");
    this.#given = [url, protocols];
    FakeSocket.opened.push(this);
  }

  get given(): readonly unknown[] {
    return this.#given;
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(code: number): void {
    this.end(code, "");
  }

  end(code: number, reason: string): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code, reason }));
  }

  come(data: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

const chat: RouteInfo = {
  method: "GET",
  path: "/chat/{room}",
  pathParams: ["room"],
  beans: [],
  upgrades: true,
  contract: {
    messages: {
      incoming: { schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } },
    },
  },
};
const plain: RouteInfo = { method: "GET", path: "/plain", pathParams: [], beans: [] };

let restore = (): void => undefined;
beforeEach(() => {
  FakeSocket.opened = [];
  restore = setGlobals({ WebSocket: FakeSocket, location: { origin: "https://here" } });
});
afterEach(() => restore());

async function consoleOf(route: string, props: StageProps = {}) {
  const { use } = await stage({ routes: [chat, plain], mount: "/api", ...props });
  use(selectionSlice).selectRoute(route);
  const { log, run, isSocket, close } = use(socketSlice);
  const { send, incomplete } = use(sendSlice);
  const { draft, setDraft } = use(draftsSlice);
  const shown = () => log.value?.items.map(({ name, text }) => `${name} ${text}`);
  return { use, log, run, isSocket, close, send, incomplete, draft, setDraft, shown };
}

describe("socketSlice", () => {
  test("connects with path, query and subprotocols below the mount, and starts with an example message", async () => {
    const { draft, setDraft, send, incomplete, log } = await consoleOf("GET /chat/{room}");
    assert.deepEqual(JSON.parse(draft.value?.body ?? ""), { text: "text" });
    await send();
    assert.deepEqual([incomplete.value, FakeSocket.opened], [{ route: "GET /chat/{room}" }, []]);
    setDraft({ params: { room: "b/c" }, query: "a=1", headers: [["Sec-WebSocket-Protocol", "v2, v1"]] });
    await send();
    assert.deepEqual(FakeSocket.opened[0]?.given, ["wss://here/api/chat/b%2Fc?a=1", ["v2", "v1"]]);
    assert.equal(log.value?.state, "connecting");
    await send();
    assert.equal(FakeSocket.opened.length, 1);
  });

  test("lists the messages of both directions until it is closed, also while another route is shown", async () => {
    const { use, setDraft, send, close, log, shown } = await consoleOf("GET /chat/{room}");
    setDraft({ params: { room: "blue" }, body: "hello" });
    await send();
    const [socket] = FakeSocket.opened;
    socket?.dispatchEvent(new Event("open"));
    await send();
    use(selectionSlice).selectRoute("GET /plain");
    socket?.come("hello back");
    socket?.come(new Uint8Array([1, 255]).buffer);
    assert.equal(shown(), undefined);
    use(selectionSlice).selectRoute("GET /chat/{room}");
    assert.deepEqual(socket?.sent, ["hello"]);
    assert.deepEqual(shown(), [
      "sent hello",
      "received hello back",
      `received 2 B of bytes\n00000000  01 ff${" ".repeat(43)} ..`,
    ]);
    close();
    assert.deepEqual([log.value?.state, log.value?.end], ["closed", { code: 1000, reason: "" }]);
    await send();
    assert.deepEqual([FakeSocket.opened.length, shown()], [2, []]);
  });

  test("knows a route without declared messages by its runs", async () => {
    const refused = runOf(1, { route: "/plain", method: "GET", status: 426 });
    const response = { ...refused.response, headers: { upgrade: ["websocket"] } };
    const { isSocket } = await consoleOf("GET /plain", { traces: [{ ...refused, response }] });
    assert.equal(isSocket.value, true);
    const other = await consoleOf("GET /plain", { traces: [refused] });
    assert.equal(other.isSocket.value, false);
  });

  test("finds the run of its handshake, and says why there is no connection", async () => {
    const kept = [runOf(1, { route: "/chat/{room}", method: "GET", startedAt: 1 })];
    const { setDraft, send, log, run } = await consoleOf("GET /chat/{room}", { traces: kept });
    setDraft({ params: { room: "blue" }, headers: [["Sec-WebSocket-Protocol", "twice"]] });
    await send();
    assert.equal(log.value && endText(log.value), "The handshake failed. the subprotocol is there twice");
    assert.equal(run.value, null);
  });
});

describe("endText", () => {
  const end = (code: number, reason = "", wasOpen = true) =>
    endText({ state: "closed", items: [], count: 0, startedAt: 0, wasOpen, end: { code, reason } });

  test("has the code, its meaning and the reason", () => {
    assert.deepEqual(
      [end(1000), end(4400, "/text: too long"), end(4001, "as you wish"), end(1006, "", false)],
      [
        "Closed with 1000, as it should.",
        "Closed with 4400, the schema of incoming messages rejected the message: /text: too long",
        "Closed with 4001: as you wish",
        "The handshake failed. A browser does not say why: its run in History does.",
      ],
    );
  });
});
