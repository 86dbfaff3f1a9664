/**
 * Packs the words of `src/features/discovery/search/meaning/dictionary/*.tsv` into `dist/generated/dictionary.bin`, which the
 * executable embeds: `bun scripts/generate/dictionary.ts`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packTable } from '../../src/features/discovery/search/meaning/table-file.ts'
import { readConcepts } from './dictionary/concepts.ts'
import { orderFiles } from './dictionary/order.ts'
import { createParts } from './dictionary/parts.ts'

const root = join(import.meta.dir, '../..')
const folder = join(root, 'src/features/discovery/search/meaning/dictionary')

const files = orderFiles(readdirSync(folder).filter((file) => file.endsWith('.tsv')))
const concepts = files.flatMap((file) => readConcepts(file, readFileSync(join(folder, file), 'utf8')))
writeFileSync(join(root, 'dist/generated/dictionary.bin'), packTable(createParts(concepts)))
