import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ENV, PROGRAM } from './program.ts'

const SECRET = 'a secret of more than 32 bytes in all'

describe('lookalike serve', () => {
  /** What it writes on stderr until it is listening, and then ends. */
  async function warningsOf(words: string[], env: Record<string, string> = {}): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-warnings-'))
    const child = Bun.spawn([...PROGRAM, 'serve', '--port', '0', ...words], {
      env: { ...ENV, DATA_DIR: folder, LOG_LEVEL: 'warn', ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    await child.stdout.getReader().read()
    child.kill('SIGTERM')
    const text = await new Response(child.stderr).text()
    expect(await child.exited).toBe(0)
    rmSync(folder, { recursive: true, force: true })
    return text
  }

  test('warns of secrets as flags by name and by the way out, never by value, and works', async () => {
    const smtp = 'smtp://me:hunter2@mail.example'
    const text = await warningsOf(['--jwt-secret', SECRET, '--smtp-url', smtp, '--mail-from', 'a@b.example'])
    expect(text).toContain('the value of --jwt-secret in the process list')
    expect(text).toContain('with JWT_SECRET_FILE')
    expect(text).toContain('the value of --smtp-url in the process list')
    expect(text).toContain('"msg":"SMTP_URL is set and BASE_URL is empty')
    expect(text).not.toMatch(/hunter2|more than 32 bytes/)
  }, 30_000)

  test('is silent about secrets from the environment and from files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-secret-'))
    writeFileSync(join(folder, 'jwt'), SECRET)
    const env = { JWT_SECRET_FILE: join(folder, 'jwt'), BASE_URL: 'https://search.example' }
    expect(await warningsOf([], env)).toBe('')
    rmSync(folder, { recursive: true })
  }, 30_000)
})
