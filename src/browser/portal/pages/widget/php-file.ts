import example from '../../../../../scripts/examples/woocommerce.php' with { type: 'text' }

/** The snippet for WooCommerce with the address of this service and a key in it. @throws Error if the example has neither. */
export function writePhpFile(service: string, key: string): string {
  const filled = example
    .replace(/(const LOOKALIKE_SERVICE = )'[^']*'/, `$1'${service}'`)
    .replace(/(const LOOKALIKE_KEY = )'[^']*'/, `$1'${key}'`)
  if (!filled.includes(service) || !filled.includes(key)) throw new Error('The example has another form')
  return filled
}
