import { DEMO_PRODUCTS, type DemoProduct } from '../../features/catalogue/demo/catalogue.ts'
import { escapeHtml } from '../../http/page.ts'

/** What the first page shows; the fifth is sold out. */
const SHOWN = ['mug-red', 'mug-black', 'chair-wooden', 'handbag-brown', 't-shirt-black', 'dress-green'].map(
  (name) => `demo-${name}`,
)

const find = (id: string): DemoProduct | undefined =>
  DEMO_PRODUCTS.find(({ product_id }) => product_id === id)

const price = ({ metadata }: DemoProduct): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency: metadata.currency }).format(metadata.price)

const picture = ({ picture, metadata }: DemoProduct): string =>
  `<img src="/pictures/${picture}.webp" alt="${escapeHtml(metadata.name)}" width="320" height="320">`

const purchase = ({ metadata }: DemoProduct): string =>
  metadata.in_stock
    ? '<button type="button" class="cart">Add to cart</button>'
    : '<span class="sold">Sold out</span>'

const card = (product: DemoProduct): string =>
  `<li data-product-id="${product.product_id}"><a href="/p/${product.product_id}">${picture(product)} ${escapeHtml(product.metadata.name)}</a>
  <span>${price(product)}</span> ${purchase(product)}</li>`

const renderHome = (): string => `<p>
  Search by picture with the camera in the search field, or with the one on a product. You can also drop a picture anywhere, or paste one. Type
  <b>mu</b> for suggestions, or <b>returns</b>, for which this shop has a page.
</p>
<ul id="products">${SHOWN.flatMap((id) => find(id) ?? [])
  .map(card)
  .join('\n')}</ul>
<p><a href="/thanks">Buy both mugs</a></p>`

/** A store of your own has other products; their pages show the rows alone. */
function renderProduct(id: string): string {
  const product = find(id)
  const about = product
    ? `<div class="product" data-product-id="${product.product_id}">${picture(product)}
    <div><h2>${escapeHtml(product.metadata.name)}</h2><p>${escapeHtml(product.metadata.brand)}</p><p>${price(product)}</p>${purchase(product)}</div></div>`
    : `<h2>${escapeHtml(id)}</h2>`
  return `<p><a href="/">All products</a></p>
${about}
<div data-together="${escapeHtml(id)}"></div>
<div data-similar-to="${escapeHtml(id)}"></div>`
}

const RETURNS = `<p><a href="/">All products</a></p>
<h2>Returns</h2>
<p>Send anything back within 30 days.</p>`

/** Renders what a page of the shop shows below its header; undefined where there is none. */
export function renderShopPage(path: string): string | undefined {
  if (path === '/') return renderHome()
  if (path === '/returns') return RETURNS
  try {
    return path.startsWith('/p/') ? renderProduct(decodeURIComponent(path.slice(3))) : undefined
  } catch {
    return undefined
  }
}
