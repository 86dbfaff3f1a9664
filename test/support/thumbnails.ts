import type { Thumbnails } from '../../src/features/catalogue/products/thumbnails.ts'

/** For pictures whose thumbnails do not matter: none is kept. */
export const NO_THUMBNAILS: Pick<Thumbnails, 'keep' | 'release'> = { keep: () => 0, release: () => {} }
