import sharp from 'sharp'
import { COLOURS, darker, KINDS, makeWord, withNoise } from '../../../src/commands/model-proof/drawn.ts'
import type { LabelledPicture, LabelledSet } from './sets.ts'
import { MORE_KINDS } from './shapes.ts'

/*
 * A street of shops: the catalogue of several that sell the same kinds. A product has two to four views, which are entries of
 * their own and share its name, as in shops whose feeds have a line for each picture. One more view and a phone picture of each
 * product are searched with, so the picture that is searched with never lies in the catalogue.
 *
 * Views are hard on purpose: a detail of a red mug looks more like a detail of a red vase than like the mug. A quarter of the kinds
 * has one product with one or two views.
 */

const PATTERNS = ['plain', 'striped', 'dotted', 'checked'] as const
const EMBLEMS = [
  '',
  '<circle cx="100" cy="110" r="13" fill="E"/>',
  '<path d="M100 92l6 13 14 1-11 9 4 14-13-8-13 8 4-14-11-9 14-1z" fill="E"/>',
  '<rect x="84" y="106" width="32" height="10" fill="E"/>',
]
const HUES = Object.keys(COLOURS)
const SHAPES = Object.entries({ ...KINDS, ...MORE_KINDS })
/** Every fourth kind is rare. */
const RARE = 4

interface Product extends Omit<LabelledPicture, 'bytes' | 'product_id'> {
  body: string
  /** Differs between products. */
  seed: number
}

export async function readStreetSet(): Promise<LabelledSet> {
  const products = SHAPES.flatMap(([kind, shapes], n) => planKind(kind, shapes, n))
  const catalogue: Promise<LabelledPicture>[] = []
  const queries: Promise<LabelledPicture>[] = []
  const views: Promise<LabelledPicture>[] = []
  for (const product of products) {
    const { body, seed, ...labels } = product
    const isRare = labels.article.startsWith('rare')
    // The view that is searched with; the first one, on a plain ground, stays in the catalogue.
    const held = 1 + (seed % (VIEWS.length - 1))
    const count = isRare ? 1 + (seed % 2) : 2 + (seed % 3)
    const kept = VIEWS.map((_, view) => view).filter((view) => view !== held)
    for (const view of kept.slice(0, count))
      catalogue.push(show(labels, `${labels.article}-${view}`, () => drawView(product, view)))
    views.push(show(labels, `${labels.article}-held`, () => drawView(product, held)))
    queries.push(show(labels, `${labels.article}-phone`, () => drawPhone(product)))
  }
  return {
    name: 'street',
    ...{ catalogue: await Promise.all(catalogue), queries: await Promise.all(queries) },
    views: await Promise.all(views),
  }
}

const show = async (
  labels: Omit<LabelledPicture, 'bytes' | 'product_id'>,
  product_id: string,
  draw: () => Promise<Uint8Array>,
): Promise<LabelledPicture> => ({ ...labels, product_id, bytes: await draw() })

/** The products of a kind: one to three designs, each in one or two colours. */
function planKind(kind: string, shapes: string, n: number): Product[] {
  const isRare = n % RARE === RARE - 1
  const products: Product[] = []
  for (let design = 0; design < (isRare ? 1 : 2 + (n % 2)); design++) {
    const seed = 31 * n + 7 * design
    const pattern = PATTERNS[(n + design) % PATTERNS.length] as Pattern
    const group = `${isRare ? 'rare-' : ''}${kind}-${design}`
    for (let variant = 0; variant < (isRare ? 1 : 1 + ((n + design) % 2)); variant++) {
      const color = HUES[(seed + 2 * variant) % HUES.length] as string
      products.push({
        ...{ category: kind, color, group, article: `${group}-${color}` },
        name: `${makeWord(seed)} ${kind}`,
        seed: seed + variant,
        body: paint(shapes, { seed, pattern, hex: shadeOf(COLOURS[color] as string, seed + variant) }),
      })
    }
  }
  return products
}

type Pattern = (typeof PATTERNS)[number]

/** A shade of a colour: shops call many of them by one name. */
function shadeOf(hex: string, seed: number): string {
  const shift = ((seed * 29) % 41) - 20
  const channel = (at: number, n: number) =>
    Math.max(0, Math.min(255, Number.parseInt(hex.slice(at, at + 2), 16) + shift - ((seed * n) % 13)))
      .toString(16)
      .padStart(2, '0')
  return `#${channel(1, 3)}${channel(3, 5)}${channel(5, 7)}`
}

