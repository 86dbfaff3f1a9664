import { describe, expect, test } from 'bun:test'
import { findPasswordProblem } from '../../src/core/password-rule.ts'

const OWNER = { email: 'anna.smith@shop.test', storeName: 'Häuser & Gärten' }

const codeOf = async (password: string) => (await findPasswordProblem(password, OWNER))?.code

describe('a good password', () => {
  test.each([
    'a long password',
    'correct horse',
    'correct horse battery staple',
    '日本語のパスワードです',
    '🦊🦊🐻🐻🐼🐼🐨🐨🐯🦁',
    'anna.smith1987',
    'my anna.smith@shop.test',
    'x'.repeat(900) + 'y'.repeat(124),
    ' with spaces around ',
  ])('%p', async (password) => {
    expect(await codeOf(password)).toBeUndefined()
  })
})

describe('10 to 1024 characters, counted as people see them', () => {
  test.each([
    ['', 'min_length'],
    ['ninechars', 'min_length'],
    // Nine foxes are 18 UTF-16 units.
    ['🦊🐻🐼🐨🐯🦁🐮🐷🐸', 'min_length'],
    // An e with its accent behind it is one letter.
    ['e\u0301pe\u0301es\u00e9es9', 'min_length'],
    [`${'🦊🐻'.repeat(512)}🐼`, 'max_length'],
    ['xy'.repeat(513), 'max_length'],
  ])('%p: %s', async (password, code) => {
    expect(await codeOf(password)).toBe(code)
  })

  test('the ends are inside', async () => {
    expect(await codeOf('tencharsok')).toBeUndefined()
    expect(await codeOf(`${'wxyz'.repeat(255)}abcd`)).toBeUndefined()
  })
})

describe('a password that is tried first', () => {
  test.each([
    ['qwertyuiop', 'common'],
    ['1234567890', 'common'],
    ['Password123', 'common'],
    ['ＰＡＳＳＷＯＲＤ１２３', 'common'],
    ['passwordpassword', 'common'],
    ['QwErTyQwErTyQwErTy', 'common'],
    ['aaaaaaaaaaaa', 'repeated'],
    ['123123123123', 'repeated'],
    ['🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊', 'repeated'],
    ['anna.smith', 'personal'],
    ['Anna Smith', 'personal'],
    ['anna.smith@shop.test', 'personal'],
    ['ANNASMITHANNASMITH', 'personal'],
    ['anna-smith-anna-smith', 'personal'],
    ['Hauser Garten', 'personal'],
    ['häuser&gärten', 'personal'],
  ])('%p: %s', async (password, code) => {
    expect(await codeOf(password)).toBe(code)
  })
})

test('a problem names the field and never repeats the password', async () => {
  const problem = await findPasswordProblem('Password123', OWNER, '/new_password')
  expect(problem).toMatchObject({ in: 'body', pointer: '/new_password', code: 'common' })
  expect(JSON.stringify(problem)).not.toContain('Password123')
})
