import { pluralsIn } from '../../../texts/plurals.ts'
import type { FindingTexts } from '../describe-finding.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('de')

/** What the service found in a file. */
const findings: FindingTexts = {
  encoding_guessed: ({ encoding }) =>
    `Die Datei ist nicht in UTF-8. Sie wurde als ${encoding} gelesen: Prüfen Sie die Umlaute.`,
  column_unknown: ({ column }) => `Die Datei hat keine Spalte „${column}“.`,
  price_without_tax: ({ column }) =>
    `Die Preise der Spalte „${column}“ sind ohne Steuer; der Shop zeigt sie vielleicht mit.`,
  fields_without_column: ({ fields, products }) =>
    `Keine Spalte gefunden für: ${fields}. Das fehlt dann bei ${counted(products, 'Produkt', 'Produkten')}. Wählen Sie die Spalte oben.`,
  results_without_links: () =>
    'Keine Spalte enthält die Adresse eines Produkts, und im Shop ist keine hinterlegt: Treffer führen nirgendwohin. Geben Sie auf der Seite „Widget“ an, wo Ihre Produkte zu sehen sind.',
  prices_without_currency: () =>
    'Keine Spalte enthält eine Währung, und im Shop ist keine hinterlegt: Preise erscheinen ohne. Wählen Sie sie in den Einstellungen des Shops.',
  sale_not_below_price: ({ products }) =>
    `${counted(products, 'Produkt hat', 'Produkte haben')} einen Angebotspreis, der nicht unter dem Preis liegt: Er wird weggelassen.`,
  sale_dates_unreadable: ({ products }) =>
    `Bei ${counted(products, 'Produkt', 'Produkten')} ist der Zeitraum des Angebotspreises nicht lesbar: Er wird weggelassen. Schreiben Sie Daten wie 2030-12-24.`,
  category_too_deep: ({ products }) =>
    `${counted(products, 'Produkt hat', 'Produkte haben')} eine Kategorie mit mehr als 10 Ebenen: Die ersten 10 bleiben.`,
  parent_missing: ({ products }) =>
    `${counted(products, 'Variante nennt', 'Varianten nennen')} ein Hauptprodukt, das nicht in der Datei steht, und ${plural(products, 'übernimmt', 'übernehmen')} nichts davon. Exportieren Sie alle Produkte in eine Datei.`,
  parent_not_kept: ({ products }) =>
    `${counted(products, 'Variante übernimmt', 'Varianten übernehmen')} nichts vom Hauptprodukt, weil die Datei zu viele Produkte mit Varianten hat. Teilen Sie sie auf.`,
  products_hidden: ({ products }) =>
    `${counted(products, 'Produkt wird', 'Produkte werden')} ausgelassen: Entwurf oder nicht veröffentlicht.`,
  vectors_of_another_model: ({ products }) =>
    `${counted(products, 'Produkt bringt', 'Produkte bringen')} Vektoren eines anderen Modells mit: Stattdessen werden die Bilder gelesen.`,
  dry_run_stopped: ({ line, products }) =>
    `Nach ${counted(products, 'fehlerhaften Produkt', 'fehlerhaften Produkten')} endete die Prüfung in Zeile ${line}: Gezählt ist bis dorthin.`,
  file_not_kept: () =>
    'Der Dienst hat zurzeit keinen Platz für die Datei: Für den Import wird sie noch einmal gesendet.',
}

/** What is wrong with the columns, by the code of the API. */
const problems: Readonly<Record<string, string>> = {
  column_unknown: 'Eine gewählte Spalte steht nicht in dieser Datei. Wählen Sie eine andere.',
  pages_not_pictures:
    'Die Spalte für das Bild enthält Adressen von Seiten. Wählen Sie die mit den Adressen der Bilder (.jpg, .png, .webp).',
}