/** The shapes of a design: proportions, a pattern, an emblem and the colour of the details. */
function paint(
  shapes: string,
  { seed, pattern, hex }: { seed: number; pattern: Pattern; hex: string },
): string {
  const line =
    Number.parseInt(hex.slice(1, 3), 16) > 200 && Number.parseInt(hex.slice(5), 16) > 180
      ? '#7c8290'
      : '#ffffff'
  const size = 14 + (seed % 8)
  const marks: Record<Pattern, string> = {
    plain: '',
    striped: `<rect width="${size / 3}" height="${size}" fill="${line}"/>`,
    dotted: `<circle cx="${size / 2}" cy="${size / 2}" r="${size / 5}" fill="${line}"/>`,
    checked: `<path d="M0 0h${size / 2}v${size / 2}H0z M${size / 2} ${size / 2}h${size / 2}v${size / 2}h-${size / 2}z" fill="${darker(hex)}"/>`,
  }
  const id = `p${seed}`
  const tile = `<defs><pattern id="${id}" width="${size}" height="${size}" patternUnits="userSpaceOnUse"><rect width="${size}" height="${size}" fill="${hex}"/>${marks[pattern]}</pattern></defs>`
  const detail = seed % 3 === 0 ? '#8a6a48' : seed % 3 === 1 ? '#4a4e57' : darker(hex)
  const emblem = (EMBLEMS[seed % EMBLEMS.length] as string).replaceAll('"E"', `"${detail}"`)
  const filled = shapes
    .replaceAll('"F"', pattern === 'plain' ? `"${hex}"` : `"url(#${id})"`)
    .replaceAll('"D"', `"${detail}"`)
  const [wide, high] = [0.78 + ((seed * 17) % 30) / 100, 0.78 + ((seed * 23) % 30) / 100]
  return `${tile}<g transform="translate(100 100) scale(${wide} ${high}) translate(-100 -100)">${filled}${emblem}</g>`
}

/** How a view shows the body of a product. */
const VIEWS: readonly ((product: Product) => string)[] = [
  ({ body }) => `${ground('#ffffff')}${body}`,
  ({ body, seed }) =>
    `${ground('#eceae6')}<g transform="rotate(${seed % 2 ? 16 : -14} 100 100) translate(26 6) skewX(-12) scale(0.72 0.9)">${body}</g>`,
  ({ body, seed }) =>
    `${ground('#ffffff')}<g transform="translate(${-30 - ((seed * 11) % 70)} ${-40 - ((seed * 7) % 60)}) scale(2.1)">${body}</g>`,
  ({ body, seed }) =>
    `${ground(`hsl(${(seed * 67) % 360} 22% 82%)`)}<path d="M-10 140h220v70H-10z" fill="hsl(${(seed * 41) % 360} 20% 58%)"/>${prop(seed)}<g transform="translate(${20 + ((seed * 13) % 60)} 70) scale(0.56)">${body}</g>`,
  ({ body, seed }) =>
    `${ground(`hsl(${(seed * 31) % 360} 30% 70%)`)}<g transform="translate(200 20) scale(-0.85 0.85)">${body}</g>`,
]

const ground = (colour: string) => `<rect x="-10" y="-10" width="220" height="220" fill="${colour}"/>`

/** Something of another kind that stands in the background. */
function prop(seed: number): string {
  const [, shapes] = SHAPES[(seed * 19 + 5) % SHAPES.length] as [string, string]
  const grey = `hsl(${(seed * 29) % 360} 12% 46%)`
  return `<g transform="translate(${seed % 2 ? 120 : 4} 16) scale(0.38)">${shapes.replaceAll('"F"', `"${grey}"`).replaceAll('"D"', '"#666"')}</g>`
}

const drawView = (product: Product, view: number): Promise<Uint8Array> =>
  render((VIEWS[view] as (product: Product) => string)(product))

function drawPhone({ body, seed }: Product): Promise<Uint8Array> {
  const turned = `rotate(${((seed * 37) % 21) - 10} 100 100) translate(14 16) scale(${0.76 + ((seed * 13) % 10) / 100})`
  return render(`${ground(`hsl(${(seed * 53) % 360} 18% 68%)`)}<g transform="${turned}">${body}</g>`, seed)
}

/** @param seed of the noise; none without. */
async function render(body: string, seed?: number): Promise<Uint8Array> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox="-10 -10 220 220">${body}</svg>`
  const picture = sharp(Buffer.from(svg)).flatten({ background: '#ffffff' })
  const drawn = seed === undefined ? picture.jpeg({ quality: 88 }) : await withNoise(picture, seed)
  return new Uint8Array(await drawn.toBuffer())
}
