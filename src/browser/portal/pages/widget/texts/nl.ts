import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('nl')

export const texts: Texts = {
  heading: 'Zoeken in uw webwinkel',
  lead: 'Met één regel HTML staat zoeken met een foto in uw webwinkel. Werk van boven naar beneden; alles is later te wijzigen.',
  noRights:
    'Met uw rol kunt u de sleutels van de widget niet zien. Een eigenaar, admin of ontwikkelaar kan dat wel.',
  factsLocked: 'Alleen eigenaren en admins mogen dit wijzigen.',
  saved: 'Opgeslagen',
  system: 'Waarop draait uw webwinkel?',
  systems: {
    woocommerce: 'WooCommerce',
    shopify: 'Shopify',
    shopware: 'Shopware',
    prestashop: 'PrestaShop',
    magento: 'Magento',
    opencart: 'OpenCart',
    other: 'Iets anders',
  },
  origin: 'Waar staat uw webwinkel?',
  shopAddress: 'Adres van uw webwinkel',
  shopAddressHint: 'Zoals een klant het typt, bijvoorbeeld www.shop.example',
  badAddress: 'Dit is geen adres van een website. Een voorbeeld: www.shop.example.',
  allowed: 'De widget werkt op deze adressen en nergens anders:',
  makeKey: 'Sleutel maken',
  makingKey: 'Sleutel wordt gemaakt…',
  key: 'Sleutel',
  keyHint:
    'De sleutel is openbaar: hij staat in elke pagina van de webwinkel en werkt alleen op de adressen in zijn lijst.',
  keyUnknown:
    'Deze sleutel is ouder dan de lijst en kan niet worden getoond. Maak een nieuwe om een regel te krijgen.',
  addAddress: 'Adres toevoegen',
  add: 'Toevoegen',
  removeAddress: (origin) => `${origin} verwijderen`,
  saveAddresses: 'Adressen opslaan',
  anotherKey: 'Nog een sleutel maken',
  revoke: 'Deze sleutel intrekken',
  revokeSure: (name) => `Sleutel ‘${name}’ intrekken?`,
  revokeSeen: (origin, ago) => `Het zoeken verdwijnt van ${origin} (laatst gebruikt: ${ago}).`,
  revokeUnseen: 'Nog geen webwinkel heeft deze sleutel gebruikt.',
  revokeEnd: 'Pagina’s met deze sleutel hebben een andere nodig. Een ingetrokken sleutel komt niet terug.',
  address: 'Waar openen uw producten?',
  addressHint:
    'Producten met een eigen adres houden dat. Bij alle andere staat {product_id}, {sku} of een ander veld voor de waarde van het product.',
  template: 'Adres van een product',
  test: 'Met drie producten proberen',
  testing: 'Bezig met proberen…',
  save: 'Dit adres opslaan',
  opens: (path) => `opent ${path}`,
  answers: (path, status) =>
    status === 404
      ? `${path}: de webwinkel heeft deze pagina niet (404)`
      : `${path}: de webwinkel antwoordt ${status}`,
  noneFits: 'Geen van uw eerste 20 producten heeft alle velden van dit adres. Kies een ander veld.',
  unreachable: (path, why) => `${path}: ${why}`,
  why: {
    url_not_allowed: 'dit adres mag hiervandaan niet worden geopend.',
    blocked_address:
      'de dienst kan dit netwerk niet bereiken. Werkt de dienst offline of staat de webwinkel in een intern netwerk, bekijk het adres dan in uw browser.',
    dns: 'er bestaat geen website met die naam.',
    connect: 'de webwinkel antwoordt niet. Heeft de dienst geen netwerk, bekijk het adres dan in uw browser.',
    timeout: 'de webwinkel doet er te lang over om te antwoorden.',
    tls: 'het certificaat van de webwinkel is niet geldig.',
    too_large: 'de pagina is groter dan 2 MiB.',
    too_many_redirects: 'de webwinkel stuurt bezoekers in een kringetje rond.',
    not_a_page: 'dit is geen HTML-pagina.',
    http_status: 'de webwinkel weigert deze pagina.',
  },
  look: 'Hoe ziet het eruit?',
  language: 'Taal',
  asPage: 'Zoals de pagina van de webwinkel',
  theme: 'Helderheid',
  themes: { auto: 'Zoals de bezoeker wil', light: 'Licht', dark: 'Donker' },
  mode: 'Opent',
  modes: { modal: 'over de pagina', inline: 'in de pagina' },
  place: 'Camera',
  places: { tag: 'waar de regel staat', field: 'in het zoekveld van de webwinkel' },
  selector: 'Selector van het zoekveld',
  colour: 'Kleur van de knoppen',
  colourHint:
    'Met het pipet van het kleurveld neemt u een kleur over uit een schermafbeelding of uit de webwinkel in een ander venster.',
  consent: 'Niets opslaan voordat de bezoeker toestemming geeft',
  preview: 'Met uw producten',
  phone: 'Telefoon',
  desktop: 'Computer',
  previewNeedsKey: 'Het voorbeeld verschijnt zodra de webwinkel een sleutel heeft.',
  previewNoSearch: 'Met uw rol kunt u niet zoeken, daarom is er geen voorbeeld.',
  previewTitle: 'Voorbeeld van de widget',
  reload: 'Voorbeeld opnieuw openen',
  previewHint: 'Een voorbeeld eindigt na 15 minuten. Het telt nergens mee.',
  snippet: 'Zet het in uw webwinkel',
  snippetHint: (origins) =>
    `Voeg deze regel toe vóór </body>. De sleutel is openbaar en werkt alleen op ${origins}.`,
  copySnippet: 'Regel kopiëren',
  download: 'lookalike.php downloaden',
  downloadHint:
    'Uw sleutel staat er al in; het meldt ook winkelwagens en aankopen en leidt van een resultaat naar het product.',
  css: 'De kleuren, in een stylesheet van de webwinkel',
  policy: 'Heeft de webwinkel een Content-Security-Policy, voeg dan toe',
  copyPolicy: 'Policy kopiëren',
  copyCss: 'Kleuren kopiëren',
  send: 'Naar mijn ontwikkelaar sturen',
  mailSubject: 'Zoeken met een foto in onze webwinkel',
  mailBody: (system, snippet, policy) =>
    `Hallo,\n\nwilt u deze regel vóór </body> op elke pagina van onze webwinkel${system} zetten:\n\n${snippet}\n\n` +
    `Verstuurt de webwinkel een Content-Security-Policy, dan is ook dit nodig:\n\n${policy}\n\n` +
    'De sleutel is openbaar en werkt alleen op de adressen van onze webwinkel. Hoe het werkt en hoe winkelwagens en aankopen worden gemeld: ',
  where: {
    woocommerce:
      'Zet het bestand lookalike.php in de map wp-content/mu-plugins/ van de webwinkel; maak de map als die er niet is. Meer is niet nodig.',
    shopify:
      'Onlinewinkel → Thema’s → ‘…’ → Code bewerken → layout/theme.liquid, vóór </body>. De pagina’s van de checkout voeren de regel niet uit: meld aankopen vanuit uw backend. De bestanden lookalike-shopify van een versie doen hetzelfde met instellingen in de thema-editor en geven de producten als lijst voor een feed.',
    shopware:
      'In uw thema: Resources/views/storefront/base.html.twig, in het blok base_body_script na {{ parent() }}. Leeg daarna de cache.',
    prestashop:
      'In uw thema: templates/layouts/layout-both-columns.tpl, vóór </body>. Leeg daarna de cache onder Geavanceerde parameters → Prestaties.',
    magento:
      'Content → Design → Configuration → uw winkel → Edit → Footer → Miscellaneous HTML. Zet de dienst in csp_whitelist.xml en leeg daarna de cache.',
    opencart:
      'catalog/view/template/common/footer.twig (OpenCart 3: catalog/view/theme/<uw thema>/template/common/footer.twig), vóór </body>.',
    other: 'In de template die alle pagina’s van de webwinkel delen, vóór </body>.',
  },
  seen: 'Werkt het?',
  seenOn: (origin, ago) => `Gezien op ${origin}, ${ago}`,
  counts: (searches, clicks) =>
    `${counted(searches, 'zoekopdracht', 'zoekopdrachten')} en ${counted(clicks, 'klik', 'klikken')} in 7 dagen`,
  notSeen: (origin) => `Nog niet gezien op ${origin}.`,
  addLine: {
    clicks:
      'Er komen zoekopdrachten binnen, maar geen klikken. Laat de browser de links van de resultaten volgen, of meld klikken zelf.',
    carts:
      'Er komen klikken binnen, maar geen winkelwagens. Voeg deze regel toe waar een product in de winkelwagen gaat:',
    purchases:
      'Er komen geen aankopen binnen. Voeg op de bedankpagina van de bestelling voor elk product deze regel toe:',
  },
  check: 'Mijn webwinkel controleren',
  checking: 'Controleren…',
  checkAddress: 'Te controleren pagina',
  checkHint: 'De dienst opent de pagina één keer, zoals een bezoeker. Daarvoor is netwerk nodig.',
  facts: {
    snippet: [
      'De regel van de widget staat in de pagina.',
      'De regel van de widget staat niet in de pagina.',
    ],
    key: ['De pagina heeft deze sleutel.', 'De pagina heeft een andere sleutel dan deze.'],
    origin: [
      'Het adres van de pagina staat in de lijst van de sleutel.',
      'Het adres van de pagina staat niet in de lijst van de sleutel. Voeg het hierboven toe.',
    ],
    policy: [
      'Geen Content-Security-Policy houdt de widget tegen.',
      'De Content-Security-Policy van de pagina houdt de widget tegen. De dienst moet staan in: ',
    ],
  },
  byScript: 'Een regel die een ander script toevoegt, is zo niet te zien; wat telt is ‘Gezien op …’.',
  events: 'Binnenkomende zoekopdrachten',
  watch: 'Meekijken',
  stop: 'Stoppen',
  watching: 'U kijkt mee. Zoek in uw webwinkel en het verschijnt hier binnen enkele seconden.',
  nothingYet: 'Er is nog niets uit de webwinkel binnengekomen.',
  clicked: (clicks) => counted(clicks, 'klik', 'klikken'),
  found: (count) => `${count} gevonden`,
  byPicture: 'een foto',
  bySimilar: 'een product van u',
  budget: (perMinute) => `Toegestane zoekopdrachten per minuut: ${perMinute}.`,
  refused: (count) => `Vandaag geweigerd: ${count}.`,
  guide: 'Alle opties, gebeurtenissen en teksten: de handleiding van de widget',
}
