/** What narrows a list of products; an empty text narrows nothing. */
export interface Narrowing {
  q: string
  category: string
  brand: string
}

/**
 * Whether a product is one that somebody looks for, as the list of all products would say.
 *
 * @param metadata empty for a product that the store does not have.
 */
export function fits(
  { q, category, brand }: Narrowing,
  id: string,
  metadata: Readonly<Record<string, unknown>>,
): boolean {
  const read = (value: unknown) => (typeof value === 'string' ? value : '')
  const text = `${id} ${read(metadata['name'])} ${read(metadata['brand'])}`.toLowerCase()
  const words = q.toLowerCase().split(/\s+/)
  return (
    words.every((word) => text.includes(word)) &&
    (category === '' || metadata['category'] === category) &&
    (brand === '' || metadata['brand'] === brand)
  )
}
