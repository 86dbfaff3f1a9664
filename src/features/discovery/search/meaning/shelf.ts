import { DICTIONARY_FILES } from './dictionary/files.ts'
import { createDictionary, type Dictionary } from './dictionary.ts'

/** Reads the dictionary when it is first asked for. @param warn learns of a file that is left out. */
export function createDictionaryShelf(warn: (file: string, reason: string) => void): () => Dictionary {
  let dictionary: Dictionary | undefined
  return () => {
    dictionary ??= createDictionary(DICTIONARY_FILES, warn)
    return dictionary
  }
}
