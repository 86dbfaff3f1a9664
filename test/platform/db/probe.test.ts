import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE, openDatabase } from '../../../src/platform/db/open.ts'
import { probeVectors, probeWrite } from '../../../src/platform/db/probe.ts'

describe('probeWrite (D17: database writable)', () => {
  test('changes nothing and leaves no transaction open', () => {
    const db = openDatabase(':memory:')
    probeWrite(db)
    expect([db.inTransaction, db.prepare('SELECT count(*) AS n FROM stores').get()]).toEqual([
      false,
      { n: 0 },
    ])
    db.close()
  })

  test('throws while another connection holds the write lock, and not after', () => {
    const dir = mkdtempSync(join(tmpdir(), 'lookalike-probe-'))
    const db = openDatabase(dir)
    db.pragma('busy_timeout = 0')
    const other = new Database(join(dir, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    expect(() => probeWrite(db)).toThrow('locked')
    other.exec('ROLLBACK')
    probeWrite(db)
    other.close()
    db.close()
    rmSync(dir, { recursive: true })
  })

  test('throws for a database that may only be read, and for a closed one', () => {
    const dir = mkdtempSync(join(tmpdir(), 'lookalike-probe-'))
    openDatabase(dir).close()
    const readOnly = new Database(join(dir, DATABASE_FILE), { readonly: true })
    expect(() => probeWrite(readOnly)).toThrow('readonly')
    readOnly.close()
    expect(() => probeWrite(readOnly)).toThrow()
    rmSync(dir, { recursive: true })
  })
})

describe('probeVectors (D17: vector extension)', () => {
  test('passes with sqlite-vec, throws without', () => {
    const db = openDatabase(':memory:')
    probeVectors(db)
    db.close()
    const plain = new Database(':memory:')
    expect(() => probeVectors(plain)).toThrow('vec_version')
    plain.close()
  })
})
