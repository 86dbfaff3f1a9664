import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('it')

export const texts: Texts = {
  heading: 'La ricerca nel negozio',
  lead: 'Una riga di HTML porta la ricerca per immagine nel negozio. Si procede dall’alto verso il basso; tutto si può modificare in seguito.',
  noRights:
    'Il ruolo attuale non consente di vedere le chiavi del widget. Possono farlo proprietari, amministratori e sviluppatori.',
  factsLocked: 'Solo proprietari e amministratori possono modificarlo.',
  saved: 'Salvato',
  system: 'Quale sistema usa il negozio?',
  systems: {
    woocommerce: 'WooCommerce',
    shopify: 'Shopify',
    shopware: 'Shopware',
    prestashop: 'PrestaShop',
    magento: 'Magento',
    opencart: 'OpenCart',
    other: 'Altro',
  },
  origin: 'Dove si trova il negozio?',
  shopAddress: 'Indirizzo del negozio',
  shopAddressHint: 'Come lo scrive un cliente, per esempio www.shop.example',
  badAddress: 'Questo non è l’indirizzo di un sito. Un esempio: www.shop.example.',
  allowed: 'Il widget funziona solo su questi indirizzi:',
  makeKey: 'Crea la chiave',
  makingKey: 'Creazione della chiave…',
  key: 'Chiave',
  keyHint:
    'La chiave è pubblica: si trova in ogni pagina del negozio e funziona solo sugli indirizzi che elenca.',
  keyUnknown:
    'Questa chiave è più vecchia dell’elenco e non si può mostrare. Per ottenere la riga, crearne una nuova.',
  addAddress: 'Aggiungere un indirizzo',
  add: 'Aggiungi',
  removeAddress: (origin) => `Rimuovi ${origin}`,
  saveAddresses: 'Salva gli indirizzi',
  anotherKey: 'Crea un’altra chiave',
  revoke: 'Revoca questa chiave',
  revokeSure: (name) => `Revocare la chiave “${name}”?`,
  revokeSeen: (origin, ago) => `La ricerca scompare da ${origin} (ultimo uso: ${ago}).`,
  revokeUnseen: 'Nessun negozio ha ancora usato questa chiave.',
  revokeEnd:
    'Le pagine che contengono la chiave ne richiedono un’altra. Una chiave revocata non si può ripristinare.',
  address: 'Dove si aprono i prodotti?',
  addressHint:
    'I prodotti con un indirizzo proprio lo mantengono. Per tutti gli altri, {product_id}, {sku} o un altro campo indica il valore del prodotto.',
  template: 'Indirizzo di un prodotto',
  test: 'Prova con tre prodotti',
  testing: 'Prova in corso…',
  save: 'Salva questo indirizzo',
  opens: (path) => `apre ${path}`,
  answers: (path, status) =>
    status === 404
      ? `${path}: il negozio non ha questa pagina (404)`
      : `${path}: il negozio risponde ${status}`,
  noneFits: 'Nessuno dei primi 20 prodotti ha tutti i campi di questo indirizzo. Scegliere un altro campo.',
  unreachable: (path, why) => `${path}: ${why}`,
  why: {
    url_not_allowed: 'questo indirizzo non si può aprire da qui.',
    blocked_address:
      'il servizio non può raggiungere questa rete. Se funziona senza rete o il negozio è su una rete interna, controllare l’indirizzo nel browser.',
    dns: 'non esiste un sito con questo nome.',
    connect: 'il negozio non risponde. Se il servizio non ha rete, controllare l’indirizzo nel browser.',
    timeout: 'il negozio impiega troppo tempo a rispondere.',
    tls: 'il certificato del negozio non è valido.',
    too_large: 'la pagina supera i 2 MiB.',
    too_many_redirects: 'il negozio reindirizza i visitatori all’infinito.',
    not_a_page: 'questa non è una pagina HTML.',
    http_status: 'il negozio rifiuta questa pagina.',
  },
  look: 'Che aspetto ha?',
  language: 'Lingua',
  asPage: 'Come la pagina del negozio',
  theme: 'Luminosità',
  themes: { auto: 'Come preferisce il visitatore', light: 'Chiaro', dark: 'Scuro' },
  mode: 'Si apre',
  modes: { modal: 'sopra la pagina', inline: 'nella pagina' },
  place: 'Fotocamera',
  places: { tag: 'dove si trova la riga', field: 'nel campo di ricerca del negozio' },
  selector: 'Selettore del campo di ricerca',
  colour: 'Colore dei pulsanti',
  colourHint:
    'Il contagocce del campo colore preleva un colore da uno screenshot o dal negozio aperto in un’altra finestra.',
  consent: 'Non salvare nulla prima del consenso del visitatore',
  preview: 'Con i prodotti del negozio',
  phone: 'Telefono',
  desktop: 'Computer',
  previewNeedsKey: 'L’anteprima compare quando il negozio ha una chiave.',
  previewNoSearch: 'Il ruolo attuale non consente di cercare, perciò non c’è un’anteprima.',
  previewTitle: 'Anteprima del widget',
  reload: 'Riapri l’anteprima',
  previewHint: 'Un’anteprima dura 15 minuti e non viene conteggiata.',
  snippet: 'Inserire la riga nel negozio',
  snippetHint: (origins) =>
    `Aggiungere questa riga prima di </body>. La chiave è pubblica e funziona solo su ${origins}.`,
  copySnippet: 'Copia la riga',
  download: 'Scarica lookalike.php',
  downloadHint:
    'Contiene già la chiave; segnala anche carrelli e acquisti e porta dal risultato al prodotto.',
  css: 'I colori, in un foglio di stile del negozio',
  policy: 'Se il negozio usa una Content-Security-Policy, aggiungervi',
  copyPolicy: 'Copia la policy',
  copyCss: 'Copia i colori',
  send: 'Invia al mio sviluppatore',
  mailSubject: 'La ricerca per immagine nel nostro negozio',
  mailBody: (system, snippet, policy) =>
    `Buongiorno,\n\nquesta riga va inserita prima di </body> in ogni pagina del nostro negozio${system}:\n\n${snippet}\n\n` +
    `Se il negozio invia una Content-Security-Policy, serve anche:\n\n${policy}\n\n` +
    'La chiave è pubblica e funziona solo sugli indirizzi del nostro negozio. Come funziona e come si segnalano carrelli e acquisti: ',
  where: {
    woocommerce:
      'Mettere il file lookalike.php nella cartella wp-content/mu-plugins/ del negozio; se la cartella non esiste, crearla. Non serve altro.',
    shopify:
      'Negozio online → Temi → “…” → Modifica codice → layout/theme.liquid, prima di </body>. Le pagine del checkout non la eseguono: segnalare gli acquisti dal proprio backend. I file lookalike-shopify di una versione fanno lo stesso con impostazioni nell’editor del tema ed elencano i prodotti per un feed.',
    shopware:
      'Nel tema: Resources/views/storefront/base.html.twig, nel blocco base_body_script dopo {{ parent() }}. Poi svuotare la cache.',
    prestashop:
      'Nel tema: templates/layouts/layout-both-columns.tpl, prima di </body>. Poi svuotare la cache in Parametri avanzati → Prestazioni.',
    magento:
      'Content → Design → Configuration → il negozio → Edit → Footer → Miscellaneous HTML. Inserire il servizio in csp_whitelist.xml, poi svuotare la cache.',
    opencart:
      'catalog/view/template/common/footer.twig (OpenCart 3: catalog/view/theme/<tema>/template/common/footer.twig), prima di </body>.',
    other: 'Nel modello comune a tutte le pagine del negozio, prima di </body>.',
  },
  seen: 'Funziona?',
  seenOn: (origin, ago) => `Visto su ${origin} ${ago}`,
  counts: (searches, clicks) => `${counted(searches, 'ricerca', 'ricerche')} e ${clicks} clic in 7 giorni`,
  notSeen: (origin) => `Non ancora visto su ${origin}.`,
  addLine: {
    clicks:
      'Arrivano ricerche, ma nessun clic. Lasciare che il browser segua i link dei risultati, oppure segnalare i clic in proprio.',
    carts:
      'Arrivano clic, ma nessun carrello. Dove un prodotto viene messo nel carrello, aggiungere questa riga:',
    purchases:
      'Non arrivano acquisti. Nella pagina di conferma dell’ordine, aggiungere questa riga per ogni prodotto:',
  },
  check: 'Controlla il negozio',
  checking: 'Controllo in corso…',
  checkAddress: 'Pagina da controllare',
  checkHint: 'Il servizio apre la pagina una volta, come farebbe un visitatore. Per questo serve la rete.',
  facts: {
    snippet: ['La pagina contiene la riga del widget.', 'La pagina non contiene la riga del widget.'],
    key: ['Contiene questa chiave.', 'Contiene una chiave diversa da questa.'],
    origin: [
      'La chiave elenca l’indirizzo della pagina.',
      'La chiave non elenca l’indirizzo della pagina. Aggiungerlo sopra.',
    ],
    policy: [
      'Nessuna Content-Security-Policy blocca il widget.',
      'La Content-Security-Policy della pagina blocca il widget. Deve includere il servizio in: ',
    ],
  },
  byScript: 'Una riga aggiunta da un altro script qui non si vede; ciò che conta è “Visto su …”.',
  events: 'Ricerche in arrivo',
  watch: 'Osserva',
  stop: 'Ferma',
  watching: 'In osservazione. Una ricerca nel negozio compare qui entro pochi secondi.',
  nothingYet: 'Dal negozio non è ancora arrivato nulla.',
  clicked: (clicks) => `${clicks} clic`,
  found: (count) => counted(count, 'trovato', 'trovati'),
  byPicture: 'una foto',
  bySimilar: 'un prodotto del negozio',
  budget: (perMinute) => `Ricerche ammesse al minuto: ${perMinute}.`,
  refused: (count) => `Rifiutate oggi: ${count}.`,
  guide: 'Tutte le opzioni, gli eventi e i testi: la guida del widget',
}
