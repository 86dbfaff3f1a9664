import sharp, { type Sharp } from 'sharp'

/** A drawn product: one picture for the catalogue, and another view of it to search with. */
export interface DrawnProduct {
  product_id: string
  name: string
  category: string
  color: string
  group: string
  /** On a plain ground, as shops show it. */
  shop: Uint8Array
  /** Turned, on another ground, with noise: as a phone takes it. */
  phone: Uint8Array
}

export const COLOURS: Readonly<Record<string, string>> = {
  red: '#c62630',
  blue: '#2a5fb4',
  green: '#2f8a4b',
  yellow: '#f0c02c',
  black: '#26262a',
  white: '#f1f0ec',
}

/** The shapes of a kind in a square of 200; `F` is the fill, `D` a darker tone. */
export const KINDS: Readonly<Record<string, string>> = {
  mug: '<path d="M45 50h90v95q0 15-15 15H60q-15 0-15-15z" fill="F"/><path d="M135 70q40 0 38 32t-38 30" fill="none" stroke="F" stroke-width="13"/><ellipse cx="90" cy="50" rx="45" ry="9" fill="D"/>',
  plate:
    '<ellipse cx="100" cy="105" rx="88" ry="60" fill="F"/><ellipse cx="100" cy="103" rx="56" ry="36" fill="none" stroke="D" stroke-width="4"/>',
  vase: '<path d="M80 25h40q-4 28 14 55 26 45-6 100H72q-32-55-6-100 18-27 14-55z" fill="F"/><ellipse cx="100" cy="25" rx="20" ry="5" fill="D"/>',
  bottle:
    '<path d="M88 15h24v42q22 14 22 38v85q0 10-10 10H76q-10 0-10-10V95q0-24 22-38z" fill="F"/><rect x="84" y="8" width="32" height="14" fill="D"/>',
  lamp: '<path d="M66 22h68l32 74H34z" fill="F"/><rect x="96" y="96" width="8" height="74" fill="D"/><ellipse cx="100" cy="176" rx="42" ry="10" fill="D"/>',
  chair:
    '<rect x="58" y="18" width="84" height="72" rx="6" fill="F"/><rect x="50" y="96" width="100" height="16" fill="F"/><path d="M58 112L50 188M142 112l8 76M82 112v60M118 112v60" stroke="D" stroke-width="9"/>',
  table:
    '<path d="M22 70h156l14 22H8z" fill="F"/><path d="M26 92v88M174 92v88M60 92v60M140 92v60" stroke="D" stroke-width="10"/>',
  sofa: '<rect x="26" y="56" width="148" height="62" rx="14" fill="F"/><rect x="10" y="84" width="34" height="66" rx="14" fill="F"/><rect x="156" y="84" width="34" height="66" rx="14" fill="F"/><rect x="38" y="108" width="124" height="40" rx="8" fill="D"/><path d="M30 150v16M170 150v16" stroke="#443" stroke-width="9"/>',
  bed: '<rect x="14" y="40" width="20" height="130" fill="D"/><rect x="30" y="100" width="156" height="46" rx="6" fill="F"/><rect x="38" y="82" width="50" height="24" rx="8" fill="#eee"/><path d="M180 146v24" stroke="D" stroke-width="12"/>',
  clock:
    '<circle cx="100" cy="100" r="80" fill="F"/><circle cx="100" cy="100" r="64" fill="#fbfaf6"/><path d="M100 100V52M100 100l34 20" stroke="D" stroke-width="6"/><path d="M100 42v8M100 150v8M42 100h8M150 100h8" stroke="D" stroke-width="5"/>',
  shirt:
    '<path d="M70 28L28 56l-16 54 30 8 10-30v94h96V88l10 30 30-8-16-54-42-28-14 12h-32z" fill="F"/><path d="M100 42v138" stroke="D" stroke-width="3"/><path d="M84 28l16 18 16-18" fill="none" stroke="D" stroke-width="6"/>',
  dress:
    '<path d="M78 18l-6 40 10 30-38 92h112l-38-92 10-30-6-40-14 18h-16z" fill="F"/><path d="M82 88h36" stroke="D" stroke-width="6"/>',
  trousers:
    '<path d="M60 14h80l14 172h-36L100 70 82 186H46z" fill="F"/><path d="M60 26h80" stroke="D" stroke-width="6"/>',
  skirt: '<path d="M66 30h68l38 130H28z" fill="F"/><path d="M66 40h68" stroke="D" stroke-width="8"/>',
  shoe: '<path d="M18 92q20-8 34-28 20 30 60 40 50 8 70 22 6 22-10 26H20q-10-30-2-60z" fill="F"/><path d="M16 148h166v12H18z" fill="D"/><path d="M62 82l18 14M78 90l16 12" stroke="#fff" stroke-width="4"/>',
  boot: '<path d="M66 14h52v94q50 12 62 40v24H66z" fill="F"/><path d="M62 166h120v16H62z" fill="D"/>',
  hat: '<path d="M54 112q0-70 46-70t46 70z" fill="F"/><ellipse cx="100" cy="116" rx="88" ry="20" fill="F"/><path d="M54 104q46 16 92 0" fill="none" stroke="D" stroke-width="9"/>',
  backpack:
    '<rect x="46" y="44" width="108" height="140" rx="34" fill="F"/><rect x="62" y="112" width="76" height="56" rx="10" fill="D"/><path d="M84 44q0-26 32 0" fill="none" stroke="D" stroke-width="9"/>',
  handbag:
    '<rect x="30" y="84" width="140" height="92" rx="14" fill="F"/><path d="M62 88q0-62 38-62t38 62" fill="none" stroke="D" stroke-width="10"/><circle cx="100" cy="110" r="7" fill="#d8b950"/>',
  umbrella:
    '<path d="M12 100q12-78 88-78t88 78q-22-16-44 0-22-16-44 0-22-16-44 0-22-16-44 0z" fill="F"/><path d="M100 90v78q0 18-20 14" fill="none" stroke="#444" stroke-width="7"/>',
  sunglasses:
    '<ellipse cx="56" cy="104" rx="40" ry="32" fill="F"/><ellipse cx="144" cy="104" rx="40" ry="32" fill="F"/><path d="M92 96q8-10 16 0M18 94L6 76M182 94l12-18" fill="none" stroke="D" stroke-width="8"/>',
  guitar:
    '<path d="M62 106q-40 14-30 50 16 34 54 20 22-8 26-34 30-10 26-34-10-22-36-16-12-10-40 14z" fill="F"/><circle cx="82" cy="136" r="15" fill="#222"/><path d="M96 122L176 30" stroke="D" stroke-width="11"/>',
  pillow:
    '<path d="M24 34q76 18 152 0-18 66 0 132-76-18-152 0 18-66 0-132z" fill="F"/><path d="M40 52q60 12 120 0M40 148q60-12 120 0" fill="none" stroke="D" stroke-width="4"/>',
  pot: '<path d="M34 70h132v74q0 24-24 24H58q-24 0-24-24z" fill="F"/><rect x="26" y="58" width="148" height="16" rx="6" fill="D"/><path d="M8 92h26M166 92h26" stroke="D" stroke-width="12"/><circle cx="100" cy="48" r="10" fill="D"/>',
}

