/**
 * Controls: the endpoints under `/__subject` that the suite reads and sets, separate from the app under test.
 *
 *   request ──▶ /__subject/…? ──▶ handled here
 *                  │ no
 *                  ▼
 *               devtools ──▶ request id ──▶ log ──▶ metrics ──▶ … (app.ts)
 *
 * They are installed by `wrap`, before devtools. So no middleware and no trace sees them, and they are not in the list of
 * routes. Reading evidence therefore creates none.
 *
 * Spec: spec/subject.md
 */
import {
  BadRequestError,
  type Context,
  MethodNotAllowedError,
  type MiddlewareFunction,
  NotFoundError,
  UnprocessableContentError,
} from "framework";
import { checkModes } from "../../spec/subject.ts";
import type { CheckMode } from "./checks.ts";

/** The parts that the controls change and read. */
export interface Controlled {
  about(): object;
  evidence(): object;
  reset(): void;
  /** Returns false if there is no such check. */
  setCheck(name: string, mode: CheckMode): boolean;
}

interface Control {
  readonly method: string;
  readonly path: RegExp;
  respond(ctx: Context, name: string): unknown;
}

/** The middleware that serves the controls. */
export function controlsOf(controlled: Controlled): MiddlewareFunction {
  const controls = controlTable(controlled);
  return function serveControls(ctx, next) {
    if (!/^\/__subject(?:\/|$)/.test(ctx.path)) return next();
    const here = controls.filter(({ path }) => path.test(ctx.path));
    if (here.length === 0) throw new NotFoundError("no such control");
    const control = here.find(({ method }) => method === ctx.method);
    if (control === undefined) throw new MethodNotAllowedError(here.map(({ method }) => method).join(", "));
    return control.respond(ctx, control.path.exec(ctx.path)?.[1] ?? "");
  };
}

function controlTable({ about, evidence, reset, setCheck }: Controlled): readonly Control[] {
  return [
    { method: "GET", path: /^\/__subject\/about$/, respond: (ctx) => ctx.json(about()) },
    { method: "GET", path: /^\/__subject\/evidence$/, respond: (ctx) => ctx.json(evidence()) },
    {
      method: "POST",
      path: /^\/__subject\/reset$/,
      respond: (ctx) => {
        reset();
        ctx.status(204);
      },
    },
    {
      method: "PUT",
      path: /^\/__subject\/checks\/([^/]+)$/,
      respond: async (ctx, name) => {
        if (!setCheck(name, await modeIn(ctx))) throw new NotFoundError(`no check called ${name}`);
        ctx.status(204);
      },
    },
  ];
}

/** The mode in the body, for any declared media type. */
async function modeIn(ctx: Context): Promise<CheckMode> {
  const asked = jsonOf(await ctx.bodyAsString());
  const mode = checkModes.find((known) => known === asked);
  if (mode === undefined)
    throw new UnprocessableContentError([{ path: [], message: `one of ${checkModes.join(", ")} is allowed` }]);
  return mode;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BadRequestError("the body is not JSON", { cause });
  }
}
