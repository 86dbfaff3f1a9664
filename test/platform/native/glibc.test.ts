import { expect, test } from 'bun:test'
import { explainOldGlibc } from '../../../src/platform/native/glibc.ts'

test('a library that the C library of the system is too old for says which one is needed', () => {
  const said =
    "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.33' not found (required by /data/unpacked/database.node)"
  expect(explainOldGlibc(said)).toMatch(
    /^Lookalike needs glibc 2\.34 or newer, and the one of this system is older/,
  )
  // The C++ library has versions of its own.
  expect(explainOldGlibc("libstdc++.so.6: version `GLIBCXX_3.4.30' not found")).toBeUndefined()
  expect(explainOldGlibc('file too short')).toBeUndefined()
})
