import sharp, { type Sharp } from 'sharp'

/** Shoppers' words, an accent, a text of one word, and a text that nearly fills the model's window. */
export const GOLDEN_TEXTS = [
  'red running shoes',
  'black leather sofa',
  'Blue Backpack',
  'table lamp',
  'café chair',
  'dress',
  '100% cotton t-shirt, white (size M)',
  'a long green winter coat with a hood and large pockets for women who like to walk in the rain, with wooden buttons',
]

interface Drawing {
  width: number
  height: number
  /** SVG elements. */
  shapes: string
}

const SHIRT: Drawing = {
  width: 240,
  height: 240,
  shapes: `<rect width="240" height="240" fill="#fff"/>
    <path d="M80 40 L40 70 L20 120 L55 135 L62 110 L62 210 L178 210 L178 110 L185 135 L220 120 L200 70 L160 40
      Q120 70 80 40 Z" fill="#c8202c" stroke="#7d1018" stroke-width="3"/>
    <path d="M62 130 H178 M62 150 H178" stroke="#f0e6e6" stroke-width="6"/>`,
}
const BAG: Drawing = {
  width: 180,
  height: 260,
  shapes: `<path d="M55 90 Q90 10 125 90" fill="none" stroke="#4a3020" stroke-width="10"/>
    <rect x="25" y="85" width="130" height="150" rx="14" fill="#2456a8"/>
    <rect x="50" y="140" width="80" height="60" rx="8" fill="#1b3f7a"/><circle cx="90" cy="160" r="6" fill="#e8c860"/>`,
}
const LAMP: Drawing = {
  width: 200,
  height: 280,
  shapes: `<rect width="200" height="280" fill="#e9e4da"/><path d="M60 30 H140 L175 130 H25 Z" fill="#f2b632"/>
    <rect x="95" y="130" width="10" height="110" fill="#555"/><ellipse cx="100" cy="246" rx="50" ry="14" fill="#333"/>`,
}
const CHAIR: Drawing = {
  width: 260,
  height: 200,
  shapes: `<rect width="260" height="200" fill="#d8ecf4"/><rect x="80" y="20" width="90" height="80" rx="8" fill="#8a5a2b"/>
    <rect x="70" y="100" width="120" height="18" fill="#a06a35"/>
    <path d="M78 118 L70 190 M182 118 L190 190 M110 118 V180 M150 118 V180" stroke="#5e3c1a" stroke-width="9"/>`,
}

const draw = ({ width, height, shapes }: Drawing): Sharp =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`,
    ),
  )

/** Draws at another size; the shapes keep their proportions. */
const enlarge = ({ width, height, shapes }: Drawing, toWidth: number, toHeight: number): Sharp =>
  draw({
    width: toWidth,
    height: toHeight,
    shapes: `<svg width="${toWidth}" height="${toHeight}" viewBox="0 0 ${width} ${height}">${shapes}</svg>`,
  }).flatten({ background: '#ffffff' })

/** Draws a picture for every format and trait that the decoder must treat; all but the largest take a few kilobytes. */
export async function drawGoldenPictures(): Promise<{ name: string; bytes: Uint8Array }[]> {
  const onWhite = (drawing: Drawing) => draw(drawing).flatten({ background: '#ffffff' })
  // Rotated, with the EXIF mark that tells viewers to rotate it back.
  const sideways = sharp(await onWhite(BAG).rotate(270).png().toBuffer()).withMetadata({ orientation: 6 })
  const frames = await Promise.all(
    [LAMP, SHIRT].map((drawing) => onWhite(drawing).resize(160, 160).png().toBuffer()),
  )
  const pictures: [string, Sharp][] = [
    ['shirt.png', onWhite(SHIRT).png({ palette: true })],
    ['lamp.jpg', onWhite(LAMP).jpeg({ quality: 85 })],
    ['chair.webp', onWhite(CHAIR).webp({ quality: 80 })],
    ['bag.avif', onWhite(BAG).avif({ quality: 60 })],
    ['bag-exif-rotated.jpg', sideways.jpeg({ quality: 85 })],
    ['bag-transparent.png', draw(BAG).png({ palette: false })],
    ['shirt-16-bit.png', onWhite(SHIRT).toColourspace('rgb16').png()],
    ['shirt-grey.jpg', onWhite(SHIRT).greyscale().jpeg({ quality: 85 })],
    ['bag-cmyk.jpg', onWhite(BAG).resize(120).toColourspace('cmyk').jpeg({ quality: 80 })],
    // As cameras and phones send them: much larger than what the model sees.
    ['chair-1-megapixel.jpg', enlarge(CHAIR, 1_154, 888).jpeg({ quality: 70 })],
    ['lamp-12-megapixels.jpg', enlarge(LAMP, 2_928, 4_099).jpeg({ quality: 50, chromaSubsampling: '4:2:0' })],
    ['lamp-then-shirt.gif', sharp(frames, { join: { animated: true } }).gif()],
  ]
  return Promise.all(
    pictures.map(async ([name, picture]) => ({ name, bytes: new Uint8Array(await picture.toBuffer()) })),
  )
}
