/**
 * The peer `@opentelemetry/api`, or a sentence when it is missing.
 *
 * Spec: spec/tracing.md
 */
import type * as OpenTelemetry from "@opentelemetry/api";
import { loadPeer } from "../internal/peers.ts";

/** The package. Its types are imported directly. */
export const api: typeof OpenTelemetry = await loadPeer(
  "framework/opentelemetry",
  "@opentelemetry/api",
  () => import("@opentelemetry/api"),
);
