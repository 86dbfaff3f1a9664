import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tellMissingModels } from '../../src/commands/restore/missing-models.ts'
import { writeNote } from '../../src/platform/models/shelf-note.ts'

const HASH = 'a'.repeat(64)
let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-missing-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const tell = (models: { name: string; hash?: string; vectors: number }[], modelDir = '') =>
  tellMissingModels(
    dataDir,
    modelDir,
    models.map((model) => ({ hash: HASH, ...model })),
  )

test('a restore names the models whose vectors it brings and that are not here', async () => {
  const said = await tell([{ name: 'clip-vit-base-patch32', vectors: 12 }])
  expect(said).toContain(
    '12 vectors in the backup are of the model clip-vit-base-patch32, which is not here.',
  )
  expect(said).toContain('lookalike model fetch clip-vit-base-patch32')
})

test('it names neither the bundled one, nor one without vectors, nor one that MODEL_DIR or the shelf has', async () => {
  expect(await tell([{ name: 'lookalike-clip-v1', vectors: 3 }])).toBe('')
  expect(await tell([{ name: 'other', vectors: 0 }])).toBe('')
  expect(await tell([{ name: 'other', vectors: 3 }], '/srv/models/other')).toBe('')
  const dir = join(dataDir, 'models/renamed')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'config.json'), '{}')
  await writeNote(dir, ['config.json'], { hash: HASH, dimension: 512, family: 'clip' }, 1)
  expect(await tell([{ name: 'other', vectors: 3 }])).toBe('')
  expect(await tell([{ name: 'other', hash: 'b'.repeat(64), vectors: 3 }])).toContain('which is not here')
})
