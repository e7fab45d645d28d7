/** VitePress' own theme. The styles raise the contrast of small text and keep wide tables within the page. */
import theme from "vitepress/theme";
import "./contrast.css";

// oxlint-disable-next-line import/no-default-export -- VitePress reads the default export
export default theme;
