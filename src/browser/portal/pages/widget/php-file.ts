import shopPages from '../../../../../scripts/plugins/woocommerce/includes/shop-pages.php' with {
  type: 'text',
}
import head from '../../../../../scripts/plugins/woocommerce-snippet.php' with { type: 'text' }

/** Writes a text as PHP reads it. */
const quote = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

/** What stands at the top of a file of the plugin, and once in the snippet. */
const TOP = /^<\?php\n[\s\S]*?\n {4}exit;\n}\n/

/** Joins the two parts of the snippet: its own, and what the plugin has as well. */
const joinSnippet = (): string => head + shopPages.replace(TOP, '')

/** The snippet for WooCommerce with the address of this service and a key in it. @throws Error if the example has neither. */
export function writePhpFile(service: string, key: string): string {
  const fill = (code: string, name: string, value: string): string => {
    const [before, after, ...others] = code.split(new RegExp(`(?<=^const ${name} = )'[^']*'(?=;$)`, 'm'))
    if (before === undefined || after === undefined || others.length > 0)
      throw new Error('The example has another form')
    return before + quote(value) + after
  }
  return fill(fill(joinSnippet(), 'LOOKALIKE_SERVICE', service), 'LOOKALIKE_KEY', key)
}
