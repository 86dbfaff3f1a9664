import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { KNOWN_MODELS } from '../../../src/platform/models/known.ts'

describe('the known models', () => {
  test('have names, commits and hashes of the right form, and only confirmed ones have all hashes', () => {
    for (const { name, revision, files, status, bytes } of KNOWN_MODELS) {
      expect(name).toMatch(/^[a-z0-9][a-z0-9-]*$/)
      if (status === 'confirmed') expect(revision).toMatch(/^[0-9a-f]{40}$/)
      const hashes = files.map(({ sha256 }) => sha256)
      for (const hash of hashes) expect(hash ?? 'f'.repeat(64)).toMatch(/^[0-9a-f]{64}$/)
      expect(hashes.every((hash) => hash !== null)).toBe(status === 'confirmed')
      expect(new Set(files.map(({ path }) => path)).size).toBe(files.length)
      const most = files.reduce((sum, file) => sum + file.bytes, 0)
      if (status === 'confirmed') expect(bytes).toBe(most)
      else expect(bytes).toBeLessThan(most)
    }
  })

  test('stand in the guide with whom they suit and what they cost', async () => {
    const guide = await Bun.file(resolve(import.meta.dir, '../../../src/guide/models.md')).text()
    for (const model of KNOWN_MODELS) {
      const { name, suits, bytes, memoryBytes, pictureMs, textMs, dimension, license, status } = model
      const size = `${status === 'confirmed' ? '' : 'about '}${Math.round(bytes / 1e6)} MB`
      const costs = `${size} | ${memoryBytes / 1e6} MB | ${pictureMs} ms | ${textMs} ms | ${dimension}`
      expect(guide).toContain(`| \`${name}\` | ${suits} | ${costs} | ${license} | ${status} |`)
    }
  })
})
