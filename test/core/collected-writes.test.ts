import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { writeCollected } from '../../src/core/collected-writes.ts'

const KIB = 1024

async function write(sizes: readonly number[], bytesMax = Infinity) {
  const written: Uint8Array[] = []
  const sent: Uint8Array[] = []
  async function* pieces() {
    for (const [n, size] of sizes.entries()) {
      const piece = new Uint8Array(size).fill(n)
      sent.push(piece)
      yield piece
    }
  }
  const append = async (bytes: Uint8Array) => void written.push(bytes)
  const result = await writeCollected(pieces(), append, bytesMax, (max) => new Error(`more than ${max}`))
  return { ...result, written, sent: Buffer.concat(sent) }
}

describe('writing pieces as they arrive', () => {
  test('collects tiny ones and keeps their order', async () => {
    const { written, sent, sizeBytes, hash } = await write(Array(1_000).fill(KIB))
    expect(written.map(({ length }) => length / KIB)).toEqual([256, 256, 256, 232])
    expect(Buffer.concat(written).equals(sent)).toBe(true)
    expect([sizeBytes, hash]).toEqual([1_000 * KIB, createHash('sha256').update(sent).digest()])
  })

  test('writes a large one as it is, and nothing for none or for empty ones', async () => {
    expect((await write([300 * KIB])).written.map(({ length }) => length)).toEqual([300 * KIB])
    for (const sizes of [[], [0, 0]]) expect(await write(sizes)).toMatchObject({ written: [], sizeBytes: 0 })
  })

  test('ends with the piece that is one byte too many', async () => {
    expect((await write([10], 10)).sizeBytes).toBe(10)
    expect(write([10, 1], 10)).rejects.toThrow('more than 10')
  })
})
