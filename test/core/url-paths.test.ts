import { expect, test } from 'bun:test'
import { cutEndSlashes } from '../../src/core/url-paths.ts'

test.each([
  ['', ''],
  ['/', ''],
  ['/a', '/a'],
  ['/a/b/', '/a/b'],
  ['//a//', '//a'],
])('the end of %p is %p', (path, cut) => expect(cutEndSlashes(path)).toBe(cut))
