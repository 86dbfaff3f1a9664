import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureSecret } from '../../src/platform/secret-file.ts'

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lookalike-secret-'))
  path = join(dir, 'secrets', 'jwt')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const SOURCE = join(import.meta.dir, '../../src/platform/secret-file.ts')
const make = (secret: string) => () => ({ secret, uniqueName: secret })

describe('ensureSecret', () => {
  test('is made on first use, readable by the owner alone, and the same ever after', () => {
    expect(ensureSecret(path, make('first'))).toBe('first')
    expect(ensureSecret(path, make('second'))).toBe('first')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, 'secrets')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(dir, 'secrets'))).toEqual(['jwt'])
  })

  test('one that an operator wrote is taken without its line end', () => {
    ensureSecret(path, make('x'))
    writeFileSync(path, 'theirs\n')
    expect(ensureSecret(path, make('ours'))).toBe('theirs')
  })

  test('whoever is faster wins: the slower one gets the same secret', () => {
    const slow = ensureSecret(path, () => {
      expect(ensureSecret(path, make('fast'))).toBe('fast')
      return make('slow')()
    })
    expect(slow).toBe('fast')
    expect(readdirSync(join(dir, 'secrets'))).toEqual(['jwt'])
  })

  test('eight processes at once get the same secret', async () => {
    const children = Array.from({ length: 8 }, (_, n) => {
      const script = `
        import { ensureSecret } from ${JSON.stringify(SOURCE)}
        console.log(ensureSecret(${JSON.stringify(path)}, () => ({ secret: 'made by ${n}', uniqueName: '${n}' })))`
      return Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
    })
    const secrets = await Promise.all(children.map(({ stdout }) => new Response(stdout).text()))
    expect(secrets[0]).toStartWith('made by ')
    expect(new Set(secrets).size).toBe(1)
    expect(readdirSync(join(dir, 'secrets'))).toEqual(['jwt'])
  })

  test.each(['', '\n'])('an empty file is refused: %j would be a secret that everybody knows', (content) => {
    ensureSecret(path, make('x'))
    writeFileSync(path, content)
    expect(() => ensureSecret(path, make('new'))).toThrow('is empty')
  })

  test('a file that cannot be written leaves nothing behind', () => {
    ensureSecret(path, make('x'))
    rmSync(path)
    writeFileSync(`${path}.taken`, '')
    expect(() => ensureSecret(path, make('taken'))).toThrow('EEXIST')
    expect(readdirSync(join(dir, 'secrets'))).toEqual(['jwt.taken'])
    chmodSync(join(dir, 'secrets'), 0o700)
  })
})
