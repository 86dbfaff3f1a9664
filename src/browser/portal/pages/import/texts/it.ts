import { pluralsIn } from '../../../texts/plurals.ts'
import type { FindingTexts } from '../describe-finding.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('it')

/** What the service found in a file. */
const findings: FindingTexts = {
  encoding_guessed: ({ encoding }) =>
    `Il file non è in UTF-8. È stato letto come ${encoding}: controllare le lettere accentate.`,
  column_unknown: ({ column }) => `Il file non ha la colonna “${column}”.`,
  price_without_tax: ({ column }) =>
    `I prezzi della colonna “${column}” sono senza IVA; il negozio forse li mostra con l’IVA.`,
  fields_without_column: ({ fields, products }) =>
    `Nessuna colonna trovata per: ${fields}. Mancherà a ${counted(products, 'prodotto', 'prodotti')}. Scegliere la colonna qui sopra.`,
  results_without_links: () =>
    'Nessuna colonna contiene l’indirizzo di un prodotto e il negozio non ne ha uno: i risultati non porteranno da nessuna parte. Indicare nella pagina “Widget” dove si aprono i prodotti.',
  prices_without_currency: () =>
    'Nessuna colonna contiene una valuta e il negozio non ne ha una: i prezzi appaiono senza. Sceglierla nelle impostazioni del negozio.',
  sale_not_below_price: ({ products }) =>
    `${counted(products, 'prodotto ha', 'prodotti hanno')} un prezzo scontato non inferiore al prezzo: viene tralasciato.`,
  sale_dates_unreadable: ({ products }) =>
    `${counted(products, 'prodotto ha', 'prodotti hanno')} uno sconto con date illeggibili: viene tralasciato. Scrivere le date così: 2030-12-24.`,
  category_too_deep: ({ products }) =>
    `${counted(products, 'prodotto ha', 'prodotti hanno')} una categoria con più di 10 livelli: restano i primi 10.`,
  parent_missing: ({ products }) =>
    `${counted(products, 'variante indica', 'varianti indicano')} un prodotto principale che non è nel file e non ne ${plural(products, 'riprende', 'riprendono')} nulla. Esportare tutti i prodotti in un solo file.`,
  parent_not_kept: ({ products }) =>
    `${counted(products, 'variante non riprende', 'varianti non riprendono')} nulla dal prodotto principale, perché il file ha troppi prodotti con varianti. Dividerlo.`,
  products_hidden: ({ products }) =>
    `${counted(products, 'prodotto tralasciato', 'prodotti tralasciati')}: bozze o non pubblicati.`,
  vectors_of_another_model: ({ products }) =>
    `${counted(products, 'prodotto porta', 'prodotti portano')} vettori di un altro modello: al loro posto si leggono le immagini.`,
  dry_run_stopped: ({ line, products }) =>
    `Dopo ${counted(products, 'prodotto errato', 'prodotti errati')} la verifica si è fermata alla riga ${line}: i conteggi arrivano fin lì.`,
  file_not_kept: () =>
    'Al momento il servizio non ha spazio per conservare il file: per l’importazione verrà inviato di nuovo.',
}

/** What is wrong with the columns, by the code of the API. */
const problems: Readonly<Record<string, string>> = {
  column_unknown: 'Una colonna scelta non è in questo file. Sceglierne un’altra.',
  pages_not_pictures:
    'La colonna dell’immagine contiene indirizzi di pagine. Scegliere quella con gli indirizzi delle immagini (.jpg, .png, .webp).',
}

