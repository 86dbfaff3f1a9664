import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodeHead, type Frame, FrameReader } from '../../../src/platform/embedder/ipc-frames.ts'

test('whatever pieces the pipe makes of them, frames arrive whole and in order', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ head: fc.dictionary(fc.string(), fc.string()), body: fc.uint8Array({ maxLength: 300 }) }),
      ),
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
      (sent, cuts) => {
        const stream = Buffer.concat(sent.flatMap(({ head, body }) => [encodeHead(head, body.length), body]))
        const received: Frame[] = []
        const reader = new FrameReader(300, (frame) => received.push(frame))
        for (let at = 0, i = 0; at < stream.length; i++) {
          const length = cuts[i % cuts.length] ?? 1
          reader.push(stream.subarray(at, at + length))
          at += length
        }
        expect(reader.isPartial).toBe(false)
        expect(received.map(({ head, body }) => [head, [...body]])).toEqual(
          sent.map(({ head, body }) => [head, [...body]]),
        )
      },
    ),
  )
})

test('a frame that claims to be longer than allowed is refused before memory is taken for it', () => {
  const reader = new FrameReader(1000, () => undefined)
  expect(() => reader.push(encodeHead({ id: 1 }, 1001))).toThrow('impossible length')
})

test('a reader knows whether a frame has only begun', () => {
  const reader = new FrameReader(1000, () => undefined)
  reader.push(encodeHead({ id: 1 }, 3))
  expect(reader.isPartial).toBe(true)
  reader.push(new Uint8Array(3))
  expect(reader.isPartial).toBe(false)
})
