/**
 * Small applications with the dashboard, in the test's own process, for features that the shop does not have.
 *
 *   startLab(beans, routes, options) ──▶ Devtools ──▶ 127.0.0.1, a free port ──▶ { origin, stop }
 */
import { Devtools, type DevtoolsOptions } from "@framework/devtools";
import { Beans, type BeansBuilder, Framework, type ResponseChecks } from "framework";

/** A running application. */
export interface Lab {
  readonly app: Framework;
  readonly beans: Beans;
  readonly devtools: Devtools;
  /** For example `http://localhost:41234`. */
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** The parts of a lab. Beans are optional. */
export interface LabPlan {
  readonly beans?: (builder: BeansBuilder) => BeansBuilder;
  readonly routes: (app: Framework) => void;
  readonly devtools?: DevtoolsOptions;
  readonly responseChecks?: ResponseChecks;
  /** The port; default: any free one. */
  readonly port?: number;
}

/** Starts an application. The caller stops it. */
export async function startLab(plan: LabPlan): Promise<Lab> {
  const devtools = Devtools.create({ name: "lab", ...plan.devtools });
  const builder = Beans.builder();
  const beans = (plan.beans?.(builder) ?? builder).instrument(devtools.recorder()).start();
  const app = Framework.create({
    host: "127.0.0.1",
    logger: { warn() {}, error() {} },
    ...(plan.responseChecks ? { responseChecks: plan.responseChecks } : {}),
  }).beans(beans);
  plan.routes(app);
  devtools.install(app, beans);
  await app.start(plan.port ?? 0);
  const stop = async (): Promise<void> => {
    await app.stop({ graceMs: 0 });
    await beans.close();
  };
  return { app, beans, devtools, origin: `http://localhost:${app.port}`, stop };
}
