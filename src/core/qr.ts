import encodeQr from 'qr'

/** Width of the quiet zone around the code (ISO/IEC 18004 §6.3.8). */
const QUIET_MODULES = 4

/**
 * Draws a QR code as an SVG in a `data:` URL. It is black on white on any page.
 *
 * @param text at most 2,953 bytes of UTF-8, the capacity of a QR code.
 */
export function drawQrCode(text: string): string {
  // A screen does not get scratched, so capacity matters more than error correction.
  const svg = encodeQr(text, 'svg', { ecc: 'low', border: QUIET_MODULES })
  const onWhite = svg.replace(
    '>',
    ' shape-rendering="crispEdges"><rect width="100%" height="100%" fill="#fff"/>',
  )
  return `data:image/svg+xml;base64,${Buffer.from(onWhite).toString('base64')}`
}
