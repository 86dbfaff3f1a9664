import { expect, test } from 'bun:test'
import { isCommonPassword } from '../../src/core/common-passwords.ts'

test.each(['123456', 'password', 'qwertyuiop', '1q2w3e4r5t'])('%p is a common password', async (password) => {
  expect(await isCommonPassword(password)).toBe(true)
})

test.each(['', 'a long password', 'constructor-of-worlds', '__proto__'])('%p is none', async (password) => {
  expect(await isCommonPassword(password)).toBe(false)
})
