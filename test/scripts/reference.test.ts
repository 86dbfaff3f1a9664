import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { formatReference, renewCommonSettings } from '../../scripts/reference.ts'

const readText = (path: string) => Bun.file(join(import.meta.dir, '../..', path)).text()

test('the reference of the guide matches the sources', async () => {
  expect(await readText('src/guide/reference.md')).toBe(formatReference())
})

test('the common settings in README.md match src/config.ts', async () => {
  const readme = await readText('README.md')
  expect(renewCommonSettings(readme)).toBe(readme)
})
