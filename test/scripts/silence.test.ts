import { expect, test } from 'bun:test'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const LOADS_ONNXRUNTIME =
  /from '(@huggingface\/transformers|onnxruntime-node|[^']*(?:embedder\/child\/model|model-proof\/prove)\.ts)'/
const SILENT_FIRST = /^(\/\*\*[\s\S]*?\*\/\s*)?import '[^']*\/silent\.ts'\n/

test('every script that loads onnxruntime switches its telemetry off first', async () => {
  const loaders: string[] = []
  for await (const path of new Bun.Glob('scripts/**/*.ts').scan({ cwd: ROOT })) {
    const text = await Bun.file(join(ROOT, path)).text()
    if (!LOADS_ONNXRUNTIME.test(text)) continue
    loaders.push(path)
    expect({ path, isSilent: SILENT_FIRST.test(text) }).toEqual({ path, isSilent: true })
  }
  expect(loaders).toContain('scripts/model/fit.ts')
})