/** Words that no model knows, as the names of products often are. */
const SYLLABLES = [
  'ka',
  'lo',
  'ven',
  'ri',
  'tas',
  'mu',
  'del',
  'nor',
  'fi',
  'sor',
  'pel',
  'ju',
  'bra',
  'hel',
  'oss',
  'tin',
]
const PATTERNS = ['plain', 'striped', 'dotted'] as const

/**
 * Draws a catalogue of known kinds, colours, patterns and names: one product for each kind and colour, the pattern in turn.
 *
 * The drawings are simpler than photographs, and the model has seen others like them: the figures say which of two ways to
 * rank is better, not how good a search of photographs is.
 */
export async function drawCatalogue(): Promise<DrawnProduct[]> {
  const products: Promise<DrawnProduct>[] = []
  for (const [kind, shapes] of Object.entries(KINDS)) {
    for (const [color, hex] of Object.entries(COLOURS)) {
      const n = products.length
      products.push(
        drawProduct({
          n,
          kind,
          shapes,
          color,
          hex,
          pattern: PATTERNS[(n + Math.floor(n / 6)) % PATTERNS.length] ?? 'plain',
        }),
      )
    }
  }
  return Promise.all(products)
}

interface Plan {
  n: number
  kind: string
  shapes: string
  color: string
  hex: string
  pattern: (typeof PATTERNS)[number]
}

