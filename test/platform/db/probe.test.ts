import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE, openDatabase } from '../../../src/platform/db/open.ts'
import { probeVectors, probeWrite } from '../../../src/platform/db/probe.ts'
import { memoryDatabase } from '../../support/database.ts'

describe('probeWrite (contract 8.1: database writable)', () => {
  test('writes its one row, waits for the disk, and leaves no transaction open', () => {
    const db = memoryDatabase()
    const rows = () => db.prepare('SELECT id, written_at FROM write_probe').all()
    expect(rows()).toEqual([{ id: 1, written_at: 0 }])
    probeWrite(db, 1_900_000_000_000)
    expect([db.inTransaction, rows()]).toEqual([false, [{ id: 1, written_at: 1_900_000_000_000 }]])
    expect(db.pragma('synchronous', { simple: true })).toBe(2)
    expect(() => db.exec('INSERT INTO write_probe VALUES (2, 0)')).toThrow('CHECK')
    db.close()
  })

  test('throws while another connection holds the write lock, and not after', () => {
    const dir = mkdtempSync(join(tmpdir(), 'lookalike-probe-'))
    const db = openDatabase(dir)
    db.pragma('busy_timeout = 0')
    const other = new Database(join(dir, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    expect(() => probeWrite(db, 1)).toThrow('locked')
    db.pragma('busy_timeout = 5000')
    // It waits a moment for the other, not the five seconds that a write of the service does.
    expect(() => probeWrite(db, 1)).toThrow('locked')
    expect(db.pragma('busy_timeout', { simple: true })).toBe(5000)
    other.exec('ROLLBACK')
    probeWrite(db, 1)
    other.close()
    db.close()
    rmSync(dir, { recursive: true })
  })

  test('throws for a database that may only be read, and for a closed one', () => {
    const dir = mkdtempSync(join(tmpdir(), 'lookalike-probe-'))
    openDatabase(dir).close()
    const readOnly = new Database(join(dir, DATABASE_FILE), { readonly: true })
    expect(() => probeWrite(readOnly, 1)).toThrow('readonly')
    readOnly.close()
    expect(() => probeWrite(readOnly, 1)).toThrow()
    rmSync(dir, { recursive: true })
  })
})

describe('probeVectors (contract 8.1: vector extension)', () => {
  test('passes with sqlite-vec, throws without', () => {
    const db = memoryDatabase()
    probeVectors(db)
    db.close()
    const plain = new Database(':memory:')
    expect(() => probeVectors(plain)).toThrow('vec_version')
    plain.close()
  })
})
