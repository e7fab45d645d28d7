/**
 * Texts that run or become markup on a careless page: one line each, printable ASCII, so that they fit into headers too. Each
 * contains `hostile`, which the test looks for as a global, as an attribute, and as an id.
 */

/** Thirty of them. */
export const payloads: readonly string[] = [
  `<script>window.hostile=1</script>`,
  `"><script>window.hostile=1</script>`,
  `'><script>window.hostile=1</script>`,
  `</script><script>window.hostile=1</script>`,
  `</textarea><script>window.hostile=1</script>`,
  `</title><script>window.hostile=1</script>`,
  `</style><script>window.hostile=1</script>`,
  `--><script>window.hostile=1</script><!--`,
  `<img src=x data-hostile onerror=window.hostile=1>`,
  `"><img src=x data-hostile onerror=window.hostile=1>`,
  `<svg data-hostile onload=window.hostile=1>`,
  `</svg><svg data-hostile><script>window.hostile=1</script>`,
  `</text><foreignObject data-hostile><img src=x onerror=window.hostile=1></foreignObject>`,
  `<svg><animate data-hostile onbegin=window.hostile=1 attributeName=x dur=1s>`,
  `<math data-hostile><mtext><table><mglyph><style><img src=x onerror=window.hostile=1>`,
  `<iframe data-hostile srcdoc="<script>parent.hostile=1</script>">`,
  `<iframe data-hostile src=javascript:parent.hostile=1>`,
  `<object data-hostile data=javascript:window.hostile=1>`,
  `<embed data-hostile src=javascript:window.hostile=1>`,
  `<base data-hostile href=//hostile.test/>`,
  `<meta data-hostile http-equiv=refresh content=0;url=javascript:window.hostile=1>`,
  `<link data-hostile rel=stylesheet href=//hostile.test/x.css>`,
  `<a data-hostile href=javascript:window.hostile=1>x</a>`,
  `<form data-hostile action=//hostile.test/><button autofocus onfocus=window.hostile=1>`,
  `<details data-hostile open ontoggle=window.hostile=1>`,
  `<video data-hostile><source onerror=window.hostile=1></video>`,
  `" data-hostile onmouseover=window.hostile=1 autofocus onfocus=window.hostile=1 x="`,
  `javascript:window.hostile=1//<!--<script data-hostile>`,
  `\${window.hostile=1}#window.hostile=1;[constructor.constructor("window.hostile=1")()]`,
  `<template data-hostile shadowrootmode=open><script>window.hostile=1</script></template>`,
];
