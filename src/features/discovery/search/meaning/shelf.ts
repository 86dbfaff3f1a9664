import { turn } from '../../../../core/turns.ts'
import { DICTIONARY_FILES } from './dictionary/files.ts'
import { createDictionary, type Dictionary } from './dictionary.ts'

/**
 * Reads the dictionary when it is first asked for, a file at a time: together they would hold the event loop for a tenth of a second.
 *
 * @param warn learns of a file that is left out.
 */
export function createDictionaryShelf(
  warn: (file: string, reason: string) => void,
): () => Promise<Dictionary> {
  async function read(): Promise<Dictionary> {
    const dictionary = createDictionary(warn)
    for (const [file, text] of Object.entries(DICTIONARY_FILES)) {
      await turn()
      dictionary.addFile(file, text)
    }
    return dictionary
  }
  let reading: Promise<Dictionary> | undefined
  return () => {
    reading ??= read()
    return reading
  }
}
