import { pluralsIn } from '../../../texts/plurals.ts'

const { counted } = pluralsIn('en')

export const texts = {
  heading: 'Search on your shop',
  lead: 'One line of HTML puts the search by picture into your shop. Go from the top to the bottom; everything can be changed later.',
  noRights: 'Your role may not see the keys of the widget. An owner, an admin or a developer can.',
  factsLocked: 'Only owners and admins may change this.',
  saved: 'Saved',
  system: 'What does your shop run on?',
  systems: {
    woocommerce: 'WooCommerce',
    shopify: 'Shopify',
    shopware: 'Shopware',
    prestashop: 'PrestaShop',
    magento: 'Magento',
    opencart: 'OpenCart',
    other: 'Something else',
  },
  origin: 'Where is your shop?',
  shopAddress: 'Address of your shop',
  shopAddressHint: 'As a shopper types it, such as www.shop.example',
  badAddress: 'This is no address of a website. It looks like www.shop.example.',
  allowed: 'The widget works on these addresses and nowhere else:',
  makeKey: 'Make the key',
  makingKey: 'Making the key …',
  key: 'Key',
  keyHint:
    'The key is public: it stands in every page of the shop, and works only on the addresses that it lists.',
  keyUnknown: 'This key is older than the list and cannot be shown. Make a new one to get a snippet.',
  addAddress: 'Add an address',
  add: 'Add',
  removeAddress: (origin: string) => `Remove ${origin}`,
  saveAddresses: 'Save the addresses',
  anotherKey: 'Make another key',
  revoke: 'Revoke this key',
  revokeSure: (name: string) => `Revoke the key “${name}”?`,
  revokeSeen: (origin: string, ago: string) =>
    `The search disappears from ${origin}, where it was last used ${ago}.`,
  revokeUnseen: 'No shop has used this key yet.',
  revokeEnd: 'Pages that carry the key need another one. A revoked key does not come back.',
  address: 'Where do your products open?',
  addressHint:
    'Products with an address of their own keep it. For all others, {product_id}, {sku} or another field stands for the value of the product.',
  template: 'Address of a product',
  test: 'Try it on three products',
  testing: 'Trying …',
  save: 'Save this address',
  opens: (path: string) => `opens ${path}`,
  answers: (path: string, status: number) =>
    status === 404 ? `${path}: the shop has no such page (404)` : `${path}: the shop answers ${status}`,
  noneFits: 'None of your first 20 products has every field of this address. Choose another field.',
  unreachable: (path: string, why: string) => `${path}: ${why}`,
  why: {
    url_not_allowed: 'this address may not be opened from here.',
    blocked_address:
      'the service may not reach this network. If it runs offline, or the shop is on an internal network, look at the address in your browser instead.',
    dns: 'there is no website of that name.',
    connect:
      'the shop does not answer. If the service has no network, look at the address in your browser instead.',
    timeout: 'the shop takes too long to answer.',
    tls: 'the certificate of the shop is not valid.',
    too_large: 'the page is larger than 2 MiB.',
    too_many_redirects: 'the shop sends visitors around in a circle.',
    not_a_page: 'this is no HTML page.',
    http_status: 'the shop refuses this page.',
  } as Readonly<Record<string, string>>,
  look: 'How does it look?',
  language: 'Language',
  asPage: 'As the page of the shop',
  theme: 'Brightness',
  themes: { auto: 'As the visitor prefers', light: 'Light', dark: 'Dark' },
  mode: 'Opens',
  modes: { modal: 'over the page', inline: 'in the page' },
  place: 'Camera',
  places: { tag: 'where the line stands', field: 'in the search field of the shop' },
  selector: 'Selector of the search field',
  colour: 'Colour of the buttons',
  colourHint:
    'The dropper of the colour field takes a colour from a screenshot, or from the shop in another window.',
  consent: 'Store nothing before the visitor has agreed',
  preview: 'With your products',
  phone: 'Phone',
  desktop: 'Desktop',
  previewNeedsKey: 'The preview appears when the shop has a key.',
  previewNoSearch: 'Your role may not search, so there is no preview.',
  previewTitle: 'Preview of the widget',
  reload: 'Open the preview anew',
  previewHint: 'A preview ends after 15 minutes. It counts nowhere.',
  snippet: 'Put it into your shop',
  snippetHint: (origins: string) =>
    `Add this line before </body>. The key is public and works only on ${origins}.`,
  copySnippet: 'Copy the line',
  download: 'Download lookalike.php',
  downloadHint:
    'With your key in it; it also tells of carts and purchases, and leads from a result to the product.',
  css: 'The colours, in a style sheet of the shop',
  policy: 'If the shop has a Content-Security-Policy, add to it',
  copyPolicy: 'Copy the policy',
  copyCss: 'Copy the colours',
  send: 'Send to my developer',
  mailSubject: 'The search by picture for our shop',
  mailBody: (system: string, snippet: string, policy: string) =>
    `Hello,\n\nplease put this line before </body> on every page of our shop${system}:\n\n${snippet}\n\n` +
    `If the shop sends a Content-Security-Policy, it also needs:\n\n${policy}\n\n` +
    'The key is public and works only on the addresses of our shop. How it works, and how carts and purchases are told: ',
  where: {
    woocommerce:
      'Put the file lookalike.php into the folder wp-content/mu-plugins/ of the shop; make the folder if it is not there. Nothing else is needed.',
    shopify:
      'Online Store → Themes → “…” → Edit code → layout/theme.liquid, before </body>. The pages of the checkout do not run it: tell of purchases from your backend. The lookalike-shopify files of a release do the same, with settings in the theme editor, and also list the products for a feed.',
    shopware:
      'In your theme: Resources/views/storefront/base.html.twig, in the block base_body_script after {{ parent() }}. Then clear the cache.',
    prestashop:
      'In your theme: templates/layouts/layout-both-columns.tpl, before </body>. Then clear the cache under Advanced Parameters → Performance.',
    magento:
      'Content → Design → Configuration → your store → Edit → Footer → Miscellaneous HTML. List the service in csp_whitelist.xml, then flush the cache.',
    opencart:
      'catalog/view/template/common/footer.twig (OpenCart 3: catalog/view/theme/<your theme>/template/common/footer.twig), before </body>.',
    other: 'In the template that all pages of the shop share, before </body>.',
  },
  seen: 'Does it work?',
  seenOn: (origin: string, ago: string) => `Seen on ${origin} ${ago}`,
  counts: (searches: string, clicks: string) =>
    `${counted(searches, 'search', 'searches')} and ${counted(clicks, 'click', 'clicks')} in 7 days`,
  notSeen: (origin: string) => `Not seen on ${origin} yet.`,
  addLine: {
    clicks:
      'Searches arrive, but no clicks. Let the browser follow the links of the results, or tell of clicks yourself.',
    carts: 'Clicks arrive, but no carts. Where a product goes into the cart, add this line:',
    purchases: 'No purchases arrive. On the page that thanks for the order, add this line for each product:',
  },
  check: 'Check my shop',
  checking: 'Looking …',
  checkAddress: 'Page to look at',
  checkHint: 'The service opens the page once, as a stranger would. For this it needs the network.',
  facts: {
    snippet: ['The page has the line of the widget.', 'The page has no line of the widget.'],
    key: ['It carries this key.', 'It carries another key than this one.'],
    origin: [
      'The key lists the address of the page.',
      'The key does not list the address of the page. Add it above.',
    ],
    policy: [
      'No Content-Security-Policy stops the widget.',
      'The Content-Security-Policy of the page stops the widget. It needs the service in: ',
    ],
  } satisfies Readonly<Record<string, readonly [string, string]>>,
  byScript: 'A line that another script adds is not seen this way; what counts is “Seen on …”.',
  events: 'Searches as they arrive',
  watch: 'Watch',
  stop: 'Stop',
  watching: 'Watching. Search in your shop, and it appears here within seconds.',
  nothingYet: 'Nothing has arrived from the shop yet.',
  clicked: (clicks: string) => counted(clicks, 'click', 'clicks'),
  found: (count: string) => `${count} found`,
  byPicture: 'a photo',
  bySimilar: 'a product of yours',
  budget: (perMinute: string) =>
    `${counted(perMinute, 'search a minute is', 'searches a minute are')} allowed.`,
  refused: (count: string) => `Refused today: ${count}.`,
  guide: 'All options, events and texts: the guide of the widget',
}
export type Texts = typeof texts
