import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { reference, withCommonSettings } from '../../scripts/reference.ts'

const textOf = (path: string) => Bun.file(join(import.meta.dir, '../..', path)).text()

test('the reference of the guide is the one of the sources', async () => {
  expect(await textOf('src/guide/reference.md')).toBe(reference())
})

test('the common settings in README.md are those of src/config.ts', async () => {
  const readme = await textOf('README.md')
  expect(withCommonSettings(readme)).toBe(readme)
})
