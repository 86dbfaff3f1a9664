/** The first files of the dictionary. Where two words have one stem, that of the earlier file has it. */
const FIRST: readonly string[] = [
  'clothing.tsv',
  'shoes-bags-accessories.tsv',
  'home-furniture.tsv',
  'textiles-decor-lighting.tsv',
  'kitchen-tableware.tsv',
  'beauty-health-drugstore.tsv',
  'electronics-computers-phones.tsv',
  'household-appliances-cleaning.tsv',
  'office-stationery-art-music.tsv',
  'pets-animals-plants.tsv',
  'sports-outdoor-bikes.tsv',
  'tools-diy-garden-car.tsv',
  'toys-kids-baby-books.tsv',
  'food-drinks.tsv',
]
/** What describes a thing gives way to all things. */
const LAST = 'modifiers.tsv'

/** Orders the files: the common goods first, then those that are not listed here by name, then what describes goods. */
export function orderFiles(files: readonly string[]): string[] {
  const rankOf = (file: string): number => {
    const at = FIRST.indexOf(file)
    return file === LAST ? FIRST.length + 1 : at === -1 ? FIRST.length : at
  }
  return files.toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
}
