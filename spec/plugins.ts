/**
 * Panels: what plugins show of themselves in devtools.
 *
 * Spec: spec/plugins.md
 */
import { Type } from "typebox";
import { ErrorInfo } from "./trace.ts";
import { Json } from "./values.ts";

/** How the value of a panel is shown: an array of objects as rows, anything as a tree, nodes and edges as a drawing. */
export const PanelKind = Type.Union([Type.Literal("table"), Type.Literal("json"), Type.Literal("graph")]);

const info = {
  /** The plugin's. */ name: Type.String({ minLength: 1 }), title: Type.String(), kind: PanelKind };

/** One of the response of `…/api/panels`. */
export const PanelInfo = Type.Object(info);

/** The response of `…/api/panels`. */
export const PanelList = Type.Array(PanelInfo, { $id: "PanelList" });

/** A panel with its value as it was when it was asked for. */
export const Panel = Type.Object(
  {
    ...info,
    /** Null on an error. */
    data: Json,
    /** What reading it threw. */
    error: Type.Union([ErrorInfo, Type.Null()]),
  },
  { $id: "Panel" },
);
