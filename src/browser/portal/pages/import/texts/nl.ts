import { pluralsIn } from '../../../texts/plurals.ts'
import type { FindingTexts } from '../describe-finding.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('nl')

/** What the service found in a file. */
const findings: FindingTexts = {
  encoding_guessed: ({ encoding }) =>
    `Het bestand is geen UTF-8. Het is gelezen als ${encoding}: controleer de letters met accenten.`,
  column_unknown: ({ column }) => `Het bestand heeft geen kolom ‘${column}’.`,
  price_without_tax: ({ column }) =>
    `De prijzen in de kolom ‘${column}’ zijn zonder btw; de webwinkel toont ze misschien met btw.`,
  fields_without_column: ({ fields, products }) =>
    `Geen kolom gevonden voor: ${fields}. Dat ontbreekt dan bij ${counted(products, 'product', 'producten')}. Kies de kolom hierboven.`,
  results_without_links: () =>
    'Geen kolom bevat het adres van een product en de winkel heeft er geen: resultaten leiden nergens heen. Geef op de pagina ‘Widget’ aan waar uw producten opengaan.',
  prices_without_currency: () =>
    'Geen kolom bevat een valuta en de winkel heeft er geen: prijzen worden zonder getoond. Kies de valuta in de instellingen van de winkel.',
  sale_not_below_price: ({ products }) =>
    `${counted(products, 'product heeft', 'producten hebben')} een actieprijs die niet lager is dan de prijs: die wordt weggelaten.`,
  sale_dates_unreadable: ({ products }) =>
    `${counted(products, 'product heeft', 'producten hebben')} een actie met onleesbare datums: die wordt weggelaten. Schrijf datums als 2030-12-24.`,
  category_too_deep: ({ products }) =>
    `${counted(products, 'product heeft', 'producten hebben')} een categorie met meer dan 10 niveaus: de eerste 10 blijven.`,
  parent_missing: ({ products }) =>
    `${counted(products, 'variant noemt', 'varianten noemen')} een hoofdproduct dat niet in het bestand staat en ${plural(products, 'neemt', 'nemen')} er niets van over. Exporteer alle producten in één bestand.`,
  parent_not_kept: ({ products }) =>
    `${counted(products, 'variant neemt', 'varianten nemen')} niets over van het hoofdproduct, omdat het bestand te veel producten met varianten heeft. Splits het.`,
  products_hidden: ({ products }) =>
    `${counted(products, 'product wordt', 'producten worden')} weggelaten: concept of niet gepubliceerd.`,
  vectors_of_another_model: ({ products }) =>
    `${counted(products, 'product brengt', 'producten brengen')} vectoren van een ander model mee: in plaats daarvan worden de foto’s gelezen.`,
  dry_run_stopped: ({ line, products }) =>
    `Na ${counted(products, 'fout product', 'foute producten')} is de controle gestopt bij regel ${line}: er is geteld tot daar.`,
  file_not_kept: () =>
    'De dienst heeft nu geen plaats om het bestand te bewaren: voor de import wordt het opnieuw verzonden.',
}

/** What is wrong with the columns, by the code of the API. */
const problems: Readonly<Record<string, string>> = {
  column_unknown: 'Een gekozen kolom staat niet in dit bestand. Kies een andere.',
  pages_not_pictures:
    'De kolom voor de foto bevat adressen van pagina’s. Kies die met de adressen van de foto’s (.jpg, .png, .webp).',
}