export const texts: Texts = {
  heading: 'Importa un file',
  isRight: 'È tutto corretto?',
  noRights:
    'Il ruolo attuale consente di vedere i prodotti, ma non di importarli. Un proprietario o un amministratore può modificarlo.',
  choose: 'Scegli un file',
  chooseOther: 'Scegli un altro file',
  drop: 'oppure trascinarlo qui',
  kinds: 'CSV, TSV, NDJSON, XML o un file zip con una tabella e le sue immagini. Al massimo 100 MB.',
  fromShops:
    'Le esportazioni di WooCommerce, Shopify, PrestaShop, Magento, OpenCart e Google Merchant si possono usare così come sono, in qualsiasi lingua. Nulla viene scritto prima della verifica.',
  fromAddress: 'Il file si trova a un indirizzo? Si può leggere da lì.',
  sending: 'Invio del file in corso',
  reading: 'Lettura del file e caricamento delle prime immagini in corso',
  cancel: 'Annulla',
  troubles: {
    empty: 'Questo file è vuoto.',
    too_large: 'Questo file supera i 100 MB.',
    spreadsheet: 'Questo è un foglio di calcolo, non una tabella di testo.',
    expired: 'Il servizio conserva un file per 30 minuti, che ora sono trascorsi.',
    unreadable: 'Questo file non si può leggere.',
  },
  cures: {
    empty: 'Esportarlo di nuovo dal negozio e sceglierlo qui.',
    too_large: 'Dividerlo in più file o comprimerlo in formato zip o gzip.',
    spreadsheet: 'Aprirlo con il foglio di calcolo, salvarlo come CSV (UTF-8) e scegliere quel file.',
    expired: 'Inviarlo di nuovo: tutte le scelte fatte qui restano.',
  },
  sendAgain: (name) => `Invia di nuovo “${name}”`,
  first: (count) => plural(count, 'Il primo prodotto', `I primi ${count} prodotti`),
  picturesFailed: (failed, all) =>
    `Immagini non caricate: ${failed} su ${all}. Gli altri prodotti vengono importati comunque.`,
  noPicture: 'Immagine non caricata',
  columns: 'Come vengono lette le colonne',
  fields: {
    image_url: 'immagine',
    product_id: 'codice prodotto',
    name: 'nome',
    price: 'prezzo',
    sale_price: 'prezzo scontato',
    category: 'categoria',
    brand: 'marca',
    color_name: 'colore',
    in_stock: 'disponibilità',
    url: 'indirizzo nel negozio',
    additional_image_urls: 'altre immagini',
    description: 'descrizione',
    currency: 'valuta',
    tags: 'tag',
    variant_group: 'gruppo di varianti',
    sku: 'codice articolo',
    gtin: 'codice a barre',
    rating: 'valutazione',
    sale_price_from: 'inizio dello sconto',
    sale_price_until: 'fine dello sconto',
  },
  tails: {
    image_url: 'sembra l’immagine',
    product_id: 'sembra il codice prodotto',
    name: 'sembra il nome',
    price: 'sembra il prezzo',
    sale_price: 'sembra il prezzo scontato',
    category: 'sembra la categoria',
    brand: 'sembra la marca',
    color_name: 'sembra il colore',
    in_stock: 'indica che cosa è disponibile',
    url: 'sembra l’indirizzo nel negozio',
    additional_image_urls: 'contiene altre immagini',
    description: 'sembra la descrizione',
    currency: 'sembra la valuta',
    tags: 'sembra contenere i tag',
    variant_group: 'raggruppa le varianti',
    sku: 'sembra il codice articolo',
    gtin: 'sembra il codice a barre',
    rating: 'sembra la valutazione',
    sale_price_from: 'indica quando inizia lo sconto',
    sale_price_until: 'indica quando finisce lo sconto',
  },
  keptAs: (key) => `viene conservata come “${key}”`,
  nothingFills: (field) => `Nessuna colonna per: ${field}`,
  columnFor: (field) => `Colonna per: ${field}`,
  noColumn: 'Nessuna colonna',
  openFields: 'Campi senza colonna',
  losses: 'Che cosa andrebbe perso',
  lossesHint: 'Queste colonne non vengono lette. Se conservate, si possono mostrare e usare nei filtri.',
  loss: (count) =>
    plural(
      count,
      `ha un valore in ${count} delle prime righe, per esempio`,
      `ha un valore in ${count} delle prime righe, per esempio`,
    ),
  keep: 'Conserva',
  keepAll: 'Conserva tutte',
  changes: 'Che cosa cambia',
  new: 'Nuovi',
  changed: 'Modificati',
  unchanged: 'Invariati',
  gone: 'Non nel file',
  hidden: (count) =>
    counted(
      count,
      'prodotto in bozza o nascosto viene tralasciato.',
      'prodotti in bozza o nascosti vengono tralasciati.',
    ),
  invalid: (count) => counted(count, 'riga non si può importare', 'righe non si possono importare'),
  line: (line) => `Riga ${line}`,
  findings,
  problems,
  noticed: 'Da notare',
  choices: 'Importazione',
  variants: 'Varianti',
  variantsTogether: 'Un prodotto con tutte le sue varianti',
  variantsApart: 'Ogni variante è un prodotto',
  missing: 'Prodotti che non sono nel file',
  missingKeep: 'Mantienili',
  missingDelete: 'Eliminali',
  willDelete: (count) =>
    counted(
      count,
      'prodotto del negozio e le sue immagini andranno persi.',
      'prodotti del negozio e le loro immagini andranno persi.',
    ),
  brake: (count, all) =>
    `Sono davvero scomparsi. Prodotti che mancano in questo file: ${count} su ${all}; un file troncato avrebbe lo stesso aspetto.`,
  run: (count) => plural(count, `Importa ${count} prodotto`, `Importa ${count} prodotti`),
  starting: 'L’importazione sta per iniziare…',
  summary: (added, changed) =>
    `${counted(added, 'nuovo', 'nuovi')}, ${counted(changed, 'modificato', 'modificati')}`,
  nothingToRun: 'Nessuna riga di questo file si può importare.',
  nightly: 'Ripetere ogni notte da un indirizzo',
  nightlyAddress: 'Indirizzo del file',
  nightlyHint:
    'Dove il negozio deposita ogni volta la stessa esportazione. Viene letta subito, poi ogni 24 ore, con le scelte fatte qui.',
  nightlyMake: 'Ripeti ogni notte',
  feedMade: 'Il file viene letto ora e poi ogni 24 ore.',
  toFeeds: 'Mostra i feed',
}
