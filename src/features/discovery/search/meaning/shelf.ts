import dictionaryFile from '#generated/dictionary.bin' with { type: 'file' }
import { turn } from '../../../../core/turns.ts'
import { createDictionary, type Dictionary } from './dictionary.ts'
import { readTable } from './table-file.ts'

/**
 * Reads the dictionary when it is first asked for.
 *
 * @param warn learns why it is left out, where its file is not whole.
 * @param file for tests.
 */
export function createDictionaryShelf(
  warn: (reason: string) => void,
  file: Blob = Bun.file(dictionaryFile),
): () => Promise<Dictionary> {
  async function read(): Promise<Dictionary> {
    const bytes = await file.bytes()
    await turn()
    const table = readTable(bytes)
    if (typeof table !== 'string') return createDictionary(table)
    warn(table)
    return createDictionary()
  }
  let reading: Promise<Dictionary> | undefined
  return () => {
    reading ??= read()
    return reading
  }
}
