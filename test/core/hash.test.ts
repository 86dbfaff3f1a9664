import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { hashInTurns, sha256 } from '../../src/core/hash.ts'
import { STEP_BYTES } from '../../src/core/turns.ts'

const whole = (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex')

test.each([0, 1, STEP_BYTES, STEP_BYTES + 1, 3 * STEP_BYTES - 1])(
  'the hash of %i bytes is the same as in one go',
  async (length) => {
    const bytes = Buffer.alloc(length, 'abcdefg')
    expect((await sha256(bytes)).toString('hex')).toBe(whole(bytes))
  },
)

test('text counts by its UTF-8, also where a step ends', async () => {
  const hash = createHash('sha256')
  const text = 'aü€😀'.repeat(STEP_BYTES / 2)
  await hashInTurns(hash, text)
  expect(hash.digest('hex')).toBe(whole(text))
})
