/**
 * Where the user has moved the camera to: kept for this tab, so that a reload looks at the same place.
 */

import { isNumber, isRecord, isText } from "../page/guards.ts";
import { recall, remember } from "../page/storage.ts";
import { browserSlice } from "../store/browser.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import type { Camera } from "../../run/graph/geometry.ts";

const CAMERA_KEY = "framework-dev.camera";

/** A camera, and what it looked at. */
interface StoredCamera extends Camera {
  readonly of: string;
}

const isStoredCamera = (value: unknown): value is StoredCamera =>
  isRecord(value) && isText(value["of"]) && ["x", "y", "scale"].every((part) => isNumber(value[part]));

/** The camera of the picture that is shown. */
export function cameraSlice(use: Use) {
  const { session } = use(browserSlice);
  const { routeId, traceId } = use(selectionSlice);
  const current = (): string => `${routeId.value ?? ""} ${traceId.value ?? ""}`;
  const stored = (): StoredCamera | null => recall<StoredCamera | null>(session, CAMERA_KEY, null, isStoredCamera);
  return {
    /** Where the camera was left, if it was left by hand at what is selected now. */
    kept: (): Camera | null => {
      const last = stored();
      return last?.of === current() ? last : null;
    },
    keep: ({ x, y, scale }: Camera): void => remember(session, CAMERA_KEY, { of: current(), x, y, scale }),
    forget: (): void => remember(session, CAMERA_KEY, null),
  };
}
