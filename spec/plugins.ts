/**
 * Panels: data that plugins show in devtools.
 *
 * Spec: spec/plugins.md
 */
import { Type } from "typebox";
import { ErrorInfo } from "./trace.ts";
import { Json } from "./values.ts";

/** How a panel's value is shown: an array of objects as rows, any value as a tree, nodes and edges as a drawing. */
export const PanelKind = Type.Union([Type.Literal("table"), Type.Literal("json"), Type.Literal("graph")]);

const info = {
  /** The name of the plugin. */ name: Type.String({ minLength: 1 }),
  title: Type.String(),
  kind: PanelKind,
};

/** One entry of the response of `…/api/panels`. */
export const PanelInfo = Type.Object(info);

/** The response of `…/api/panels`. */
export const PanelList = Type.Array(PanelInfo, { $id: "PanelList" });

/** A panel with its value at the time of the request. */
export const Panel = Type.Object(
  {
    ...info,
    /** Null on an error. */
    data: Json,
    /** The error of reading it. */
    error: Type.Union([ErrorInfo, Type.Null()]),
  },
  { $id: "Panel" },
);
