/**
 * The figures of the process as OpenTelemetry instruments, with the names, units and attributes of the semantic conventions,
 * as `@opentelemetry/instrumentation-runtime-node` has them.
 *
 * Spec: spec/metrics.md
 */
import type { BatchObservableResult, Meter, Observable } from "@opentelemetry/api";
import { DURATION_BOUNDARIES } from "../metrics/histogram.ts";
import { GC_DURATION } from "../metrics/runtime/runtime-families.ts";
import type { EventLoopDelay, HeapSpace, RuntimeMetrics, RuntimeSource } from "../metrics/runtime/runtime-metrics.ts";

type Observe = (result: BatchObservableResult, figures: RuntimeMetrics) => unknown;
/** An instrument, and how a reading is passed to it. */
type Instrument = readonly [Observable, Observe];

/** Makes the instruments, which read the source when they are collected. */
export function observeRuntime(meter: Meter, source: RuntimeSource): void {
  const instruments = [...ofEventLoop(meter), ...ofHeap(meter), ...ofProcess(meter)];
  meter.addBatchObservableCallback(
    (result) => {
      const figures = source.read();
      for (const [, observe] of instruments) observe(result, figures);
    },
    instruments.map(([instrument]) => instrument),
  );
  const pauses = meter.createHistogram("v8js.gc.duration", {
    description: GC_DURATION.help,
    unit: "s",
    advice: { explicitBucketBoundaries: [...DURATION_BOUNDARIES] },
  });
  source.onGarbageCollection((kind, seconds) => pauses.record(seconds, { "v8js.gc.type": kind }));
}

const delays: Readonly<Record<keyof EventLoopDelay, string>> = {
  min: "Event loop minimum delay.",
  max: "Event loop maximum delay.",
  mean: "Event loop mean delay.",
  stddev: "Event loop standard deviation delay.",
  p50: "Event loop 50 percentile delay.",
  p90: "Event loop 90 percentile delay.",
  p99: "Event loop 99 percentile delay.",
};

function ofEventLoop(meter: Meter): Instrument[] {
  const names = Object.keys(delays) as (keyof EventLoopDelay)[];
  const late = names.map((name): Instrument => {
    const gauge = meter.createObservableGauge(`nodejs.eventloop.delay.${name}`, {
      description: delays[name],
      unit: "s",
    });
    return [gauge, (result, { eventLoopDelaySeconds: delay }) => delay && result.observe(gauge, delay[name])];
  });
  const busy = meter.createObservableGauge("nodejs.eventloop.utilization", {
    description: "Event loop utilization",
    unit: "1",
  });
  const time = meter.createObservableCounter("nodejs.eventloop.time", {
    description: "Cumulative duration of time the event loop has been in each state.",
    unit: "s",
  });
  return [
    ...late,
    [busy, (result, { eventLoopUtilization: share }) => share !== undefined && result.observe(busy, share)],
    [
      time,
      (result, { eventLoopSeconds: seconds }) => {
        for (const state of ["active", "idle"] as const)
          if (seconds !== undefined) result.observe(time, seconds[state], { "nodejs.eventloop.state": state });
      },
    ],
  ];
}

function ofHeap(meter: Meter): Instrument[] {
  const unit = "By";
  const spaces: readonly (readonly [Observable, Exclude<keyof HeapSpace, "name">])[] = [
    [
      meter.createObservableUpDownCounter("v8js.memory.heap.space.size", {
        description: "Total heap memory size pre-allocated for a heap space.",
        unit,
      }),
      "size",
    ],
    [
      meter.createObservableGauge("v8js.memory.heap.used", { description: "Heap Memory size allocated.", unit }),
      "used",
    ],
    [
      meter.createObservableGauge("v8js.memory.heap.space.available_size", {
        description: "Heap space available size.",
        unit,
      }),
      "available",
    ],
    [
      meter.createObservableGauge("v8js.memory.heap.space.physical_size", {
        description: "Committed size of a heap space.",
        unit,
      }),
      "physical",
    ],
  ];
  return spaces.map(([instrument, figure]) => [
    instrument,
    (result, { heapSpaces }) => {
      for (const space of heapSpaces) result.observe(instrument, space[figure], { "v8js.heap.space.name": space.name });
    },
  ]);
}

function ofProcess(meter: Meter): Instrument[] {
  const cpu = meter.createObservableCounter("process.cpu.time", {
    description: "Total CPU seconds broken down by different states.",
    unit: "s",
  });
  const memory = meter.createObservableUpDownCounter("process.memory.usage", {
    description: "The amount of physical memory in use.",
    unit: "By",
  });
  const connections = meter.createObservableUpDownCounter("http.server.open_connections", {
    description: "Number of open connections of the HTTP server.",
    unit: "{connection}",
  });
  return [
    [
      cpu,
      (result, { cpuSeconds }) => {
        for (const mode of ["user", "system"] as const) result.observe(cpu, cpuSeconds[mode], { "cpu.mode": mode });
      },
    ],
    [memory, (result, { memoryBytes }) => result.observe(memory, memoryBytes.rss)],
    [connections, (result, { openConnections: open }) => open !== undefined && result.observe(connections, open)],
  ];
}
