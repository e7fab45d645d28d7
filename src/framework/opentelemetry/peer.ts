/**
 * The peer: `@opentelemetry/api`, whose absence is a sentence.
 *
 * Spec: spec/tracing.md
 */
import type * as OpenTelemetry from "@opentelemetry/api";
import { loadPeer } from "../internal/peers.ts";

/** The package. Its types are imported from itself. */
export const api: typeof OpenTelemetry = await loadPeer(
  "framework/opentelemetry",
  "@opentelemetry/api",
  () => import("@opentelemetry/api"),
);
