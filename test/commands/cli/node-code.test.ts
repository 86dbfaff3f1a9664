import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findCodeProblems, readCode } from '../../../src/commands/cli/node-code.ts'

const PRINTER = 'lookalike node invite'

describe('the code of another node', () => {
  let folder: string
  let said: ReturnType<typeof spyOn>
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookalike-code-'))
    said = spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => {
    said.mockRestore()
    rmSync(folder, { recursive: true })
  })

  test('is given once', () => {
    expect(findCodeProblems({}, PRINTER)).toEqual([
      'The code of "lookalike node invite" is missing: use --code-file FILE, or --code - for standard input',
    ])
    expect(findCodeProblems({ code: 'a', 'code-file': 'b' }, PRINTER)).toEqual([
      'Give --code or --code-file, not both',
    ])
    for (const options of [{ code: 'a' }, { code: '-' }, { 'code-file': 'b' }])
      expect(findCodeProblems(options, PRINTER)).toEqual([])
  })

  test('comes from a file without a word', async () => {
    const file = join(folder, 'code.txt')
    writeFileSync(file, '  ABCD-EFGH\n')
    expect(await readCode({ 'code-file': file })).toBe('ABCD-EFGH')
    expect(said).not.toHaveBeenCalled()
  })

  test('on the command line is told to be in the history of the shell', async () => {
    expect(await readCode({ code: 'ABCD-EFGH' })).toBe('ABCD-EFGH')
    expect(said.mock.calls.join()).toContain('history of your shell')
  })

  test('of an empty file, and of one that is not there, is refused', async () => {
    const file = join(folder, 'code.txt')
    writeFileSync(file, '\n')
    expect(readCode({ 'code-file': file })).rejects.toThrow('The code is empty')
    expect(readCode({ 'code-file': join(folder, 'none') })).rejects.toThrow('The code cannot be read from')
  })
})
