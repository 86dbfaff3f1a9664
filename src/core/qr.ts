import encodeQr from 'qr'

/** Light modules that a reader needs around the code (ISO/IEC 18004 §6.3.8). */
const QUIET_MODULES = 4

/**
 * A QR code as a picture that needs no network: an SVG in a `data:` URL, black on white whatever the page around it.
 *
 * @param text at most 2,953 bytes of UTF-8, the most that a QR code holds.
 */
export function qrDataUrl(text: string): string {
  // On a screen nothing gets scratched, so room goes before error correction.
  const svg = encodeQr(text, 'svg', { ecc: 'low', border: QUIET_MODULES })
  const onWhite = svg.replace(
    '>',
    ' shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/>',
  )
  return `data:image/svg+xml;base64,${Buffer.from(onWhite).toString('base64')}`
}
