/**
 * Icons as paths, which are the same on screen and in the exported picture.
 */

/** 16 × 16 paths, stroked. */
export const ICONS = {
  controller: "M2 8h8M6.5 4.5 10 8l-3.5 3.5M13 3v10",
  /** A circle with rays, used as a cogwheel and as the sun. */
  service:
    "M8 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.5 3.5l1 1M11.5 11.5l1 1M3.5 12.5l1-1M11.5 4.5l1-1",
  repository: "M3 4a5 2 0 0 0 10 0 5 2 0 0 0-10 0v8a5 2 0 0 0 10 0V4M3 8a5 2 0 0 0 10 0",
  component: "M8 2l5 3v6l-5 3-5-3V5zM3 5l5 3 5-3M8 8v6",
  bean: "M8 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6",
  unrecorded: "M2 8s2-4 6-4 6 4 6 4-2 4-6 4-6-4-6-4M3 13 13 3",
  moon: "M13 10A6 6 0 0 1 6 3a6 6 0 1 0 7 7",
  help: "M6 6a2 2 0 1 1 3 2c-1 .5-1 1-1 2M8 12v.2",
  pin: "M6 2h4v4l2 3H4l2-3zM8 9v5",
  close: "M4 4l8 8M12 4l-8 8",
  file: "M4 2h5l4 4v8H4zM9 2v4h4",
  save: "M8 2v8M5 7l3 3 3-3M3 13h10",
  swap: "M3 5h9M9 2l3 3-3 3M13 11H4M7 8l-3 3 3 3",
  play: "M5 3l8 5-8 5z",
  pause: "M5.5 3v10M10.5 3v10",
  replay: "M3 8a5 5 0 1 0 2-4M3 2v3h3",
  back: "M10 3 5 8l5 5",
  forward: "M6 3l5 5-5 5",
  sql: "M3 3h10v10H3zM3 6h10M7 6v7",
  http: "M8 2a6 6 0 1 0 0 12 6 6 0 1 0 0-12M2 8h12M8 2c-4 4-4 8 0 12 4-4 4-8 0-12",
  cache: "M9 2 4 9h4l-1 5 5-7H8z",
  log: "M3 4h10M3 8h7M3 12h9",
  message: "M2 4h12v8H2zM2 4l6 5 6-5",
  span: "M3 5v6M13 5v6M3 8h10",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof ICONS;
