/** Webhooks, signed by the suite. Spec: webhooks.md (HOOK). */
import { createHmac } from "node:crypto";
import { Problem } from "../../spec/errors.ts";
import { SubjectId } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

/** The secrets of spec/subject.md, as they are in front of their prefix. */
const [first, second] = ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "c2VjcmV0IG9mIHRoZSBsYXN0IHJvdGF0aW9u"] as const;
const body = '{ "type": "order.paid" }';
const path = "/hooks/a";

function signature(id: string, seconds: string, content = body, secret: string = first): string {
  const key = Buffer.from(secret, "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${content}`).digest("base64")}`;
}

/** The headers of a webhook that was signed `late` seconds from now. */
function signed(
  id: string,
  { late = 0, secret = first }: { readonly late?: number; readonly secret?: string } = {},
): Record<string, string> {
  const seconds = String(Math.floor(Date.now() / 1_000) + late);
  return {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": signature(id, seconds, body, secret),
    "content-type": "application/json",
  };
}

const send = (probe: Probe, headers: Readonly<Record<string, string>>, content = body): Promise<HttpResponse> =>
  probe.send("POST", path, { headers, body: content });

function expectProblem(probe: Probe, what: string, response: HttpResponse, status: number): void {
  probe.equal(`the statuses with ${what}`, [response.status, probe.json(Problem, response).status], [status, status]);
}

/** The cases of this chapter. */
export const webhooks = [
  proves("HOOK-001", "a signature of either secret reaches the handler, among others too", async (probe) => {
    for (const secret of [first, second]) {
      const headers = signed(probe.token(), { secret });
      const others = `v1a,${headers["webhook-signature"]} v1,AAAA ${headers["webhook-signature"]}`;
      const response = await send(probe, { ...headers, "webhook-signature": others });
      probe.equal("the status", response.status, 201);
      probe.json(SubjectId, response);
    }
  }),

  proves("HOOK-002", "a signature of another secret, id, time or content is 401", async (probe) => {
    const id = probe.token();
    const headers = signed(id);
    const { "webhook-timestamp": seconds = "" } = headers;
    const wrong: Record<string, string> = {
      "another secret": signature(id, seconds, body, btoa("x".repeat(24))),
      "another id": signature(`${id}x`, seconds),
      "another time": signature(id, String(Number(seconds) - 1)),
      "another content": signature(id, seconds, JSON.stringify(JSON.parse(body))),
      "another kind": signature(id, seconds).replace("v1", "v2"),
      "no value": "v1,",
    };
    for (const [what, one] of Object.entries(wrong))
      expectProblem(probe, what, await send(probe, { ...headers, "webhook-signature": one }), 401);
  }),

  proves("HOOK-003", "a timestamp beyond five minutes is 401, and one within them is not", async (probe) => {
    for (const late of [-330, 330])
      expectProblem(probe, `${late} s`, await send(probe, signed(probe.token(), { late })), 401);
    for (const late of [-270, 270])
      probe.equal(`the status with ${late} s`, (await send(probe, signed(probe.token(), { late }))).status, 201);
  }),

  proves("HOOK-004", "a webhook without one of its headers, or with one that cannot be, is 400", async (probe) => {
    const headers = signed(probe.token());
    for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
      const rest = Object.fromEntries(Object.entries(headers).filter(([given]) => given !== name));
      expectProblem(probe, `no ${name}`, await send(probe, rest), 400);
    }
    const wrong: Record<string, Record<string, string>> = {
      "an id with a full stop": signed(`${probe.token()}.1`),
      "an id that is too long": signed("a".repeat(256)),
      "a word as timestamp": { ...headers, "webhook-timestamp": "now" },
      "signatures that are too long": { ...headers, "webhook-signature": "v1,AAAA ".repeat(600) },
    };
    for (const [what, one] of Object.entries(wrong)) expectProblem(probe, what, await send(probe, one), 400);
  }),

  proves("HOOK-005", "a webhook that is sent again, later, gets the response of the first", async (probe) => {
    const id = probe.token();
    const [one, again, other] = [
      await send(probe, signed(id)),
      await send(probe, signed(id, { late: 1 })),
      await send(probe, signed(probe.token())),
    ];
    probe.equal("the statuses", [one.status, again.status, other.status], [201, 201, 201]);
    const ids = [one, again, other].map((response) => probe.json(SubjectId, response).id);
    probe.equal("whether the ids are the same", [ids[0] === ids[1], ids[0] === ids[2]], [true, false]);
  }),
];
