// Script of the page that previews a widget. It reads the preview key and the look from the part of the address behind the #,
// which no browser sends anywhere, starts the widget with them, and shows some products of the store.

const byId = (id) => document.getElementById(id)
const note = byId('note')
const list = byId('products')

/** Options of the snippet that a preview may have. Without consent the widget stores nothing in the browser. */
const OPTIONS = ['lang', 'theme', 'mode', 'texts', 'limit', 'url']

/** Words that most shops have something for; the first products are only there to be looked at. */
const QUERY = 'new products'
const PRODUCTS = 8

const say = (text) => {
  note.textContent = text
  note.hidden = text === ''
}

/** Takes the parameters out of the address, so that it can be passed on without the key. */
function takeParameters() {
  const parameters = new URLSearchParams(location.hash.slice(1))
  history.replaceState(null, '', location.pathname)
  return parameters
}

/** Custom properties of the widget that a preview may have, by their parameters. */
const COLOURS = { accent: '--service-accent', accent_text: '--service-accent-text' }

function setColours(parameters) {
  for (const [name, property] of Object.entries(COLOURS)) {
    const value = parameters.get(name) ?? ''
    if (/^#[0-9a-f]{6}$/i.test(value)) document.documentElement.style.setProperty(property, value)
  }
}

function startWidget(parameters) {
  const script = document.createElement('script')
  for (const name of OPTIONS) {
    const value = parameters.get(name)
    if (value !== null) script.dataset[name] = value
  }
  script.dataset.key = parameters.get('key')
  script.dataset.consent = 'required'
  script.dataset.target = '#button'
  script.dataset.attach = '#search'
  script.dataset.similar = '#products .picture'
  script.src = '/widget.js'
  document.head.append(script)
}

async function findProducts(key) {
  const answer = await fetch('/v1/widget/search/text', {
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/json', 'x-service-key': key },
    body: JSON.stringify({ query: QUERY, limit: PRODUCTS }),
  })
  const body = await answer.json().catch(() => ({}))
  if (!answer.ok) throw Object.assign(new Error(body.message), { code: body.error })
  return body.count > 0 ? body.results : (body.popular ?? [])
}

const formatPrice = ({ price, sale_price, currency }, lang) => {
  const amount = sale_price ?? price
  if (typeof amount !== 'number') return ''
  try {
    return new Intl.NumberFormat(lang, currency ? { style: 'currency', currency } : {}).format(amount)
  } catch {
    return String(amount)
  }
}

function addText(parent, name, className, text) {
  if (!text) return
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  parent.append(element)
}

function show({ product_id, image_url, metadata }, lang) {
  const card = document.createElement('li')
  const picture = document.createElement('span')
  picture.className = 'picture'
  picture.dataset.productId = product_id
  const image = document.createElement('img')
  image.alt = ''
  image.loading = 'lazy'
  image.src = image_url
  image.addEventListener('error', () => image.remove())
  picture.append(image)
  card.append(picture)
  const name = typeof metadata.name === 'string' ? metadata.name : product_id
  addText(card, 'span', 'name', name)
  addText(card, 'span', 'price', formatPrice(metadata, lang))
  list.append(card)
}

/** Sentences for the refusals that the person in front of the page can do something about. */
const SENTENCES = {
  unauthorized: 'This preview has ended. Open it again from the portal.',
  permission_denied:
    'The widget key does not allow searches by words. The widget offers what the key allows.',
  rate_limit_exceeded: 'You have made many searches within a minute. Wait a little, then search again.',
  model_not_ready: 'The service is still starting. Open the preview again in a minute.',
}

async function start() {
  const parameters = takeParameters()
  const key = parameters.get('key')
  if (!key) return say(SENTENCES.unauthorized)
  const lang = parameters.get('lang') ?? 'en'
  setColours(parameters)
  startWidget(parameters)
  // A link of a result would lead the frame away from the preview.
  document.addEventListener('service:select', (event) => {
    event.preventDefault()
    const { url, product_id } = event.detail
    say(url ? `In the shop this result opens ${url}` : `The result ${product_id} has no address to open.`)
  })
  try {
    const products = await findProducts(key)
    for (const product of products) show(product, lang)
    say(products.length > 0 ? '' : 'The store has no products yet. Add some, and they appear here.')
  } catch (error) {
    say(SENTENCES[error.code] ?? 'The products could not be loaded. Open the preview again.')
  }
}

start()
