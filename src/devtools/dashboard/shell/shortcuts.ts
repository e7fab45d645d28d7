/**
 * Keys that work anywhere on the page. Single letters are off inside fields.
 */

import { store } from "../store/browser.ts";

/** Keys and what they do, as the help lists them. */
export const shortcuts: readonly (readonly [keys: string, does: string])[] = [
  ["Ctrl / ⌘ Enter", "send"],
  ["Ctrl / ⌘ K", "go to a route, bean or run"],
  ["/", "find a bean"],
  ["r  h", "requests, history"],
  ["g", "the graph; then arrows, Enter, Esc"],
  ["f  0", "in the graph: fit the route, fit everything"],
  ["+  −", "in the graph: zoom"],
  ["a  b  p  e", "in History: mark as A or B, pin, edit"],
  ["[  ]", "previous call, next call"],
  ["p", "replay the path"],
  ["o", "only reachable"],
  ["t", "theme"],
  ["?", "these keys"],
];

const letters: Readonly<Record<string, () => void>> = {
  "/": () => document.getElementById("find")?.focus(),
  r: () => (store.list.value = "requests"),
  h: () => (store.list.value = "history"),
  g: () => document.querySelector<HTMLElement>(".graph")?.focus(),
  p: () => store.replay(),
  "[": () => store.setStep((store.step.value ?? store.path.value?.steps.length ?? 0) - 1),
  "]": () => store.setStep((store.step.value ?? store.path.value?.steps.length ?? 0) + 1),
  o: () => store.setOnlyReachable(!store.focused.value),
  t: () => store.setTheme(store.theme.value === "dark" ? "light" : "dark"),
  "?": () => (store.dialog.value = "help"),
};

/** Listens until the returned function is called; also follows and writes the location's hash. */
export function listenForKeys(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key === "Enter") {
      event.preventDefault();
      void store.send();
    } else if (command && event.key.toLowerCase() === "k") {
      event.preventDefault();
      store.dialog.value = "palette";
    }
    const inField = event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null;
    const act = command || event.altKey || inField ? undefined : letters[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const onHash = (): void => {
    if (location.hash !== store.link.value) store.openLink(location.hash);
  };
  const writeHash = store.link.subscribe((hash) => {
    if (store.loaded.value && hash !== location.hash)
      history.replaceState(null, "", hash === "" ? location.pathname : hash);
  });
  addEventListener("keydown", onKey);
  addEventListener("hashchange", onHash);
  return () => {
    removeEventListener("keydown", onKey);
    removeEventListener("hashchange", onHash);
    writeHash();
  };
}
