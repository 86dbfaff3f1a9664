import { pluralsIn } from '../../../texts/plurals.ts'
import type { FindingTexts } from '../describe-finding.ts'
import type { Field } from '../mapping.ts'

const { counted, plural } = pluralsIn('en')

const fields: Readonly<Record<Field, string>> = {
  image_url: 'the picture',
  product_id: 'the product number',
  name: 'the name',
  price: 'the price',
  sale_price: 'the sale price',
  category: 'the category',
  brand: 'the brand',
  color_name: 'the colour',
  in_stock: 'the stock',
  url: 'the address in your shop',
  additional_image_urls: 'further pictures',
  description: 'the description',
  currency: 'the currency',
  tags: 'the tags',
  variant_group: 'the group of variants',
  sku: 'the article number',
  gtin: 'the barcode number',
  rating: 'the rating',
  sale_price_from: 'the first day of the sale',
  sale_price_until: 'the last day of the sale',
}

/** What the service found in a file. */
const findings: FindingTexts = {
  encoding_guessed: ({ encoding }) =>
    `The file is not UTF-8. It was read as ${encoding}: look at the letters with accents.`,
  column_unknown: ({ column }) => `The file has no column “${column}”.`,
  price_without_tax: ({ column }) =>
    `The prices of the column “${column}” are without tax, and the shop may show them with it.`,
  fields_without_column: ({ fields, products }) =>
    `No column was found for: ${fields}. ${counted(products, 'product', 'products')} will be without. Choose the column above.`,
  results_without_links: () =>
    'No column gives the address of a product, and the store has none: results will not be links. Say on the page “Widget” where your products open.',
  prices_without_currency: () =>
    'No column gives a currency, and the store has none: prices are shown without one. Choose it in the settings of the store.',
  sale_not_below_price: ({ products }) =>
    `${counted(products, 'product has', 'products have')} a sale price that is not below the price: it is left out.`,
  sale_dates_unreadable: ({ products }) =>
    `${counted(products, 'product has', 'products have')} a sale whose dates cannot be read: it is left out. Write dates as 2030-12-24.`,
  category_too_deep: ({ products }) =>
    `${counted(products, 'product has', 'products have')} a category of more than 10 levels: the first 10 are kept.`,
  parent_missing: ({ products }) =>
    `${counted(products, 'variant names', 'variants name')} a parent that the file does not have, and ${plural(products, 'gets', 'get')} nothing from it. Export all products into one file.`,
  parent_not_kept: ({ products }) =>
    `${counted(products, 'variant gets', 'variants get')} nothing from the parent, because the file has too many products with variants. Split it.`,
  products_hidden: ({ products }) =>
    `${counted(products, 'product is', 'products are')} left out: drafts, or not published.`,
  vectors_of_another_model: ({ products }) =>
    `${counted(products, 'product brings', 'products bring')} vectors of another model: the pictures are read instead.`,
  dry_run_stopped: ({ line, products }) =>
    `After ${counted(products, 'wrong product', 'wrong products')} the look at the file stopped at line ${line}: the counts are those up to there.`,
  file_not_kept: () =>
    'The service has no room to keep the file at present: it is sent once more for the import.',
}

/** What is wrong with the columns, by the code of the API. */
const problems: Readonly<Record<string, string>> = {
  column_unknown: 'A column that was chosen is not in this file. Choose another.',
  pages_not_pictures:
    'The column for the picture holds addresses of pages. Choose the one with the addresses of the pictures (.jpg, .png, .webp).',
}

