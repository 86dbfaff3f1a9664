import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReleaseError } from './demands.ts'

/** What the changelog says of a version. */
export interface Changes {
  /** The sections of the version, in Markdown, with their headings. */
  text: string
  /** The whole changelog. */
  all: string
}

/** @throws ReleaseError for a version that the changelog does not know. */
export function readChanges(root: string, version: string): Changes {
  const all = readFileSync(join(root, 'src/guide/changelog.md'), 'utf8')
  const sections = all.split(/^(?=## )/m).filter((section) => isOf(section, version))
  if (sections.length === 0)
    throw new ReleaseError(
      `The changelog has no section for ${version}: write "## ${version}, 1 January 2027"`,
    )
  return { text: sections.join('').trim(), all }
}

const isOf = (section: string, version: string): boolean => {
  const rest = section.startsWith(`## ${version}`) ? section.slice(`## ${version}`.length) : undefined
  return rest !== undefined && /^[,\s]/.test(rest)
}
