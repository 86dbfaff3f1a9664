import { formatNumber } from '../../../language.ts'

export const texts = {
  heading: 'Catalogue report',
  make: 'Check now',
  waiting: 'A new report is being made. It comes five minutes after the last one at the earliest.',
  /** A moment follows, such as “3 hours ago”. */
  lookedAt: (n: number): string =>
    n === 1 ? '1 product, looked at' : `${formatNumber(n)} products, looked at`,
  none: 'No report yet',
  noneHint: 'Every night we look for pictures and data that do not fit together.',
  fine: 'Nothing to correct',
  fineHint: 'Pictures and data of your products fit together, as far as we can see.',
  kinds: {
    dead_link: 'Pictures that could not be loaded',
    shared_picture: 'One picture, many products',
    category_mismatch: 'Picture and category disagree',
    color_mismatch: 'Picture and colour disagree',
    near_duplicate: 'Probably the same product twice',
    tiny_picture: 'Very small pictures',
    no_words: 'Products without words',
  },
  hints: {
    dead_link: 'Correct the address of the picture, and import the product again.',
    shared_picture: 'Perhaps a placeholder. Shoppers who search by picture do not find these products.',
    category_mismatch: 'Only categories that we recognise reliably in your other products.',
    color_mismatch: 'Only colours that your other products show clearly.',
    near_duplicate: 'Both show the same picture. Variants belong in one group.',
    tiny_picture: 'Below 150 pixels a side little can be recognised. Send larger pictures.',
    no_words: 'A name and a category are enough for shoppers to find them by words.',
  },
  andMore: (n: number): string => (n === 1 ? 'and 1 more' : `and ${formatNumber(n)} more`),
  category: (own: string, seems: string): string =>
    `Its category is “${own}”, and the picture looks like “${seems}”.`,
  colour: (name: string): string => `Its colour is “${name}”, and the picture shows nothing of it.`,
  shared: (n: number): string => `${formatNumber(n)} products have this picture.`,
  pixels: (width: number, height: number): string => `${width} × ${height} pixels`,
  /** The name of the other product follows. */
  twin: 'The same picture as',
  mute: 'No name, category, brand, description or tags',
}
