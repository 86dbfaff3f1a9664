import sharp from 'sharp'
import { DRAWINGS } from './drawings.ts'

/** Draws a contact sheet of the demo pictures: `bun scripts/demo/sheet.ts OUT.png [part of a name …]`. */
const [out = 'sheet.png', ...wanted] = process.argv.slice(2)
const cell = 300
const names = Object.keys(DRAWINGS).filter(
  (name) => !wanted.length || wanted.some((part) => name.includes(part)),
)
const columns = Math.min(6, names.length)
const tiles = []
for (const [i, name] of names.entries()) {
  const started = performance.now()
  const svg = DRAWINGS[name]?.() ?? ''
  const drawn = performance.now()
  const input = await sharp(Buffer.from(svg), { unlimited: true }).resize(cell, cell).png().toBuffer()
  console.log(
    name,
    `${Math.round(drawn - started)} ms drawn, ${Math.round(performance.now() - drawn)} ms rendered, ${svg.length} bytes`,
  )
  tiles.push({ input, left: (i % columns) * cell, top: Math.floor(i / columns) * cell })
}
await sharp({
  create: {
    width: columns * cell,
    height: Math.ceil(names.length / columns) * cell,
    channels: 3,
    background: '#fff',
  },
})
  .composite(tiles)
  .png()
  .toFile(out)
