import { appendFileSync, existsSync } from 'node:fs'
import { createStdioChannel, toBytes } from '../../../src/platform/embedder/child/channel.ts'

/**
 * A process that speaks the embedder's language and does what its "pictures" say, in the folder that `FAKE_DIR` names:
 *
 * - `fine <name>`: answers at once; `wait <name>`: begins, and answers when a file `<name>` exists;
 * - `die <name>`: begins and ends the process; `mute <name>`: never begins; `shy <name>`: begins when a file `<name>` exists;
 * - `babble <name>`: begins, and sends a reply that is none;
 * - `deaf <name>`: begins, and from then on the process hears nothing;
 * - `last <name>`: answers at once, and from then on the process hears nothing;
 * - `<pixels> <command> <name>`: the same, as a picture of so many pixels.
 *
 * Each name is written into the file `begun` when the work on it begins. While a file `broken` exists, no process comes
 * up; while a file `closed` exists, it is still on its way.
 */
const dir = process.env['FAKE_DIR'] ?? '.'
const channel = createStdioChannel()
if (existsSync(`${dir}/broken`)) {
  channel.send({ kind: 'failed', reason: 'it is broken' })
  process.exit(1)
}
while (existsSync(`${dir}/closed`)) await Bun.sleep(2)
channel.send({ kind: 'ready', readyMs: 1, worstCosine: null })

function hearNothing(): never {
  for (;;) Bun.sleepSync(1_000)
}

await channel.read(async ({ id, pixelsMax }, body) => {
  const words = new TextDecoder().decode(body).split(' ')
  const pixels = /^\d+$/.test(words[0] ?? '') ? Number(words.shift()) : 0
  const [command, name = ''] = words
  if (pixels > pixelsMax) {
    channel.send({ kind: 'large', id, pixels })
    return
  }
  if (command === 'mute') return
  while (command === 'shy' && !existsSync(`${dir}/${name}`)) await Bun.sleep(2)
  appendFileSync(`${dir}/begun`, `${name}\n`)
  channel.send({ kind: 'begun', id })
  if (command === 'die') process.exit(9)
  if (command === 'babble') channel.send({ kind: 'large', id, pixels: 0.5 })
  if (command === 'deaf') hearNothing()
  while (command === 'wait' && !existsSync(`${dir}/${name}`)) await Bun.sleep(2)
  channel.send({ kind: 'embedded', id }, toBytes(new Float32Array(512).fill(0.1)))
  // A turn of the loop of events sends the answer.
  if (command === 'last') setImmediate(hearNothing)
})
