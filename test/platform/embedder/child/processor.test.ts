import { expect, test } from 'bun:test'
import { overflowsFast } from '../../../../src/platform/embedder/child/processor.ts'

const flags = (...names: string[]) =>
  `processor\t: 0\nflags\t\t: fpu ${names.join(' ')} sse4_2\nbugs\t\t: avx512_vnni\n`

test('the exact multiplication is taken on x86-64 without VNNI, and where nothing is known', () => {
  expect(overflowsFast(flags('avx2', 'fma'), 'x64')).toBe(true)
  expect(overflowsFast('', 'x64')).toBe(true)
  expect(overflowsFast(flags('avx2', 'avx512f', 'avx512_vnni'), 'x64')).toBe(false)
  expect(overflowsFast(flags('avx2', 'avx_vnni'), 'x64')).toBe(false)
  expect(overflowsFast('', 'arm64')).toBe(false)
})
