import { expect, test } from 'bun:test'
import { createKnownWords } from '../../../../src/features/discovery/search/known-words.ts'
import type { EmbeddedText } from '../../../../src/platform/embedder/embedder.ts'
import { testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'

/** A vector of 512 bytes, the text, and what an entry takes beside them. */
const ENTRY_BYTES = (text: string) => 512 + 2 * text.length + 256

/** Words whose inferences are listed, and end when the test says so or at once. */
function known({ bytesMax, isHeld = false }: { bytesMax?: number; isHeld?: boolean } = {}) {
  const inferred: string[] = []
  const open: PromiseWithResolvers<EmbeddedText>[] = []
  const model = { id: 'one', hash: '1'.repeat(64), dimension: 128 }
  const embedder = {
    model,
    async embedText(text: string, priority: string): Promise<EmbeddedText> {
      inferred.push(text)
      expect(priority).toBe('search')
      const answer = { vector: new Float32Array(128).fill(inferred.length), isTruncated: text === 'long' }
      if (!isHeld) return answer
      const held = Promise.withResolvers<EmbeddedText>()
      open.push(held)
      return held.promise
    },
  }
  const words = createKnownWords({ embedderOf: () => embedder, ...(bytesMax !== undefined && { bytesMax }) })
  return { words, embedder, inferred, open }
}

test('words that come again need no inference, and get the same answer', async () => {
  const { words, inferred } = known()
  const first = await words.embed('a', 'long')
  expect(await words.embed('a', 'long')).toBe(first)
  expect(first.isTruncated).toBe(true)
  expect(inferred).toEqual(['long'])
})

test.each(['Red mug', 'red  mug', 'red mug ', 'red mug\u0000'])(
  '"%s" is another text than "red mug"',
  async (text) => {
    const { words, inferred } = known()
    await words.embed('a', 'red mug')
    await words.embed('a', text)
    expect(inferred).toEqual(['red mug', text])
  },
)

test('names of objects are texts like all others', async () => {
  const { words, inferred } = known()
  for (const text of ['__proto__', 'constructor', '', '__proto__']) await words.embed('a', text)
  expect(inferred).toEqual(['__proto__', 'constructor', ''])
})

test('no store gains by the words of another, finished or running', async () => {
  const { words, inferred, open } = known({ isHeld: true })
  const both = [words.embed('a', 'mug'), words.embed('b', 'mug')]
  expect(inferred).toEqual(['mug', 'mug'])
  for (const { resolve } of open) resolve({ vector: new Float32Array(128), isTruncated: false })
  await Promise.all(both)
  void words.embed('c', 'mug')
  expect(inferred).toHaveLength(3)
})

test('searches for the same words at the same time share one inference', async () => {
  const { words, inferred, open } = known({ isHeld: true })
  const searches = Array.from({ length: 5 }, () => words.embed('a', 'mug'))
  expect(inferred).toEqual(['mug'])
  const answer = { vector: new Float32Array(128), isTruncated: false }
  open[0]?.resolve(answer)
  expect(await Promise.all(searches)).toEqual(Array.from({ length: 5 }, () => answer))
})

test('a failure reaches all who wait for it, and is not kept', async () => {
  const { words, inferred, open } = known({ isHeld: true })
  const searches = [words.embed('a', 'mug'), words.embed('a', 'mug')]
  open[0]?.reject(new Error('the model has failed'))
  const results = await Promise.allSettled(searches)
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(words.countBytes()).toBe(0)
  const again = words.embed('a', 'mug')
  expect(inferred).toEqual(['mug', 'mug'])
  open[1]?.resolve({ vector: new Float32Array(128), isTruncated: false })
  await again
})

test('what another model made of a text is never given out', async () => {
  const { words, embedder, inferred, open } = known({ isHeld: true })
  const before = words.embed('a', 'mug')
  embedder.model = { ...embedder.model, hash: '2'.repeat(64) }
  const after = words.embed('a', 'mug')
  expect(inferred).toHaveLength(2)
  const [old, fresh] = [1, 2].map((n) => ({ vector: new Float32Array(128).fill(n), isTruncated: false }))
  if (!old || !fresh) throw new Error('two answers were made')
  open[1]?.resolve(fresh)
  expect(await after).toBe(fresh)
  // The slow answer of the model before comes last and is kept last.
  open[0]?.resolve(old)
  expect(await before).toBe(old)
  void words.embed('a', 'mug')
  expect(inferred).toHaveLength(3)
})

test('the bytes of texts and vectors are counted, and the words not searched for longest go first', async () => {
  const bytesMax = 3 * ENTRY_BYTES('w1')
  const { words, inferred } = known({ bytesMax })
  for (const text of ['w1', 'w2', 'w3']) await words.embed('a', text)
  expect(words.countBytes()).toBe(bytesMax)
  await words.embed('a', 'w1')
  await words.embed('a', 'w4')
  expect(words.countBytes()).toBe(bytesMax)
  inferred.length = 0
  for (const text of ['w1', 'w3', 'w4']) await words.embed('a', text)
  expect(inferred).toEqual([])
  await words.embed('a', 'w2')
  expect(inferred).toEqual(['w2'])
})

test('a text that would take too much is searched with and not kept', async () => {
  const { words, inferred } = known()
  const text = 'x'.repeat(8_000)
  await words.embed('a', text)
  expect(words.countBytes()).toBe(0)
  await words.embed('a', text)
  expect(inferred).toHaveLength(2)
})

test('a flood of fresh words pushes out those of its own store', async () => {
  const { words, inferred } = known({ bytesMax: 10 * ENTRY_BYTES('w1') })
  for (const text of ['w1', 'w2', 'w3']) await words.embed('quiet', text)
  for (let n = 0; n < 500; n++) await words.embed('flood', `fresh words ${n}`)
  expect(words.countBytes()).toBeLessThanOrEqual(10 * ENTRY_BYTES('w1'))
  inferred.length = 0
  for (const text of ['w1', 'w2', 'w3']) await words.embed('quiet', text)
  expect(inferred).toEqual([])
})

test('a store that is forgotten leaves nothing behind, also not by an inference that was running', async () => {
  const { words, inferred, open } = known({ isHeld: true })
  const running = words.embed('a', 'mug')
  words.forgetStore('a')
  open[0]?.resolve({ vector: new Float32Array(128), isTruncated: false })
  await running
  expect(words.countBytes()).toBe(0)
  void words.embed('a', 'mug')
  expect(inferred).toHaveLength(2)
})

test('forgetting a store gives its bytes back', async () => {
  const { words } = known()
  await words.embed('a', 'w1')
  await words.embed('b', 'w1')
  words.forgetStore('a')
  expect(words.countBytes()).toBe(ENTRY_BYTES('w1'))
  words.forgetStore('nobody')
  expect(words.countBytes()).toBe(ENTRY_BYTES('w1'))
})

test('over HTTP: repeated words ask the model once, and new products are found all the same', async () => {
  const inferred: string[] = []
  const fake = fakeEmbedder()
  const embedText = (text: string) => {
    inferred.push(text)
    return fake.embedText(text, 'search')
  }
  const app = testApp({ embedder: { ...fake, embedText } })
  const token = await app.signIn()
  const search = async (query: string) =>
    (await app.call('POST', '/v1/search/text', { token, body: { query } })).body
  expect((await search('blorf'))['warnings']).toEqual(['unknown_words: blorf'])
  expect(await search(' 1 ')).toMatchObject({ count: 0 })
  const body = { product_id: 'p', image_url: app.picture('p', 1) }
  await app.call('POST', '/v1/products', { token, body })
  expect(await search('1')).toMatchObject({ count: 1, results: [{ product_id: 'p' }] })
  expect((await search('blorf'))['warnings']).toHaveLength(1)
  expect(inferred).toEqual(['blorf', '1'])
  app.forgetStore(app.stores.requireBySlug('one').id)
  await search('1')
  expect(inferred).toEqual(['blorf', '1', '1'])
  await app.close()
})
