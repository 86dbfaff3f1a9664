import { describe, expect, test } from 'bun:test'
import decodeQr from 'qr/decode.js'
import { drawQrCode } from '../../src/core/qr.ts'

const PREFIX = 'data:image/svg+xml;base64,'
const ADDRESS =
  'otpauth://totp/Lookalike:ann%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Lookalike'

const svgOf = (text: string) => {
  const url = drawQrCode(text)
  expect(url).toStartWith(PREFIX)
  return Buffer.from(url.slice(PREFIX.length), 'base64').toString()
}

/** Modules of a side, with the quiet zone. */
const sizeOf = (svg: string) => Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])

/**
 * The picture as a browser would show it on a page of that colour, RGB, some pixels a module. A process of its own,
 * because the picture decoder forbids SVG in this one.
 */
async function rendered(svg: string, page: string, pixels: number) {
  const size = sizeOf(svg) * pixels
  const code = `
    import sharp from 'sharp'
    const svg = Buffer.from(await Bun.stdin.arrayBuffer())
    const picture = sharp(svg).resize(${size}, ${size}, { kernel: 'nearest' }).flatten({ background: '${page}' })
    await Bun.write(Bun.stdout, await picture.removeAlpha().raw().toBuffer())`
  const child = Bun.spawn([process.execPath, '-e', code], {
    cwd: import.meta.dir,
    stdin: new Blob([svg]),
    stdout: 'pipe',
  })
  return { width: size, height: size, data: await new Response(child.stdout).bytes() }
}

describe('a QR code', () => {
  test.each(['white', 'black'])('is read back from a %s page', async (page) => {
    expect(decodeQr(await rendered(svgOf(ADDRESS), page, 6), { timeLimit: Infinity })).toBe(ADDRESS)
  })

  test('of the longest address that an account can have is read back', async () => {
    const longest = ADDRESS.replace('ann%40example.com', '%E4%BD%A0'.repeat(254))
    expect(decodeQr(await rendered(svgOf(longest), 'white', 6), { timeLimit: Infinity })).toBe(longest)
  })

  test('is black on white with four light modules around it', async () => {
    const svg = svgOf(ADDRESS)
    const { width, data } = await rendered(svg, 'black', 1)
    const lightness = (x: number, y: number) => data[(y * width + x) * 3]
    const all = Array.from({ length: width }, (_, n) => n)
    const isQuiet = (n: number) => n < 4 || n >= width - 4
    for (const x of all) {
      for (const y of all) {
        if (isQuiet(x) || isQuiet(y)) expect([x, y, lightness(x, y)]).toEqual([x, y, 255])
      }
    }
    // The corner of a finder pattern lies right behind it.
    expect(lightness(4, 4)).toBe(0)
    expect(new Set(data)).toEqual(new Set([0, 255]))
  })

  test('loads nothing and runs nothing', () => {
    expect(svgOf('"><script>alert(1)</script>')).toMatch(
      /^<svg [^<>]*><rect [^<>]*\/><path d="[\dMmHhVvZz -]+"\/><\/svg>$/,
    )
  })
})
