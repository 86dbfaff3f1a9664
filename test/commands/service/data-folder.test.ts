import { describe, expect, test } from 'bun:test'
import { explainFolderError } from '../../../src/commands/service/data-folder.ts'
import { OperatorError } from '../../../src/core/operator-error.ts'

/** An error as SQLite and the file system throw it. */
const fault = (code: string, path = '/srv/data/secrets') =>
  Object.assign(new Error('words of the system'), { code, path })

describe('an error about the data folder', () => {
  test.each([
    ['SQLITE_NOTADB', 'contains a file that is not a Lookalike database'],
    ['SQLITE_CORRUPT', 'contains a damaged database'],
    ['SQLITE_FULL', 'is on a full disk'],
    ['SQLITE_BUSY', 'is in use by another program'],
    ['ENOSPC', 'is on a full disk'],
    ['ENOTDIR', 'is not a folder: choose another one'],
    ['EIO', 'cannot be read or written: words of the system (EIO)'],
  ])('%s says that the folder %s', (code, words) => {
    const explained = explainFolderError('/srv/data', fault(code))
    expect(explained).toBeInstanceOf(OperatorError)
    expect((explained as Error).message).toContain(`The data folder /srv/data ${words}`)
  })

  test('any other error stays as it is', () => {
    for (const error of [new Error('a mistake of ours'), fault('ENOTDIR', '/srv/libraries')]) {
      expect(explainFolderError('/srv/data', error)).toBe(error)
    }
  })
})
