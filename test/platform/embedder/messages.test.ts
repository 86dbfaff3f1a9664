import { expect, test } from 'bun:test'
import { readReply, readRequest } from '../../../src/platform/embedder/messages.ts'

const facts = {
  width: 1,
  height: 1,
  contentType: 'image/png',
  phash: '0',
  palette: [{ hex: '#fff', share: 1 }],
  object: null,
}
const box = { x: 0, y: 0, width: 1, height: 1 }
const UNKNOWN = 'A message between the processes has an unknown form'

test('messages between the processes are taken as they are', () => {
  const request = { kind: 'embed', id: 1, priority: 'index', pixelsMax: 4 }
  expect(readRequest(request)).toBe(request as never)
  expect(readRequest({ kind: 'ping' })).toEqual({ kind: 'ping' })
  const reply = { kind: 'embedded', id: 1, facts }
  expect(readReply(reply)).toBe(reply as never)
  const crop = { ...box, unit: 'relative', padding: 0.1 }
  const rich = { ...request, crop, preview: true, regions: true, thumbnail: 192, isOnlySeen: true }
  expect(readRequest(rich)).toBe(rich as never)
  const seen = { ...facts, object: box, regions: [{ box, score: 1 }] }
  const answer = { ...reply, facts: seen, crop: box, thumbnailBytes: 9, previewBytes: 512 * 1024 }
  expect(readReply(answer)).toBe(answer as never)
  for (const each of [{ kind: 'pong' }, { kind: 'begun', id: 2 }, { kind: 'failed', reason: 'no model' }])
    expect(readReply(each)).toEqual(each as never)
})

test('a process that hostile bytes took over can send nothing else', () => {
  const more = { ...facts, script: 'x' }
  const colour = { ...facts, palette: [{ hex: '#fff', share: 1, script: 'x' }] }
  for (const reply of [
    ...[undefined, null, 1, 'pong', [], {}, { kind: 'other' }, { kind: 'pong', script: 'x' }],
    ...[{ kind: 'embedded', id: 1.5 }, { kind: 'embedded', id: '1' }, { kind: 'embedded' }],
    ...[more, colour, { ...facts, width: '1' }].map((each) => ({ kind: 'embedded', id: 1, facts: each })),
    ...[
      { ...facts, object: undefined },
      { ...facts, object: { ...box, script: 'x' } },
      { ...facts, object: { ...box, x: null } },
      { ...facts, regions: Array(6).fill({ box, score: 1 }) },
      { ...facts, regions: [{ box, score: 1, script: 'x' }] },
    ].map((each) => ({ kind: 'embedded', id: 1, facts: each })),
    ...[{ crop: { ...box, script: 'x' } }, { previewBytes: 512 * 1024 + 1 }, { previewBytes: -1 }].map(
      (each) => ({ kind: 'embedded', id: 1, facts, ...each }),
    ),
    { kind: 'refused', id: 1, code: 'unauthorized', message: '', details: {} },
  ])
    expect(() => readReply(reply)).toThrow(UNKNOWN)
  const request = { kind: 'embed', id: 1, priority: 'search', pixelsMax: 4 }
  for (const wrong of [
    { priority: 'first' },
    { crop: { ...box, unit: 'inch' } },
    { crop: { ...box, unit: 'pixel', x: Number.POSITIVE_INFINITY } },
    { preview: 1 },
  ])
    expect(() => readRequest({ ...request, ...wrong })).toThrow(UNKNOWN)
})
