/**
 * The camera that the user moved, kept for this tab, so that a reload looks at the same place.
 */

import { isNumber, isRecord, isText } from "../../run/values.ts";
import { recall, remember } from "../page/storage.ts";
import { browserSlice } from "../store/browser.ts";
import type { Use } from "../store/slice.ts";
import { sceneSlice } from "./scene.ts";
import type { Camera } from "../../run/graph/geometry.ts";

const CAMERA_KEY = "framework-dev.camera";

interface StoredCamera extends Camera {
  readonly of: string;
}

const isStoredCamera = (value: unknown): value is StoredCamera =>
  isRecord(value) && isText(value["of"]) && ["x", "y", "scale"].every((part) => isNumber(value[part]));

/** The camera of the shown picture. */
export function cameraSlice(use: Use) {
  const { session } = use(browserSlice);
  const { routeId, traceId, live } = use(sceneSlice);
  const current = (): string => (live.value ? "live" : `${routeId.value ?? ""} ${traceId.value ?? ""}`);
  const stored = (): StoredCamera | null => recall<StoredCamera | null>(session, CAMERA_KEY, null, isStoredCamera);
  return {
    /** The last camera, if the user moved it for the present selection. */
    kept: (): Camera | null => {
      const last = stored();
      return last?.of === current() ? last : null;
    },
    keep: ({ x, y, scale }: Camera): void => remember(session, CAMERA_KEY, { of: current(), x, y, scale }),
    forget: (): void => remember(session, CAMERA_KEY, null),
  };
}
