import { join } from 'node:path'
import {
  type Context,
  type Emitter,
  Liquid,
  Tag,
  type TagToken,
  type Template,
  type TopLevelToken,
} from 'liquidjs'

const FILES = join(import.meta.dir, '../../scripts/plugins/shopify')

/** A product as Liquid shows it in a theme of Shopify; prices in cents. */
export interface LiquidProduct {
  handle: string
  title: string
  vendor: string
  type: string
  url: string
  description: string
  featured_image: string | null
  images: string[]
  tags: string[]
  available: boolean
  created_at: string
  price_min: number
  price_max: number
  'gift_card?': boolean
  options_with_values: { name: string; values: string[] }[]
  variants: {
    id: number
    title: string
    sku: string | null
    price: number
    compare_at_price: number | null
    available: boolean
    image: string | null
  }[]
}

/** The pages of a collection, as the tag `paginate` makes them. */
class Paginate extends Tag {
  private readonly size: number
  private readonly templates: Template[] = []

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    this.size = Number(/^collection\.products by (\d+)$/.exec(token.args)?.[1])
    if (!(this.size >= 1 && this.size <= 250)) throw new Error('Shopify takes 1 to 250 in a page')
    const stream = liquid.parser
      .parseStream(remaining)
      .on('tag:endpaginate', () => stream.stop())
      .on('template', (template: Template) => this.templates.push(template))
    stream.start()
  }

  *render(context: Context, emitter: Emitter): Generator<unknown> {
    const { products, page } = context.environments as { products: LiquidProduct[]; page: number }
    const shown = products.slice((page - 1) * this.size, page * this.size)
    const pages = Math.ceil(products.length / this.size)
    context.push({ collection: { products: shown }, paginate: { pages } })
    yield this.liquid.renderer.renderTemplates(this.templates, context, emitter)
    context.pop()
  }
}

/** Takes the schema of a section out, as Shopify does. */
class Schema extends Tag {
  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    liquid.parser
      .parseStream(remaining)
      .on('tag:endschema', function (this: { stop(): void }) {
        this.stop()
      })
      .start()
  }

  *render(): Generator<unknown> {}
}

/** Liquid with what Shopify adds to it, as far as our files use it. @param pictureUrl the address of a picture, without `https:`. */
export function openTheme(pictureUrl: (image: string, width: number) => string) {
  const liquid = new Liquid({ root: FILES, strictFilters: true })
  liquid.registerTag('paginate', Paginate)
  liquid.registerTag('schema', Schema)
  liquid.registerFilter('image_url', (image: string, [, width]: [string, number]) => pictureUrl(image, width))
  return {
    /** One page of the list of products. */
    list: (products: LiquidProduct[], page: number): Promise<string> =>
      liquid.renderFile('templates/collection.lookalike.liquid', {
        ...{ products, page },
        shop: { url: 'https://shop.test' },
        cart: { currency: { iso_code: 'EUR' } },
      }),
    section: (name: string, scope: object): Promise<string> =>
      liquid.renderFile(`sections/${name}.liquid`, scope),
    /** What the editor of themes asks the merchant for. */
    async schemaOf(name: string): Promise<{ settings: { id: string; default?: unknown }[] }> {
      const text = await Bun.file(join(FILES, 'sections', `${name}.liquid`)).text()
      return JSON.parse(/\{% schema %\}([\s\S]*)\{% endschema %\}/.exec(text)?.[1] ?? '')
    },
  }
}
