/**
 * Hands a file to the browser's downloads. Nothing leaves the machine.
 */

/** Saves text, or a canvas's bytes, under a name. */
export function saveFile(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser holds the data after the click was handled; this delay is more than enough.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * A picture in SVG as a PNG, `scale` pixels for each of its own.
 *
 * @throws Error when the browser cannot draw it, for example because it is too large
 */
export async function toPng(svg: string, width: number, height: number, scale: number): Promise<Blob> {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const fit = Math.min(scale, MAX_PIXELS / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * fit));
  canvas.height = Math.max(1, Math.round(height * fit));
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("The picture is too large for a PNG; save it as SVG.");
  return blob;
}

/** The longest side that browsers draw reliably. */
const MAX_PIXELS = 8_192;
