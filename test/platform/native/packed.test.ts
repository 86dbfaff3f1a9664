import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { BLOCK_BYTES } from '../../../src/platform/native/file-hash.ts'
import { packBytes, unpackBlocks } from '../../../src/platform/native/packed.ts'

test.each([0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES])(
  '%i bytes come back as they were, in blocks of 1 MiB',
  async (length) => {
    for (const bytes of [randomBytes(length), Buffer.alloc(length, 'ab')]) {
      const blocks = [...unpackBlocks(await packBytes(bytes))]
      expect(Buffer.concat(blocks).equals(bytes)).toBe(true)
      expect(blocks.slice(0, -1).every((block) => block.length === BLOCK_BYTES)).toBe(true)
      expect(blocks.length).toBe(Math.ceil(length / BLOCK_BYTES))
    }
  },
)

test('what repeats itself becomes small', async () => {
  expect((await packBytes(Buffer.alloc(5 * BLOCK_BYTES, 'library'))).length).toBeLessThan(5_000)
})

test('what takes several frames comes back as it was', async () => {
  const bytes = Buffer.alloc(16 * BLOCK_BYTES + 1, 'library')
  const blocks = [...unpackBlocks(await packBytes(bytes))]
  expect(Buffer.concat(blocks).equals(bytes)).toBe(true)
  expect(blocks.map(({ length }) => length)).toEqual([...Array<number>(16).fill(BLOCK_BYTES), 1])
})
