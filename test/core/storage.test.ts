import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../src/core/errors.ts'
import { fileFailure, isDamage, isStorageFault, storageFailure } from '../../src/core/storage.ts'

const thrown = (code: unknown, more: object = {}) => Object.assign(new Error('hunter2'), { code, ...more })

describe('what an error of the storage is told as', () => {
  test.each([
    ['SQLITE_FULL', 'storage_full'],
    ['ENOSPC', 'storage_full'],
    ['EDQUOT', 'storage_full'],
    ['SQLITE_READONLY', 'read_only'],
    ['SQLITE_READONLY_DBMOVED', 'read_only'],
    ['SQLITE_READONLY_CANTINIT', 'read_only'],
    ['EROFS', 'read_only'],
    ['SQLITE_BUSY', 'overloaded'],
    ['SQLITE_BUSY_SNAPSHOT', 'overloaded'],
    ['SQLITE_LOCKED_SHAREDCACHE', 'overloaded'],
    ['SQLITE_IOERR', 'storage_failed'],
    ['SQLITE_IOERR_FSYNC', 'storage_failed'],
    ['SQLITE_IOERR_WRITE', 'storage_failed'],
    ['SQLITE_IOERR_SHMSIZE', 'storage_failed'],
    ['SQLITE_CORRUPT', 'storage_failed'],
    ['SQLITE_CORRUPT_VTAB', 'storage_failed'],
    ['SQLITE_NOTADB', 'storage_failed'],
    ['SQLITE_CANTOPEN_ISDIR', 'storage_failed'],
    ['SQLITE_PROTOCOL', 'storage_failed'],
    ['EIO', 'storage_failed'],
    ['ESTALE', 'storage_failed'],
  ] as const)('%s is %s, with a time to come back and nothing of the cause', (code, expected) => {
    const cause = thrown(code)
    const failure = storageFailure(cause)
    expect(failure?.code).toBe(expected)
    expect(failure?.extras.retryAfterSeconds).toBe(expected === 'overloaded' ? 1 : 60)
    expect(failure?.message).not.toContain('hunter2')
    expect(failure?.extras.cause).toBe(cause)
    expect(failure && isStorageFault(failure)).toBe(expected !== 'overloaded')
  })

  test.each([
    ['EACCES', 'read_only'],
    ['EPERM', 'read_only'],
    ['EMFILE', 'overloaded'],
    ['ENFILE', 'overloaded'],
  ] as const)(
    '%s counts when it is about a file: a connection may be refused with it, too',
    (code, expected) => {
      expect(storageFailure(thrown(code, { path: '/data/x' }))?.code).toBe(expected)
      expect(storageFailure(thrown(code, { syscall: 'connect' }))).toBeUndefined()
    },
  )

  test.each([
    thrown('SQLITE_CONSTRAINT_UNIQUE'),
    thrown('SQLITE_ERROR'),
    thrown('SQLITE_MISUSE'),
    thrown('ECONNRESET'),
    thrown(5),
    new Error('plain'),
    new ApiError('not_found', 'nothing'),
    { code: 'EIO' },
    'EIO',
    undefined,
  ])('another error (%#) is a bug or something else', (error) => {
    expect(storageFailure(error)).toBeUndefined()
  })

  test('sqlite-vec tells of its own tables without a code', () => {
    const ofVectors = Object.assign(
      new Error('Internal sqlite-vec error: could not write vector blob on x'),
      {
        code: 'SQLITE_ERROR',
      },
    )
    expect([storageFailure(ofVectors)?.code, isDamage(ofVectors)]).toEqual(['storage_failed', true])
  })

  test('whatever a file of ours says keeps us from our work', () => {
    expect(fileFailure(thrown('ENOTDIR')).code).toBe('storage_failed')
    expect(fileFailure(thrown('ENOSPC')).code).toBe('storage_full')
  })

  test('what cannot be read or understood may be damage; what cannot be written is not', () => {
    const codes = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR_READ', 'SQLITE_IOERR_SHORT_READ']
    expect(codes.filter((code) => !isDamage(thrown(code)))).toEqual([])
    const others = [
      'SQLITE_IOERR_WRITE',
      'SQLITE_IOERR_FSYNC',
      'SQLITE_FULL',
      'SQLITE_READONLY',
      'EIO',
      'SQLITE_ERROR',
    ]
    expect(others.filter((code) => isDamage(thrown(code)))).toEqual([])
  })
})
