/** Keys that tell what another one says, and are as private. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  name: ['variants.name'],
  category: ['category_path'],
  price: ['sale_price', 'price_max', 'variants.price'],
  sale_price: ['variants.price'],
  color_name: ['colors', 'variants.color'],
  in_stock: ['variants.in_stock'],
  sku: ['variants.sku'],
  url: ['variants.url'],
}

/**
 * Lists the private metadata keys: the given ones, and those that would reveal the same value.
 *
 * @param keys with or without `metadata.` before them. A key may contain a dot itself, so each stands for itself, too.
 */
export function listPrivateNames(keys: readonly string[]): string[] {
  const given = keys.flatMap((key) => [key, key.replace(/^metadata\./, '')])
  const told = given.flatMap((key) => (Object.hasOwn(TELLING, key) ? (TELLING[key] ?? []) : []))
  return [...new Set([...given, ...told])]
}
