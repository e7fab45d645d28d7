/** A digest of a text, as a name for it and not a secret: FNV-1a over 64 bits. */
export function digestOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at += 1)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return hash.toString(16);
}
