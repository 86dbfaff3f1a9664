import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { withSettingsTable } from '../../scripts/settings-table.ts'

test('the table of settings in README.md is the one of src/config.ts', async () => {
  const readme = await Bun.file(join(import.meta.dir, '../../README.md')).text()
  expect(withSettingsTable(readme)).toBe(readme)
})
