import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { MODEL_DIR } from '../../../platform/embedder/bundled.ts'

const ENTRY = fileURLToPath(new URL('../../../platform/embedder/entry.ts', import.meta.url))

test.each(['text', 'vision'])(
  'the %s process ends by itself when the service is gone',
  async (role) => {
    const child = Bun.spawn([process.execPath, ENTRY, role, MODEL_DIR, '1'], {
      stdin: 'pipe',
      stdout: 'pipe',
    })
    const reader = child.stdout.getReader()
    await reader.read()
    child.stdin.end()
    expect(await child.exited).toBe(0)
  },
  30_000,
)

test('an unknown role is reported and ends the process', async () => {
  const child = Bun.spawn([process.execPath, ENTRY, 'sound', MODEL_DIR, '1'], {
    stdin: 'pipe',
    stdout: 'pipe',
  })
  expect(await new Response(child.stdout).text()).toContain('Unknown role sound')
  expect(await child.exited).toBe(1)
}, 30_000)
