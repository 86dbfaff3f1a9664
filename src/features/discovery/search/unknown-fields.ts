import { closest, distance } from 'fastest-levenshtein'
import type { SearchRow } from './queries.ts'
import { TextSearch, UploadSearch, UrlSearch } from './schema.ts'

const KNOWN: Record<SearchRow['type'], readonly string[]> = {
  text: Object.keys(TextSearch.properties),
  url: Object.keys(UrlSearch.properties),
  upload: Object.keys(UploadSearch.properties),
}

/** Warnings are for people, so a body with a thousand unknown fields gets only so many. */
const WARNINGS_MAX = 10

/** Warns of each top-level field that this search does not know, and suggests the field that was probably meant. */
export function warnOfUnknownFields(body: object, type: SearchRow['type']): string[] {
  const known = KNOWN[type]
  const warnings: string[] = []
  for (const name in body) {
    if (known.includes(name)) continue
    const shown = name.slice(0, 60)
    const near = closest(shown, known)
    const hint = distance(shown, near) <= Math.max(2, near.length / 3) ? `; did you mean '${near}'?` : ''
    warnings.push(`the unknown field '${shown}' was ignored${hint}`)
    if (warnings.length === WARNINGS_MAX) break
  }
  return warnings
}