export const texts = {
  heading: 'Import a file',
  isRight: 'Is this right?',
  noRights:
    'Your role may look at products, and not import them. An owner or an administrator can change it.',
  choose: 'Choose a file',
  chooseOther: 'Choose another file',
  drop: 'or drop it here',
  kinds: 'CSV, TSV, NDJSON, XML, or a zip file with a table and its pictures. At most 100 MB.',
  fromShops:
    'Exports of WooCommerce, Shopify, PrestaShop, Magento, OpenCart and Google Merchant are understood as they are, in any language. Nothing is written before you have seen it.',
  fromAddress: 'Is the file at an address? Read it from there.',
  sending: 'The file is being sent',
  reading: 'The file is being read, and its first pictures are fetched',
  cancel: 'Cancel',
  troubles: {
    empty: 'This file is empty.',
    too_large: 'This file is larger than 100 MB.',
    spreadsheet: 'This is a spreadsheet, not a table of text.',
    expired: 'The service keeps a file for 30 minutes, and they are over.',
    unreadable: 'This file cannot be read.',
  },
  cures: {
    empty: 'Export it again from your shop, then choose it here.',
    too_large: 'Split it into several files, or pack it as zip or gzip.',
    spreadsheet: 'Open it in your spreadsheet program, save it as CSV (UTF-8), and choose that file.',
    expired: 'Send it again: everything that you chose here stays.',
  },
  sendAgain: (name: string) => `Send “${name}” again`,
  first: (count: string) => plural(count, 'The first product', `The first ${count} products`),
  picturesFailed: (failed: string, all: string) =>
    `${failed} of ${counted(all, 'picture', 'pictures')} could not be loaded. The other products are imported anyway.`,
  noPicture: 'Picture not loaded',
  columns: 'How your columns are read',
  fields,
  tails: {
    image_url: 'looks like the picture',
    product_id: 'looks like the product number',
    name: 'looks like the name',
    price: 'looks like the price',
    sale_price: 'looks like the sale price',
    category: 'looks like the category',
    brand: 'looks like the brand',
    color_name: 'looks like the colour',
    in_stock: 'says what is in stock',
    url: 'looks like the address in your shop',
    additional_image_urls: 'holds further pictures',
    description: 'looks like the description',
    currency: 'looks like the currency',
    tags: 'looks like the tags',
    variant_group: 'holds variants together',
    sku: 'looks like the article number',
    gtin: 'looks like the barcode number',
    rating: 'looks like the rating',
    sale_price_from: 'says when the sale begins',
    sale_price_until: 'says when the sale ends',
  } satisfies Record<Field, string> as Readonly<Record<Field, string>>,
  keptAs: (key: string) => `is kept as “${key}”`,
  nothingFills: (field: string) => `No column gives ${field}`,
  columnFor: (field: string) => `Column for ${field}`,
  noColumn: 'No column',
  openFields: 'Fields without a column',
  losses: 'What would be lost',
  lossesHint: 'Nothing reads these columns. A kept one can be shown and filtered by.',
  loss: (count: string) => `has a value in ${count} of the first rows, such as`,
  keep: 'Keep',
  keepAll: 'Keep all of them',
  changes: 'What changes',
  new: 'New',
  changed: 'Changed',
  unchanged: 'Unchanged',
  gone: 'Not in the file',
  hidden: (count: string) =>
    plural(
      count,
      '1 draft or hidden product is left out.',
      `${count} drafts and hidden products are left out.`,
    ),
  invalid: (count: string) => counted(count, 'row cannot be imported', 'rows cannot be imported'),
  line: (line: string) => `Line ${line}`,
  findings,
  problems,
  noticed: 'We noticed',
  choices: 'Import',
  variants: 'Variants',
  variantsTogether: 'One product with all its variants',
  variantsApart: 'Each variant is a product',
  missing: 'Products that are not in the file',
  missingKeep: 'Keep them',
  missingDelete: 'Delete them',
  willDelete: (count: string) =>
    counted(
      count,
      'product of the store and its pictures will be gone.',
      'products of the store and their pictures will be gone.',
    ),
  brake: (count: string, all: string) =>
    `They are really gone. ${count} of ${counted(all, 'product', 'products')} ${plural(count, 'is', 'are')} not in this file; a file that was cut off would look the same.`,
  run: (count: string) => plural(count, `Import ${count} product`, `Import ${count} products`),
  starting: 'The import begins …',
  summary: (added: string, changed: string) => `${added} new, ${changed} changed`,
  nothingToRun: 'No row of this file can be imported.',
  nightly: 'Repeat every night from an address',
  nightlyAddress: 'Address of the file',
  nightlyHint:
    'Where your shop puts the same export anew. It is read at once, then every 24 hours, as chosen here.',
  nightlyMake: 'Repeat every night',
  feedMade: 'It is being read now, and then every 24 hours.',
  toFeeds: 'Show the feeds',
}
export type Texts = typeof texts
