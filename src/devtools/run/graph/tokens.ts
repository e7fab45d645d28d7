/**
 * The page's colours, which are only defined here.
 *
 *   tokens.ts ──▶ tokensCss() ──▶ the build puts it before style.css
 *             └─▶ tokens.test.ts measures contrast and colour distance
 *
 * A method's colour is used for the path, the entry pill and badges. A stereotype's colour is used for the stripe and thin
 * outline of a node. The accent is ink: selection, focus and Send have no method's colour. No mark has both, and a name or icon always says the same thing. Text never has a method's colour, because
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

/** The colours of a custom property, by its name without the leading dashes: in light, and in dark. */
const colours: Readonly<Record<string, readonly [light: string, dark?: string]>> = {
  page: ["#f5f6f8", "#0b0d11"],
  panel: ["#ffffff", "#13161c"],
  canvas: ["#fafbfc", "#0f1217"],
  dot: ["#e4e7ec", "#1d222b"],
  line: ["#e4e7ec", "#232833"],
  field: ["#7f8795", "#6d788b"],
  edge: ["#8a92a1", "#5f697b"],
  text: ["#14171d", "#e8ebf1"],
  muted: ["#596170", "#98a1b1"],
  accent: ["#1f2430", "#eceff5"],
  selected: ["#e9ecf1", "#202631"],
  error: ["#b20162", "#fa4b7d"],
  "error-soft": ["#fde8e9", "#361820"],
  warn: ["#c08000", "#f7a701"],
  "warn-soft": ["#fff3dc", "#33270f"],
  "on-accent": ["#ffffff", "#14171d"],
  "on-colour": ["#ffffff", "#0b0e14"],
  "on-put": ["#1a1300"],
  string: ["#0b6b45", "#7fdcae"],
  number: ["#8a4b00", "#ffc46b"],
  literal: ["#5c129f", "#c9a1ff"],
  key: ["#1d4fae", "#8fb9ff"],
  "m-get": ["#126a20", "#36e27d"],
  "m-post": ["#2048b1", "#77b7f4"],
  "m-put": ["#c08000", "#f7a701"],
  "m-delete": ["#ca1f34", "#fc3131"],
  "m-patch": ["#8f23fc", "#bc56fa"],
  "m-query": ["#007b8a", "#2b95a6"],
  "m-head": ["#5a6a71", "#9c9da3"],
  "m-options": ["#1a1a1c", "#dedeef"],
  "m-ws": ["#6b6a00", "#d9d64a"],
  "s-controller": ["#566dac", "#7375da"],
  "s-service": ["#327562", "#539b67"],
  "s-repository": ["#8a2d02", "#d3813c"],
  "s-component": ["#7b5571", "#c26da6"],
  "s-bean": ["#383541", "#788386"],
};

const coloursOf = (theme: 0 | 1): Record<string, string> =>
  Object.fromEntries(
    Object.entries(colours).flatMap(([name, { [theme]: colour }]) => (colour ? [[name, colour]] : [])),
  );

/** Custom properties by theme: name without the leading dashes → colour. Pure, so that the page's script does without them. */
export const tokens: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  light: /* @__PURE__ */ coloursOf(0),
  dark: /* @__PURE__ */ coloursOf(1),
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
    // Paper is light.
    `@media not print{[data-theme=dark]{color-scheme:dark;${block("dark")}}}`,
    ...hooks,
  ].join("\n");
}
