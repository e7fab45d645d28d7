/**
 * The page's colours, in the one place where they are defined.
 *
 *   tokens.ts ──▶ tokensCss() ──▶ the build puts it before style.css
 *             └─▶ tokens.test.ts measures contrast and colour distance
 *
 * A method's colour is used for the path, the entry pill and badges; a stereotype's for the stripe and
 * thin outline of a node. The two codes never share a mark, and a name or icon always says the same thing.
 */

/** The two themes. */
export type Theme = "light" | "dark";

/** HTTP methods with a colour of their own; any other method takes the colour of `options`. */
export const methods = ["get", "post", "put", "delete", "patch", "query", "head", "options"] as const;

/** Stereotypes of a bean. */
export const stereotypes = ["controller", "service", "repository", "component", "bean"] as const;

/** Custom properties by theme: name without the leading dashes → colour. */
export const tokens: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  light: {
    page: "#f3f5fa",
    panel: "#ffffff",
    canvas: "#e9edf5",
    dot: "#d3dae8",
    line: "#d5dbe8",
    field: "#7d889e",
    edge: "#7d889e",
    text: "#161b26",
    muted: "#55607a",
    accent: "#1359e5",
    selected: "#e2ebff",
    error: "#8d101f",
    "error-soft": "#fde8e9",
    warn: "#905b00",
    "warn-soft": "#fff3dc",
    "on-colour": "#ffffff",
    string: "#0b6b45",
    number: "#8a4b00",
    literal: "#5c129f",
    key: "#1d4fae",
    "m-get": "#15784f",
    "m-post": "#1359e5",
    "m-put": "#905b00",
    "m-delete": "#8d101f",
    "m-patch": "#5c129f",
    "m-query": "#165666",
    "m-head": "#616a7d",
    "m-options": "#2b323c",
    "s-controller": "#2f5fb8",
    "s-service": "#1c7a5c",
    "s-repository": "#94560b",
    "s-component": "#6a1b8f",
    "s-bean": "#5a6376",
  },
  dark: {
    page: "#0c0f15",
    panel: "#141923",
    canvas: "#0f131b",
    dot: "#1f2734",
    line: "#2a3342",
    field: "#66728a",
    edge: "#66728a",
    text: "#e8ecf4",
    muted: "#98a3b8",
    accent: "#8fb9ff",
    selected: "#1d2a42",
    error: "#ff5c61",
    "error-soft": "#361820",
    warn: "#ffbf3f",
    "warn-soft": "#33270f",
    "on-colour": "#0b0e14",
    string: "#7fdcae",
    number: "#ffc46b",
    literal: "#c9a1ff",
    key: "#8fb9ff",
    "m-get": "#43de9a",
    "m-post": "#8fb9ff",
    "m-put": "#ffbf3f",
    "m-delete": "#ff5c61",
    "m-patch": "#b26cff",
    "m-query": "#26aab6",
    "m-head": "#888d95",
    "m-options": "#d5dbe6",
    "s-controller": "#6f98ee",
    "s-service": "#55c49a",
    "s-repository": "#e3a552",
    "s-component": "#e3b8ff",
    "s-bean": "#9aa5b8",
  },
};

/** The tokens as CSS custom properties, with the hooks `[data-method]` → `--m` and `[data-stereotype]` → `--s`. */
export function tokensCss(): string {
  const block = (theme: Theme): string =>
    Object.entries(tokens[theme])
      .map(([name, colour]) => `--${name}:${colour}`)
      .join(";");
  const hooks = [
    "[data-method]{--m:var(--m-options)}",
    ...methods.map((name) => `[data-method="${name.toUpperCase()}"]{--m:var(--m-${name})}`),
    ...stereotypes.map((name) => `[data-stereotype="${name}"]{--s:var(--s-${name})}`),
  ];
  return [
    `:root{color-scheme:light;${block("light")}}`,
    `[data-theme="dark"]{color-scheme:dark;${block("dark")}}`,
    ...hooks,
  ].join("\n");
}
