/**
 * The legibility of the page, measured in the browser: heights of names, cut texts, lines that run under beans.
 */
import type { Page } from "@playwright/test";

/** A bean of the path and the heights of its texts on the screen, in pixels, or 0 for a missing text. */
export interface PathText {
  readonly id: string;
  readonly name: number;
  readonly time: number;
  /** Is the whole box within the graph? */
  readonly inSight: boolean;
  /** Does its time overlap its name? */
  readonly overlaps: boolean;
}

/** The beans of the drawn path. */
export const pathTexts = (page: Page): Promise<PathText[]> =>
  page.locator(".graph").evaluate((graph) => {
    const view = graph.getBoundingClientRect();
    const height = (text: SVGGraphicsElement | null): number => {
      if (text === null || getComputedStyle(text).display === "none" || text.textContent === "") return 0;
      return parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM()?.d ?? 0);
    };
    return [...graph.querySelectorAll('[data-bean][data-state="path"]')].map((node) => {
      const box = node.querySelector(".box")?.getBoundingClientRect() ?? new DOMRect();
      const [name, time] = [".name", ".time"].map(
        (part) => node.querySelector(part)?.getBoundingClientRect() ?? new DOMRect(),
      );
      return {
        // A line of text is higher than its letters, by less than a third.
        overlaps: name !== undefined && time !== undefined && name.bottom - time.top > time.height / 3,
        id: node.getAttribute("data-bean") ?? "",
        name: height(node.querySelector(".name")),
        time: height(node.querySelector(".time")),
        inSight:
          box.left >= view.left - 1 &&
          box.right <= view.right + 1 &&
          box.top >= view.top - 1 &&
          box.bottom <= view.bottom + 1,
      };
    });
  });

/** Texts of these elements that do not fit into their visible area. */
export const cutTexts = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).evaluateAll((all) =>
    all.flatMap((one) => {
      const range = document.createRange();
      const word = [...one.childNodes].find((node) => node.nodeType === Node.TEXT_NODE) ?? one;
      range.selectNodeContents(word.nodeType === Node.TEXT_NODE ? word : one);
      const text = range.getBoundingClientRect();
      let clip: Element | null = one;
      while (clip !== null) {
        const style = getComputedStyle(clip);
        const box = clip.getBoundingClientRect();
        const isClipping = style.overflowX === "hidden" || style.overflowX === "clip";
        if (isClipping && (text.left < box.left - 1 || text.right > box.right + 1)) return [one.textContent];
        clip = clip.parentElement;
      }
      return [];
    }),
  );

/** The runs of the dotted or dashed elements in the graph, each once; `none` for an element of no run. */
export const dashed = (page: Page): Promise<string[]> =>
  page
    .locator(".graph :is(path, rect)")
    .evaluateAll((all) => [
      ...new Set(
        all
          .filter((one) => getComputedStyle(one).strokeDasharray !== "none" && one.closest("defs") === null)
          .map((one) => one.closest("[data-side]")?.getAttribute("data-side") ?? `none: ${one.outerHTML.slice(0, 90)}`),
      ),
    ]);

/** Lines of calls that run under a bean other than their own two. */
export const behindBeans = (page: Page): Promise<string[]> =>
  page.locator(".graph [data-run]").evaluateAll((lines) => {
    const boxes = [...document.querySelectorAll(".graph [data-bean]")].map((node) => ({
      id: node.getAttribute("data-bean") ?? "",
      box: node.querySelector(".box")?.getBoundingClientRect() ?? new DOMRect(),
    }));
    return (lines as SVGPathElement[]).flatMap((line) => {
      const ends = (line.dataset["run"] ?? "").split(">");
      const matrix = line.getScreenCTM();
      const length = line.getTotalLength();
      const points = Array.from({ length: 200 }, (_, i) =>
        line.getPointAtLength((length * i) / 199).matrixTransform(matrix ?? new DOMMatrix()),
      );
      return boxes
        .filter(({ id }) => !ends.includes(id))
        .filter(({ box }) => points.some(({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom))
        .map(({ id }) => `${ends.join(">")} behind ${id}`);
    });
  });
