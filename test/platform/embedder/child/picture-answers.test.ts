import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Channel } from '../../../../src/platform/embedder/child/channel.ts'
import type { DecodedPicture } from '../../../../src/platform/embedder/child/decoder.ts'
import { answerPictures } from '../../../../src/platform/embedder/child/picture-answers.ts'
import type { EmbedReply, EmbedRequest } from '../../../../src/platform/embedder/messages.ts'
import { SMALL_PIXELS } from '../../../../src/platform/embedder/picture-size.ts'

const SEARCH = 1
const INDEX = 2

let now: number
let batches: number[][]
let answered: number[]
/** Ends the inference under way; undefined while none is. */
let endInference: (() => void) | undefined
let ask: (priority: EmbedRequest['priority'], hasObject?: boolean) => void
let close: () => void
let done: Promise<void>

beforeEach(() => {
  now = 0
  batches = []
  answered = []
  endInference = undefined
  const end = Promise.withResolvers<void>()
  close = end.resolve
  let id = 0
  const channel: Channel = {
    send(reply: EmbedReply) {
      if (reply.kind === 'embedded') answered.push(reply.id)
    },
    hasPartialRequest: () => false,
    read(onRequest) {
      ask = (priority, hasObject = false) => {
        const kind = priority === 'search' ? SEARCH : INDEX
        const body = Uint8Array.of(kind, hasObject ? 1 : 0)
        onRequest({ kind: 'embed', id: id++, priority, pixelsMax: SMALL_PIXELS }, body)
      }
      return end.promise
    },
  }
  const decode = async ([kind, hasObject]: Uint8Array) => {
    const tensor = Float32Array.of(kind ?? 0)
    return { tensor, ...(hasObject && { objectTensor: tensor }) } as DecodedPicture
  }
  const embed = async (pictures: readonly DecodedPicture[]) => {
    batches.push(pictures.map(({ tensor }) => tensor[0] ?? 0))
    await new Promise<void>((resolve) => (endInference = resolve))
    return pictures.map(() => new Float32Array(1))
  }
  done = answerPictures({ decode, embed, channel, decodersMax: 2, monotonic: () => now })
})
afterEach(async () => {
  close()
  await done
})

/** Lets so many inferences run to their end. */
async function run(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    while (!endInference) await new Promise(setImmediate)
    const end = endInference
    endInference = undefined
    end()
  }
  while (answered.length < batches.flat().length) await new Promise(setImmediate)
}

test('pictures to index go through the model in pairs, with their objects counted', async () => {
  for (let n = 0; n < 4; n++) ask('index')
  await run(1)
  await run(1)
  expect(batches.slice(0, 2).map((batch) => batch.length)).toEqual([2, 2])
  ask('index', true)
  ask('index', true)
  await run(2)
  expect(batches.slice(2)).toEqual([[INDEX], [INDEX]])
})

test('a search goes first, and for five seconds pictures to index go one by one', async () => {
  for (let n = 0; n < 4; n++) ask('index')
  while (!endInference) await new Promise(setImmediate)
  ask('search')
  await run(4)
  expect(batches).toEqual([[INDEX, INDEX], [SEARCH], [INDEX], [INDEX]])
  now = 4_999
  for (let n = 0; n < 2; n++) ask('index')
  await run(2)
  now = 5_000
  for (let n = 0; n < 2; n++) ask('index')
  await run(1)
  expect(batches.slice(4)).toEqual([[INDEX], [INDEX], [INDEX, INDEX]])
})

test('a constant stream of searches leaves indexing one inference in seventeen', async () => {
  for (let n = 0; n < 120; n++) ask('search')
  for (let n = 0; n < 3; n++) ask('index')
  await run(51)
  const places = batches.flatMap(([kind], n) => (kind === INDEX ? [n] : []))
  expect(places).toHaveLength(3)
  for (const [n, place] of places.entries()) expect(place - (places[n - 1] ?? -1)).toBeLessThanOrEqual(17)
  await run(12)
})
