import type { PaletteColumn } from '../../catalogue/product-index/palettes.ts'
import type { IndexedStore } from '../../catalogue/product-index/product-index.ts'

/** The parts of an indexed store that the ranking reads. */
export interface SearchedStore extends Pick<IndexedStore, 'segment' | 'columns' | 'words' | 'hasAllWords'> {
  palettes: Pick<PaletteColumn, 'score' | 'meter' | 'shadeMeter'>
}