export const texts: Texts = {
  heading: 'Datei importieren',
  isRight: 'Stimmt das so?',
  noRights:
    'Mit Ihrer Rolle können Sie Produkte ansehen, aber nicht importieren. Ein Inhaber oder Administrator kann das ändern.',
  choose: 'Datei wählen',
  chooseOther: 'Andere Datei wählen',
  drop: 'oder hierher ziehen',
  kinds: 'CSV, TSV, NDJSON, XML oder eine ZIP-Datei mit einer Tabelle und ihren Bildern. Höchstens 100 MB.',
  fromShops:
    'Exporte von WooCommerce, Shopify, PrestaShop, Magento, OpenCart und Google Merchant werden verstanden, wie sie sind, in jeder Sprache. Geschrieben wird erst, wenn Sie alles gesehen haben.',
  fromAddress: 'Liegt die Datei unter einer Adresse? Von dort lesen.',
  sending: 'Die Datei wird gesendet',
  reading: 'Die Datei wird gelesen, die ersten Bilder werden geholt',
  cancel: 'Abbrechen',
  troubles: {
    empty: 'Diese Datei ist leer.',
    too_large: 'Diese Datei ist größer als 100 MB.',
    spreadsheet: 'Das ist eine Tabellenkalkulation, keine Textdatei.',
    expired: 'Der Dienst behält eine Datei 30 Minuten lang, und die sind um.',
    unreadable: 'Diese Datei lässt sich nicht lesen.',
  },
  cures: {
    empty: 'Exportieren Sie sie noch einmal aus Ihrem Shop und wählen Sie sie dann hier.',
    too_large: 'Teilen Sie sie auf mehrere Dateien auf oder packen Sie sie als ZIP oder gzip.',
    spreadsheet:
      'Öffnen Sie sie in Ihrem Tabellenprogramm, speichern Sie sie als CSV (UTF-8) und wählen Sie diese Datei.',
    expired: 'Senden Sie sie noch einmal: Alles, was Sie hier gewählt haben, bleibt.',
  },
  sendAgain: (name) => `„${name}“ noch einmal senden`,
  first: (count) => plural(count, 'Das erste Produkt', `Die ersten ${count} Produkte`),
  picturesFailed: (failed, all) =>
    `${failed} von ${counted(all, 'Bild', 'Bildern')} ließ${plural(failed, '', 'en')} sich nicht laden. Die anderen Produkte werden trotzdem importiert.`,
  noPicture: 'Bild nicht geladen',
  columns: 'So werden Ihre Spalten gelesen',
  fields: {
    image_url: 'Bild',
    product_id: 'Produktnummer',
    name: 'Name',
    price: 'Preis',
    sale_price: 'Angebotspreis',
    category: 'Kategorie',
    brand: 'Marke',
    color_name: 'Farbe',
    in_stock: 'Bestand',
    url: 'Adresse in Ihrem Shop',
    additional_image_urls: 'weitere Bilder',
    description: 'Beschreibung',
    currency: 'Währung',
    tags: 'Schlagwörter',
    variant_group: 'Gruppe der Varianten',
    sku: 'Artikelnummer',
    gtin: 'Strichcode-Nummer',
    rating: 'Bewertung',
    sale_price_from: 'Beginn des Angebots',
    sale_price_until: 'Ende des Angebots',
  },
  tails: {
    image_url: 'ist wohl das Bild',
    product_id: 'ist wohl die Produktnummer',
    name: 'ist wohl der Name',
    price: 'ist wohl der Preis',
    sale_price: 'ist wohl der Angebotspreis',
    category: 'ist wohl die Kategorie',
    brand: 'ist wohl die Marke',
    color_name: 'ist wohl die Farbe',
    in_stock: 'sagt, was vorrätig ist',
    url: 'ist wohl die Adresse in Ihrem Shop',
    additional_image_urls: 'enthält weitere Bilder',
    description: 'ist wohl die Beschreibung',
    currency: 'ist wohl die Währung',
    tags: 'enthält wohl Schlagwörter',
    variant_group: 'hält Varianten zusammen',
    sku: 'ist wohl die Artikelnummer',
    gtin: 'ist wohl die Strichcode-Nummer',
    rating: 'ist wohl die Bewertung',
    sale_price_from: 'sagt, wann das Angebot beginnt',
    sale_price_until: 'sagt, wann das Angebot endet',
  },
  keptAs: (key) => `bleibt als „${key}“ erhalten`,
  nothingFills: (field) => `Keine Spalte für: ${field}`,
  columnFor: (field) => `Spalte für: ${field}`,
  noColumn: 'Keine Spalte',
  openFields: 'Felder ohne Spalte',
  losses: 'Was verloren ginge',
  lossesHint:
    'Diese Spalten liest nichts. Eine behaltene lässt sich anzeigen, und man kann nach ihr filtern.',
  loss: (count) => `hat in ${count} der ersten Zeilen einen Wert, etwa`,
  keep: 'Behalten',
  keepAll: 'Alle behalten',
  changes: 'Was sich ändert',
  new: 'Neu',
  changed: 'Geändert',
  unchanged: 'Unverändert',
  gone: 'Nicht in der Datei',
  hidden: (count) =>
    plural(
      count,
      '1 Entwurf oder verborgenes Produkt wird ausgelassen.',
      `${count} Entwürfe und verborgene Produkte werden ausgelassen.`,
    ),
  invalid: (count) =>
    counted(count, 'Zeile lässt sich nicht importieren', 'Zeilen lassen sich nicht importieren'),
  line: (line) => `Zeile ${line}`,
  findings,
  problems,
  noticed: 'Uns ist aufgefallen',
  choices: 'Import',
  variants: 'Varianten',
  variantsTogether: 'Ein Produkt mit allen Varianten',
  variantsApart: 'Jede Variante ist ein Produkt',
  missing: 'Produkte, die nicht in der Datei stehen',
  missingKeep: 'Behalten',
  missingDelete: 'Löschen',
  willDelete: (count) =>
    counted(
      count,
      'Produkt des Shops und seine Bilder sind dann weg.',
      'Produkte des Shops und ihre Bilder sind dann weg.',
    ),
  brake: (count, all) =>
    `Sie sind wirklich weg. ${count} von ${counted(all, 'Produkt', 'Produkten')} ${plural(count, 'steht', 'stehen')} nicht in dieser Datei; eine abgeschnittene Datei sähe genauso aus.`,
  run: (count) => counted(count, 'Produkt importieren', 'Produkte importieren'),
  starting: 'Der Import beginnt …',
  summary: (added, changed) => `${added} neu, ${changed} geändert`,
  nothingToRun: 'Keine Zeile dieser Datei lässt sich importieren.',
  nightly: 'Jede Nacht von einer Adresse wiederholen',
  nightlyAddress: 'Adresse der Datei',
  nightlyHint:
    'Wo Ihr Shop denselben Export immer neu ablegt. Er wird sofort gelesen, dann alle 24 Stunden, so wie hier gewählt.',
  nightlyMake: 'Jede Nacht wiederholen',
  feedMade: 'Die Datei wird jetzt gelesen und dann alle 24 Stunden.',
  toFeeds: 'Feeds zeigen',
}
