import example from '../../../../../scripts/examples/woocommerce.php' with { type: 'text' }

/** Writes a text as PHP reads it. */
const quote = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

/** The snippet for WooCommerce with the address of this service and a key in it. @throws Error if the example has neither. */
export function writePhpFile(service: string, key: string): string {
  const fill = (code: string, name: string, value: string): string => {
    const [before, after, ...others] = code.split(new RegExp(`(?<=^const ${name} = )'[^']*'(?=;$)`, 'm'))
    if (before === undefined || after === undefined || others.length > 0)
      throw new Error('The example has another form')
    return before + quote(value) + after
  }
  return fill(fill(example, 'LOOKALIKE_SERVICE', service), 'LOOKALIKE_KEY', key)
}
