import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { UnreadableFile } from '../../../../core/unreadable-file.ts'
import { COLUMNS_MAX, type ImportRecord, type OnRecord, RECORD_BYTES_MAX } from './record.ts'

/** The deepest element; feeds nest five levels. */
const DEPTH_MAX = 32

/** The longest name of an element inside a product. A column is named by all that it is nested in. */
const NAME_CHARS_MAX = 200

/** The most attributes of one element; those of feeds have two or three. */
const ATTRIBUTES_MAX = 100

/** The most characters of one text, attribute or remark, none of which the parser hands over before its end. */
const PIECE_CHARS_MAX = RECORD_BYTES_MAX

/** The overhead of an element besides its text, so that a feed of empty elements is not free. */
const ELEMENT_CHARS = 16

/** The names of the elements that hold one product: RSS 2.0 and RSS 1.0, Atom. */
const PRODUCT_ELEMENTS = new Set(['item', 'entry'])

/**
 * Reads the products of a feed: RSS 2.0, RSS 1.0 or Atom with Google's `g:` fields. A cell's column is the name of its element without
 * the prefix; elements inside elements give `shipping.country`. A link of Atom is its address.
 *
 * A document type is refused, so no entity can grow or reach for another file.
 *
 * @throws UnreadableFile where the text is not well-formed XML.
 */
export async function* readXml(
  text: AsyncIterable<string>,
  onRecord?: OnRecord,
): AsyncGenerator<ImportRecord> {
  const reader = createReader()
  for await (const chunk of text) {
    reader.write(chunk)
    for (const record of reader.take()) {
      const rest = onRecord?.()
      if (rest) await rest
      yield record
    }
  }
  reader.end()
  yield* reader.take()
}

interface Open {
  line: number
  cells: Map<string, string[]>
  /** Names of the elements inside the product that are open, outermost first. */
  path: string[]
  /** The text of the innermost one. */
  text: string
  /** Whether the innermost one holds elements. */
  hasElements: boolean
  chars: number
}

function createReader() {
  const parser = new SaxesParser()
  const found: ImportRecord[] = []
  let depth = 0
  let open: Open | undefined
  /** Of all products: what a file is looked at for grows with them. */
  const columns = new Set<string>()

  const fail = (reason: string, cause?: unknown): never => {
    throw new UnreadableFile(`The XML cannot be read at line ${parser.line}: ${reason}`, parser.line, cause)
  }
  /** Characters since the parser handed something over. */
  let held = 0
  const grow = (product: Open, chars: number): void => {
    product.chars += chars
    if (product.chars > RECORD_BYTES_MAX) fail('the product is larger than 1 MiB')
  }
  const addText = (text: string): void => {
    held = 0
    if (!open || open.path.length === 0) return
    grow(open, text.length)
    open.text += text
  }
  const addCell = (product: Open, column: string, value: string): void => {
    if (columns.add(column).size > COLUMNS_MAX)
      fail(`its products have more than ${COLUMNS_MAX} different elements`)
    const cell = value.trim()
    const known = product.cells.get(column)
    if (known) known.push(cell)
    else product.cells.set(column, [cell])
  }

  parser.on('error', (error) => fail(error.message, error))
  parser.on('doctype', () => fail('a document type is not allowed'))
  let attributes = 0
  parser.on('attribute', () => {
    held = 0
    if (++attributes > ATTRIBUTES_MAX) fail(`an element has more than ${ATTRIBUTES_MAX} attributes`)
  })
  for (const event of ['comment', 'processinginstruction'] as const) {
    parser.on(event, () => {
      held = 0
    })
  }
  parser.on('opentag', (tag: SaxesTagPlain) => {
    held = 0
    attributes = 0
    depth++
    if (depth > DEPTH_MAX) fail(`elements are nested more than ${DEPTH_MAX} deep`)
    const name = localName(tag.name)
    if (!open) {
      if (PRODUCT_ELEMENTS.has(name)) {
        open = { line: parser.line, cells: new Map(), path: [], text: '', hasElements: false, chars: 0 }
      }
      return
    }
    if (name.length > NAME_CHARS_MAX)
      fail(`the name of an element has more than ${NAME_CHARS_MAX} characters`)
    open.path.push(name)
    open.text = ''
    open.hasElements = false
    const address = tag.attributes['href']
    grow(open, ELEMENT_CHARS + name.length + (address?.length ?? 0))
    if (address !== undefined) addCell(open, open.path.join('.'), address)
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    held = 0
    depth--
    if (!open) return
    if (open.path.length === 0) {
      found.push({ line: open.line, cells: open.cells })
      open = undefined
      return
    }
    if (!open.hasElements && open.text.trim() !== '') addCell(open, open.path.join('.'), open.text)
    open.path.pop()
    open.text = ''
    open.hasElements = true
  })

  return {
    write(chunk: string): void {
      held += chunk.length
      parser.write(chunk)
      if (held > PIECE_CHARS_MAX) fail('a text, an attribute or a remark is longer than 1 MiB')
    },
    end: (): void => void parser.close(),
    /** The products that have become whole. */
    take: (): ImportRecord[] => found.splice(0),
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