export const texts: Texts = {
  heading: 'Bestand importeren',
  isRight: 'Klopt dit zo?',
  noRights:
    'Met uw rol kunt u producten bekijken, maar niet importeren. Een eigenaar of admin kan dat wijzigen.',
  choose: 'Bestand kiezen',
  chooseOther: 'Ander bestand kiezen',
  drop: 'of sleep het hierheen',
  kinds: 'CSV, TSV, NDJSON, XML of een zipbestand met een tabel en de bijbehorende foto’s. Maximaal 100 MB.',
  fromShops:
    'Exports van WooCommerce, Shopify, PrestaShop, Magento, OpenCart en Google Merchant kunt u gebruiken zoals ze zijn, in elke taal. Er wordt niets opgeslagen voordat u het hebt gezien.',
  fromAddress: 'Staat het bestand op een adres? Lees het daarvandaan.',
  sending: 'Het bestand wordt verstuurd',
  reading: 'Het bestand wordt gelezen en de eerste foto’s worden opgehaald',
  cancel: 'Annuleren',
  troubles: {
    empty: 'Dit bestand is leeg.',
    too_large: 'Dit bestand is groter dan 100 MB.',
    spreadsheet: 'Dit is een spreadsheet, geen tabel in tekst.',
    expired: 'De dienst bewaart een bestand 30 minuten, en die zijn voorbij.',
    unreadable: 'Dit bestand kan niet worden gelezen.',
  },
  cures: {
    empty: 'Exporteer het opnieuw uit uw webwinkel en kies het dan hier.',
    too_large: 'Verdeel het over meerdere bestanden of pak het in als zip of gzip.',
    spreadsheet: 'Open het in uw spreadsheetprogramma, sla het op als CSV (UTF-8) en kies dat bestand.',
    expired: 'Verstuur het opnieuw: alles wat u hier hebt gekozen, blijft staan.',
  },
  sendAgain: (name) => `‘${name}’ opnieuw versturen`,
  first: (count) => plural(count, 'Het eerste product', `De eerste ${count} producten`),
  picturesFailed: (failed, all) =>
    `${failed} van ${counted(all, 'foto', 'foto’s')} ${plural(failed, 'kon', 'konden')} niet worden geladen. De andere producten worden wel geïmporteerd.`,
  noPicture: 'Foto niet geladen',
  columns: 'Zo worden uw kolommen gelezen',
  fields: {
    image_url: 'foto',
    product_id: 'productnummer',
    name: 'naam',
    price: 'prijs',
    sale_price: 'actieprijs',
    category: 'categorie',
    brand: 'merk',
    color_name: 'kleur',
    in_stock: 'voorraad',
    url: 'adres in uw webwinkel',
    additional_image_urls: 'meer foto’s',
    description: 'omschrijving',
    currency: 'valuta',
    tags: 'tags',
    variant_group: 'variantgroep',
    sku: 'artikelnummer',
    gtin: 'barcodenummer',
    rating: 'beoordeling',
    sale_price_from: 'begin van de actie',
    sale_price_until: 'einde van de actie',
  },
  tails: {
    image_url: 'lijkt de foto',
    product_id: 'lijkt het productnummer',
    name: 'lijkt de naam',
    price: 'lijkt de prijs',
    sale_price: 'lijkt de actieprijs',
    category: 'lijkt de categorie',
    brand: 'lijkt het merk',
    color_name: 'lijkt de kleur',
    in_stock: 'zegt wat op voorraad is',
    url: 'lijkt het adres in uw webwinkel',
    additional_image_urls: 'bevat meer foto’s',
    description: 'lijkt de omschrijving',
    currency: 'lijkt de valuta',
    tags: 'lijkt de tags te bevatten',
    variant_group: 'houdt varianten bij elkaar',
    sku: 'lijkt het artikelnummer',
    gtin: 'lijkt het barcodenummer',
    rating: 'lijkt de beoordeling',
    sale_price_from: 'zegt wanneer de actie begint',
    sale_price_until: 'zegt wanneer de actie eindigt',
  },
  keptAs: (key) => `wordt bewaard als ‘${key}’`,
  nothingFills: (field) => `Geen kolom voor: ${field}`,
  columnFor: (field) => `Kolom voor: ${field}`,
  noColumn: 'Geen kolom',
  openFields: 'Velden zonder kolom',
  losses: 'Wat verloren zou gaan',
  lossesHint: 'Deze kolommen worden niet gelezen. Een bewaarde kolom kunt u tonen en als filter gebruiken.',
  loss: (count) => `heeft een waarde in ${count} van de eerste rijen, bijvoorbeeld`,
  keep: 'Bewaren',
  keepAll: 'Alle bewaren',
  changes: 'Wat er verandert',
  new: 'Nieuw',
  changed: 'Gewijzigd',
  unchanged: 'Ongewijzigd',
  gone: 'Niet in het bestand',
  hidden: (count) =>
    counted(
      count,
      'concept of verborgen product wordt overgeslagen.',
      'concepten en verborgen producten worden overgeslagen.',
    ),
  invalid: (count) =>
    counted(count, 'rij kan niet worden geïmporteerd', 'rijen kunnen niet worden geïmporteerd'),
  line: (line) => `Regel ${line}`,
  findings,
  problems,
  noticed: 'Opgevallen',
  choices: 'Importeren',
  variants: 'Varianten',
  variantsTogether: 'Eén product met alle varianten',
  variantsApart: 'Elke variant is een product',
  missing: 'Producten die niet in het bestand staan',
  missingKeep: 'Behouden',
  missingDelete: 'Verwijderen',
  willDelete: (count) =>
    counted(
      count,
      'product van de winkel en de foto’s ervan gaan verloren.',
      'producten van de winkel en hun foto’s gaan verloren.',
    ),
  brake: (count, all) =>
    `Ze zijn echt weg. ${count} van ${all} producten ${plural(count, 'staat', 'staan')} niet in dit bestand; een afgebroken bestand zou er net zo uitzien.`,
  run: (count) => counted(count, 'product importeren', 'producten importeren'),
  starting: 'Het importeren begint…',
  summary: (added, changed) => `${added} nieuw, ${changed} gewijzigd`,
  nothingToRun: 'Geen enkele rij van dit bestand kan worden geïmporteerd.',
  nightly: 'Elke nacht herhalen vanaf een adres',
  nightlyAddress: 'Adres van het bestand',
  nightlyHint:
    'Waar uw webwinkel dezelfde export steeds opnieuw neerzet. Die wordt meteen gelezen en daarna elke 24 uur, zoals hier gekozen.',
  nightlyMake: 'Elke nacht herhalen',
  feedMade: 'Het bestand wordt nu gelezen en daarna elke 24 uur.',
  toFeeds: 'Feeds tonen',
}
