import type { PaletteColumn } from '../../catalogue/product-index/palettes.ts'
import type { IndexedStore } from '../../catalogue/product-index/product-index.ts'

/** What the ranking reads of one store. */
export interface SearchedStore extends Pick<IndexedStore, 'segment' | 'columns' | 'words' | 'hasAllWords'> {
  palettes: Pick<PaletteColumn, 'score'>
}
