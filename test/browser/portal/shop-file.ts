import { WOOCOMMERCE_SHOPS } from '../../features/catalogue/imports/woocommerce-shops.ts'

type Shop = keyof typeof WOOCOMMERCE_SHOPS

const toLine = (cells: readonly string[]): string =>
  cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')

/** An export of WooCommerce as shops of a language write it, with one more column that nothing reads. */
export function makeExport(shop: Shop, rows: number, pictureOf: (row: number) => string): string {
  const { titles, words } = WOOCOMMERCE_SHOPS[shop]
  const [hoodie, , clothing] = words
  const lines = Array.from({ length: rows }, (_, row) => {
    const cells = titles.split('|').map(() => '')
    const set = (column: number, value: string) => {
      cells[column] = value
    }
    set(0, String(row + 1))
    set(1, 'simple')
    set(2, `W-${row + 1}`)
    set(3, `${hoodie} ${row + 1}`)
    set(4, '1')
    set(6, 'visible')
    set(13, '1')
    set(18, '19.90')
    set(19, clothing)
    set(22, pictureOf(row))
    return toLine([...cells, 'Cotton'])
  })
  return [toLine([...titles.split('|'), 'Material X']), ...lines, ''].join('\n')
}

export const asFile = (name: string, text: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
})
/** The place for a file on the page of the import. */
export const FILE = 'input[type="file"]:not(.header-search input)'
