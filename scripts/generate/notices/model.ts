import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { TargetError } from '../../build/targets.ts'
import { LICENCE_FILE, readText } from './collect.ts'
import type { LicenceName } from './components.ts'

/** The licence in the head of a model's page at the hub. */
const LICENCE_LINE = /^---\n(?:.*\n)*?license(?:_name)?: *(\S+)/
/** Full texts, by the names that the hub gives them. */
const FULL_TEXTS: Readonly<Record<string, LicenceName>> = { mit: 'MIT', 'apache-2.0': 'Apache-2.0' }
const CARDS = ['MODEL_CARD.md', 'README.md']

/** What the notices tell of a model. @throws Error if its card lacks a section. */
export const describeCard = (modelCard: string): string => readSections(modelCard, ['Data', 'Attribution'])

/**
 * Describes the licence of a model that somebody brings: the licence files of its folder, and its page if that names the
 * licence.
 *
 * @throws TargetError for a folder that says nothing of it.
 */
export function describeModel(modelDir: string): string {
  const name = basename(modelDir)
  const read = (file: string) => readFileSync(join(modelDir, file), 'utf8').trim()
  const files = readdirSync(modelDir).filter((file) => LICENCE_FILE.test(file))
  const cards = CARDS.filter((file) => existsSync(join(modelDir, file)))
  const licences = cards.flatMap((file) => LICENCE_LINE.exec(read(file))?.[1]?.toLowerCase() ?? [])
  if (files.length === 0 && licences.length === 0) {
    throw new TargetError(
      `${name} does not say under which licence it may be given away. Put its LICENSE file, or the README.md of its page with the line "license:", into ${modelDir}.`,
    )
  }
  const fullTexts = licences.flatMap((licence) => FULL_TEXTS[licence] ?? [])
  return [
    [name, licences.join(', ')].filter(Boolean).join(': '),
    ...[...files.sort(), ...cards].map(read),
    ...fullTexts.map((licence) => readText('licences', licence)),
  ].join('\n\n')
}

/** Cuts sections out of a text in Markdown. @throws Error if one is missing. */
function readSections(markdown: string, titles: readonly string[]): string {
  const sections = markdown.split(/^## /m)
  return titles
    .map((title) => {
      const found = sections.find((section) => section.startsWith(`${title}\n`))
      if (found === undefined) throw new Error(`The model card lacks its section "${title}"`)
      return found.trim()
    })
    .join('\n\n')
}
