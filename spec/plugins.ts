/**
 * Panels: what plugins show of themselves in devtools.
 *
 * Spec: spec/plugins.md
 */
import { Type } from "typebox";
import { ErrorInfo } from "./trace.ts";
import { Json } from "./values.ts";

/** How the value of a panel is shown. */
export const PanelKind = Type.Union([Type.Literal("table"), Type.Literal("json"), Type.Literal("graph")]);

const info = { name: Type.String({ minLength: 1 }), title: Type.String(), kind: PanelKind };

/** One of the response of `…/api/panels`. */
export const PanelInfo = Type.Object(info);

/** The response of `…/api/panels`. */
export const PanelList = Type.Array(PanelInfo, { $id: "PanelList" });

/** The response of `…/api/panels/{name}`. */
export const Panel = Type.Object(
  { ...info, data: Json, error: Type.Union([ErrorInfo, Type.Null()]) },
  { $id: "Panel" },
);
