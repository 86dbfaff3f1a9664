import { beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../src/core/errors.ts'
import { fileFailure, StorageProblem } from '../../src/core/storage.ts'
import {
  createStorageWatch,
  type StorageWatch,
  type StorageWatchDeps,
} from '../../src/platform/storage-watch.ts'
import { manualClock } from '../support/app.ts'

const sqlite = (code: string) => Object.assign(new Error('disk I/O error'), { code })

let clock: ReturnType<typeof manualClock>
let logged: string[]
let written: number
let writeError: unknown
let fileError: unknown
let watch: StorageWatch

const watchWith = (more: Partial<StorageWatchDeps> = {}) =>
  createStorageWatch({
    clock,
    log: {
      info: (_, message) => void logged.push(`info ${message}`),
      warn: (_, message) => void logged.push(`warn ${message}`),
      error: (_, message) => void logged.push(`error ${message}`),
    },
    writeRow() {
      written += 1
      if (writeError) throw writeError
    },
    async writeFile() {
      if (fileError) throw fileError
    },
    ...more,
  })

beforeEach(() => {
  clock = manualClock('2030-01-01T00:00:00Z')
  logged = []
  written = 0
  writeError = undefined
  fileError = undefined
  watch = watchWith()
})

const database = (): string | undefined => {
  try {
    watch.probeDatabase()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(StorageProblem)
    return (error as Error).message
  }
}
const files = (): Promise<string | undefined> =>
  watch.probeFiles().then(
    () => undefined,
    (error) => {
      expect(error).toBeInstanceOf(StorageProblem)
      return error.message
    },
  )

describe('the database', () => {
  test('is written at every look, but once a second at most: anybody may look', () => {
    for (let n = 0; n < 10; n++) expect(database()).toBeUndefined()
    expect(written).toBe(1)
    clock.advance(1_000)
    expect([database(), written]).toEqual([undefined, 2])
  })

  test.each([
    ['SQLITE_IOERR_FSYNC', 'the database cannot be written: the disk reports a fault'],
    ['SQLITE_FULL', 'the database cannot be written: the disk is full'],
    ['SQLITE_READONLY', 'the database cannot be written: the data folder is read-only'],
    ['SQLITE_BUSY', 'the database cannot be written: another program has locked it'],
    ['SQLITE_MISUSE', 'the database cannot be written'],
  ])('%s when it is written: %s', (code, problem) => {
    writeError = sqlite(code)
    expect(database()).toBe(problem)
    writeError = undefined
    clock.advance(1_000)
    expect(database()).toBeUndefined()
  })

  test('a fault that a request met is looked into at once, and over when a write succeeds', () => {
    expect(database()).toBeUndefined()
    writeError = sqlite('SQLITE_IOERR_WRITE')
    watch.report(new ApiError('storage_failed', 'in words', { cause: writeError }))
    expect(database()).toContain('the disk reports a fault')
    writeError = undefined
    clock.advance(1_000)
    expect(database()).toBeUndefined()
    expect(logged).toEqual(['error the storage failed', 'info the storage works again'])
  })

  test('a thousand requests that meet one fault write one line a minute', () => {
    const fault = sqlite('SQLITE_IOERR_WRITE')
    for (let n = 0; n < 1_000; n++) watch.report(fault)
    expect(logged).toHaveLength(1)
    clock.advance(60_000)
    watch.report(fault)
    expect(logged).toHaveLength(2)
  })

  test.each([
    new Error('a bug'),
    sqlite('SQLITE_CONSTRAINT'),
    sqlite('SQLITE_BUSY'),
    new ApiError('storage_full', 'the memory for vectors is full'),
    new ApiError('not_found', 'nothing'),
    new ApiError('overloaded', 'busy', { cause: sqlite('SQLITE_BUSY') }),
    undefined,
  ])('another error (%#) is no fault of the storage', async (error) => {
    watch.report(error)
    expect([logged, database(), await files(), watch.isSound()]).toEqual([[], undefined, undefined, true])
  })
})

describe('files', () => {
  test('are tried again after a fault only, and over when a file can be written', async () => {
    fileError = fileFailure(Object.assign(new Error('i/o error'), { code: 'EIO' }))
    expect(await files()).toBeUndefined()
    watch.report(fileError)
    expect(await files()).toBe('pictures cannot be stored: the disk reports a fault')
    expect(database()).toBeUndefined()
    fileError = undefined
    expect(await files()).toBeUndefined()
    expect(logged).toEqual(['error the storage failed', 'info the storage works again'])
  })
})

describe('damage', () => {
  test('is suspected at the first page that cannot be understood, and told until a look finds none', async () => {
    const look = Promise.withResolvers<string[]>()
    let looks = 0
    watch = watchWith({
      findDamage: () => {
        looks += 1
        return look.promise
      },
    })
    expect(watch.isSound()).toBe(true)
    watch.report(sqlite('SQLITE_CORRUPT'))
    watch.report(sqlite('SQLITE_CORRUPT'))
    expect([looks, watch.isSound()]).toEqual([1, false])
    expect(database()).toBe('the database could not be read and is being checked for damage')
    look.resolve([])
    await watch.inspect()
    expect([database(), watch.isSound(), looks]).toEqual([undefined, true, 1])
  })

  test('that is found is told, in the log with its lines, and looked at again from time to time', async () => {
    let found = ['row 1 missing from index x']
    let looks = 0
    watch = watchWith({
      findDamage: async () => {
        looks += 1
        return found
      },
    })
    await watch.inspect()
    expect(database()).toBe('the database is damaged: restore a backup')
    expect([watch.isSound(), looks]).toEqual([false, 1])
    expect(logged).toEqual(['error the database is damaged: restore a backup'])
    found = []
    clock.advance(4_999)
    expect([database() === undefined, looks]).toEqual([false, 1])
    clock.advance(1)
    expect(database()).toBe('the database is damaged: restore a backup')
    await watch.inspect()
    expect([database(), watch.isSound(), looks]).toEqual([undefined, true, 2])
  })

  test('a look that cannot be made never rejects, leaves the suspicion, and is owed until one comes to its end', async () => {
    let error: Error | undefined = new Error('EMFILE')
    watch = watchWith({
      async findDamage() {
        if (error) throw error
        return []
      },
    })
    await watch.inspect()
    // Nothing speaks against it, but nobody has looked.
    expect([database(), watch.isSound()]).toEqual([undefined, false])
    watch.report(sqlite('SQLITE_IOERR_READ'))
    expect(database()).toContain('is being checked')
    error = undefined
    clock.advance(5_000)
    database()
    await watch.inspect()
    expect([database(), watch.isSound()]).toEqual([undefined, true])
  })
})
