import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyModel } from '../../platform/embedder/bundled.ts'

const MAIN = join(import.meta.dir, '../../../src/main.ts')

test('a demo whose model does not come up stops when it is told to, and leaves nothing behind', async () => {
  using model = copyModel()
  writeFileSync(join(model.dir, 'onnx/vision_model_quantized.onnx'), 'no model')
  const temporary = join(mkdtempSync(join(tmpdir(), 'lookalike-demo-test-')), 'tmp')
  mkdirSync(temporary)
  const child = Bun.spawn([process.execPath, MAIN, 'demo', '--model-dir', model.dir, '--port', '0'], {
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: temporary },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.includes('listening on')) child.kill('SIGTERM')
  }
  expect(await child.exited).toBe(0)
  expect(said).not.toContain('demo products')
  expect(readdirSync(temporary).filter((name) => name.startsWith('lookalike-demo-'))).toEqual([])
  rmSync(join(temporary, '..'), { recursive: true })
}, 30_000)
