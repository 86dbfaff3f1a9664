import { describe, expect, test } from 'bun:test'
import { explainFolderError } from '../../src/commands/data-folder.ts'
import { OperatorError } from '../../src/core/operator-error.ts'

/** An error as SQLite and the file system throw it. */
const fault = (code: string) => Object.assign(new Error('words of the system'), { code })

describe('an error about the data folder', () => {
  test.each([
    ['SQLITE_NOTADB', 'contains a file that is not a Lookalike database'],
    ['SQLITE_CORRUPT', 'contains a damaged database'],
    ['SQLITE_FULL', 'is on a full disk'],
    ['SQLITE_BUSY', 'is in use by another program'],
    ['ENOSPC', 'is on a full disk'],
    ['EACCES', 'is not writable'],
    ['ENOTDIR', 'is not a folder: choose another one'],
    ['EIO', 'cannot be read or written: words of the system (EIO)'],
  ])('%s says that the folder %s', (code, words) => {
    const explained = explainFolderError('/srv/data', fault(code))
    expect(explained).toBeInstanceOf(OperatorError)
    expect((explained as Error).message).toContain(`The data folder /srv/data ${words}`)
  })

  test('any other error stays as it is', () => {
    const error = new Error('a mistake of ours')
    expect(explainFolderError('/srv/data', error)).toBe(error)
  })
})
