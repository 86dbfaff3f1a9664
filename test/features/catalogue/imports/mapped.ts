import type { OpenBytes } from '../../../../src/core/open-bytes.ts'
import { detectEncoding } from '../../../../src/features/catalogue/imports/formats/encoding.ts'
import { openTable } from '../../../../src/features/catalogue/imports/formats/table.ts'
import {
  assembleProducts,
  type ImportItem,
} from '../../../../src/features/catalogue/imports/mapping/assemble.ts'
import { noLosses } from '../../../../src/features/catalogue/imports/mapping/losses.ts'
import type { Mapping } from '../../../../src/features/catalogue/imports/mapping/mapping.ts'
import { planImport } from '../../../../src/features/catalogue/imports/mapping/plan.ts'
import type { MappedProduct } from '../../../../src/features/catalogue/imports/mapping/products.ts'
import { readSample } from '../../../../src/features/catalogue/imports/mapping/sample.ts'

export const NOW = Date.parse('2030-06-15T12:00:00Z')

const toFile = (content: string | Uint8Array): OpenBytes =>
  async function* () {
    yield typeof content === 'string' ? new TextEncoder().encode(content) : content
  }

/** Reads a file as an import does: with its first rows, and without a mapping unless one is given. */
export async function importFile(
  content: string | Uint8Array,
  mapping: Mapping = {},
  { pictures = [], now = NOW }: { pictures?: readonly string[]; now?: number } = {},
) {
  const open = toFile(content)
  const table = await openTable(open)
  const sample = await readSample({
    table,
    findPicture: (name) => (pictures.includes(name) ? name : undefined),
  })
  const plan = planImport(table.columns, mapping, sample)
  const reading = { losses: noLosses(), now }
  const items: ImportItem[] = []
  for await (const item of assembleProducts(table.records, plan, reading)) items.push(item)
  const products = items.flatMap((item) => ('product' in item ? [item.product as MappedProduct] : []))
  return {
    plan,
    sample,
    items,
    products,
    losses: reading.losses,
    encoding: await detectEncoding(open),
    table,
  }
}

/** A table of cells as CSV. */
export const toCsv = (rows: readonly (readonly (string | number)[])[], delimiter = ','): string =>
  rows
    .map((row) =>
      row
        .map((cell) => {
          const text = String(cell)
          return /[",;\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
        })
        .join(delimiter),
    )
    .join('\n')

/** A table of objects as CSV, with the columns of the first. */
export const toTable = (rows: readonly Record<string, string | number>[], delimiter = ','): string => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return toCsv([columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))], delimiter)
}
