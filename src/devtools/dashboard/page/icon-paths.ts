/**
 * Icons as paths: on screen and in the exported picture they are the same.
 */

/** 16 × 16 paths, stroked. */
export const ICONS = {
  controller: "M2.5 8h7M6.5 4.5 10 8l-3.5 3.5M13 3v10",
  /** A circle with rays: a cogwheel, and the sun as well. */
  service:
    "M8 5A3 3 0 1 0 8 11 3 3 0 1 0 8 5M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.5 3.5l1 1M11.5 11.5l1 1M3.5 12.5l1-1M11.5 4.5l1-1",
  repository:
    "M3 4.2C3 2.9 5.2 2 8 2s5 .9 5 2.2-2.2 2.2-5 2.2-5-.9-5-2.2v7.6C3 13.1 5.2 14 8 14s5-.9 5-2.2V4.2M3 8c0 1.3 2.2 2.2 5 2.2S13 9.3 13 8",
  component: "M8 2l5.2 3v6L8 14l-5.2-3V5zM2.8 5 8 8l5.2-3M8 8v6",
  bean: "M8 4.6A3.4 3.4 0 1 0 8 11.4 3.4 3.4 0 1 0 8 4.6",
  unrecorded: "M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4M3 13 13 3",
  moon: "M13.5 9.8A6 6 0 0 1 6.2 2.5 6 6 0 1 0 13.5 9.8",
  help: "M5.6 6a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.9M8 12.4v.2",
  pin: "M6 2h4l-.5 4.5L12 9H4l2.5-2.5zM8 9v5",
  close: "M4 4l8 8M12 4l-8 8",
  file: "M4 2h5.5L13 5.5V14H4zM9.5 2v3.5H13",
  save: "M8 2v7.5M4.8 6.5 8 9.7l3.2-3.2M3 13.5h10",
  swap: "M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13",
  replay: "M3.5 8a4.5 4.5 0 1 0 1.6-3.4M3 2.5v3h3",
  back: "M10 3 5 8l5 5",
  forward: "M6 3l5 5-5 5",
  sql: "M3 3.5h10v9H3zM3 6.5h10M6.5 6.5v6",
  http: "M8 2a6 6 0 1 0 0 12A6 6 0 1 0 8 2M2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12",
  cache: "M9 2 4 9h3.5L7 14l5-7H8.5z",
  log: "M3 4h10M3 8h7M3 12h9",
  message: "M2.5 4h11v8h-11zM2.5 4.5 8 9l5.5-4.5",
  span: "M3 5v6M13 5v6M3 8h10",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof ICONS;