async function drawProduct({ n, kind, shapes, color, hex, pattern }: Plan): Promise<DrawnProduct> {
  const word = makeWord(n)
  const turned = `transform="rotate(${((n * 37) % 21) - 10} 100 100) translate(14 16) scale(${0.8 + ((n * 13) % 10) / 100})"`
  const body = fill(shapes, hex, pattern)
  return {
    product_id: `drawn-${n}`,
    // As in shops, some names do not say what the product is.
    name: n % 3 === 1 ? word : `${word} ${kind}`,
    category: kind,
    color,
    group: `${kind}-${pattern}`,
    shop: await render('#ffffff', body),
    phone: await render(`hsl(${(n * 53) % 360} 18% 72%)`, `<g ${turned}>${body}</g>`, n),
  }
}

/** A name of three syllables; no two products have the same. */
export function makeWord(n: number): string {
  const size = SYLLABLES.length
  const parts = [n % size, (n * 5 + Math.floor(n / size)) % size, (n * 11 + 3) % size]
  const word = parts.map((at) => SYLLABLES[at]).join('')
  return `${word[0]?.toUpperCase()}${word.slice(1)}`
}

function fill(shapes: string, hex: string, pattern: Plan['pattern']): string {
  const line = hex === COLOURS['white'] ? '#8a8f98' : '#ffffff'
  const defs =
    pattern === 'striped'
      ? `<pattern id="p" width="16" height="16" patternUnits="userSpaceOnUse"><rect width="16" height="16" fill="${hex}"/><rect width="5" height="16" fill="${line}"/></pattern>`
      : pattern === 'dotted'
        ? `<pattern id="p" width="18" height="18" patternUnits="userSpaceOnUse"><rect width="18" height="18" fill="${hex}"/><circle cx="9" cy="9" r="3.5" fill="${line}"/></pattern>`
        : ''
  const paint = defs === '' ? hex : 'url(#p)'
  return `<defs>${defs}</defs>${shapes.replaceAll('"F"', `"${paint}"`).replaceAll('"D"', `"${darker(hex)}"`)}`
}

export function darker(hex: string): string {
  const channel = (at: number) => Math.round(Number.parseInt(hex.slice(at, at + 2), 16) * 0.62)
  return `rgb(${channel(1)} ${channel(3)} ${channel(5)})`
}

/** @param seed adds noise and the marks of a strong compression. */
async function render(ground: string, body: string, seed?: number): Promise<Uint8Array> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox="-10 -10 220 220"><rect x="-10" y="-10" width="220" height="220" fill="${ground}"/>${body}</svg>`
  const picture = sharp(Buffer.from(svg)).flatten({ background: '#ffffff' })
  if (seed === undefined) return new Uint8Array(await picture.jpeg({ quality: 90 }).toBuffer())
  return new Uint8Array(await (await withNoise(picture, seed)).toBuffer())
}

/** A picture with noise and the marks of a strong compression. */
export async function withNoise(picture: Sharp, seed: number): Promise<Sharp> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true })
  let state = seed * 2_654_435_761 + 1
  for (let at = 0; at < data.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    data[at] = Math.max(0, Math.min(255, (data[at] as number) + (state % 25) - 12))
  }
  const { width, height, channels } = info
  return sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 55 })
}
