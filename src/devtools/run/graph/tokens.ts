/**
 * The page's colours, which are only defined here.
 *
 *   tokens.ts ──▶ tokensCss() ──▶ the build puts it before style.css
 *             └─▶ tokens.test.ts measures contrast and colour distance
 *
 * A method's colour is used for the path, the entry pill and badges. A stereotype's colour is used for the stripe and thin
 * outline of a node. No mark has both, and a name or icon always says the same thing. Text never has a method's colour, because
 * amber that is readable as text on white would be brown.
 */

/** The two themes. */
export type Theme = "light" | "dark";

/** Where the page stores the chosen theme in localStorage. The boot script reads it too. */
export const THEME_KEY = "framework-dev.theme";

/** HTTP methods with their own colour, and the mark of a WebSocket. Any other method takes the colour of `options`. */
export const methods = ["get", "post", "put", "delete", "patch", "query", "head", "options", "ws"] as const;

/** Stereotypes of a bean. */
export const stereotypes = ["controller", "service", "repository", "component", "bean"] as const;

/** The token of each kind of leaf. An icon and a name always say the same. */
const kinds = { sql: "number", http: "key", cache: "string", message: "literal", span: "edge", log: "muted" } as const;

/** Custom properties by theme: name without the leading dashes → colour. */
export const tokens: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  light: {
    page: "#f3f5fa",
    panel: "#ffffff",
    canvas: "#f4f6fb",
    dot: "#d3dae8",
    line: "#d5dbe8",
    field: "#7d889e",
    edge: "#7d889e",
    text: "#161b26",
    muted: "#55607a",
    accent: "#1359e5",
    selected: "#e2ebff",
    error: "#b20162",
    "error-soft": "#fde8e9",
    warn: "#c08000",
    "warn-soft": "#fff3dc",
    "on-colour": "#ffffff",
    "on-put": "#1a1300",
    string: "#0b6b45",
    number: "#8a4b00",
    literal: "#5c129f",
    key: "#1d4fae",
    "m-get": "#126a20",
    "m-post": "#2048b1",
    "m-put": "#c08000",
    "m-delete": "#ca1f34",
    "m-patch": "#8f23fc",
    "m-query": "#007b8a",
    "m-head": "#5a6a71",
    "m-options": "#1a1a1c",
    "m-ws": "#6b6a00",
    "s-controller": "#566dac",
    "s-service": "#327562",
    "s-repository": "#8a2d02",
    "s-component": "#7b5571",
    "s-bean": "#383541",
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
    error: "#fa4b7d",
    "error-soft": "#361820",
    warn: "#f7a701",
    "warn-soft": "#33270f",
    "on-colour": "#0b0e14",
    string: "#7fdcae",
    number: "#ffc46b",
    literal: "#c9a1ff",
    key: "#8fb9ff",
    "m-get": "#36e27d",
    "m-post": "#77b7f4",
    "m-put": "#f7a701",
    "m-delete": "#fc3131",
    "m-patch": "#bc56fa",
    "m-query": "#2b95a6",
    "m-head": "#9c9da3",
    "m-options": "#dedeef",
    "m-ws": "#d9d64a",
    "s-controller": "#7375da",
    "s-service": "#539b67",
    "s-repository": "#d3813c",
    "s-component": "#c26da6",
    "s-bean": "#788386",
  },
};

/**
 * The tokens as CSS custom properties, with the hooks `[data-method]` → `--m`, `[data-stereotype]` → `--s` and, for a leaf,
 * `[data-kind]` → `--k`.
 */
export function tokensCss(): string {
  const block = (theme: Theme): string =>
    Object.entries(tokens[theme])
      .map(([name, colour]) => `--${name}:${colour}`)
      .join(";");
  const hooks = [
    "[data-method]{--m:var(--m-options);--on-m:var(--on-colour)}",
    ...methods.map((name) => `[data-method=${name.toUpperCase()}]{--m:var(--m-${name})}`),
    "[data-method=PUT]{--on-m:var(--on-put)}",
    ...stereotypes.map((name) => `[data-stereotype=${name}]{--s:var(--s-${name})}`),
    ...Object.entries(kinds).map(([name, token]) => `[data-kind=${name}]{--k:var(--${token})}`),
  ];
  return [
    `:root{color-scheme:light;${block("light")}}`,
    `[data-theme=dark]{color-scheme:dark;${block("dark")}}`,
    ...hooks,
  ].join("\n");
}
