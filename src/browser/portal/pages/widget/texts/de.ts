import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('de')

export const texts: Texts = {
  heading: 'Die Suche in Ihrem Shop',
  lead: 'Eine Zeile HTML bringt die Bildersuche in Ihren Shop. Gehen Sie von oben nach unten vor; alles lässt sich später ändern.',
  noRights:
    'Ihre Rolle darf die Schlüssel des Widgets nicht sehen. Inhaber, Admins und Entwickler dürfen es.',
  factsLocked: 'Das können nur Inhaber und Admins ändern.',
  saved: 'Gespeichert',
  system: 'Womit läuft Ihr Shop?',
  systems: {
    woocommerce: 'WooCommerce',
    shopify: 'Shopify',
    shopware: 'Shopware',
    prestashop: 'PrestaShop',
    magento: 'Magento',
    opencart: 'OpenCart',
    other: 'Etwas anderes',
  },
  origin: 'Wo ist Ihr Shop?',
  shopAddress: 'Adresse Ihres Shops',
  shopAddressHint: 'So, wie Kunden sie eingeben, etwa www.shop.example',
  badAddress: 'Das ist keine Adresse einer Website. Sie sieht aus wie www.shop.example.',
  allowed: 'Das Widget läuft auf diesen Adressen und nirgends sonst:',
  makeKey: 'Schlüssel erstellen',
  makingKey: 'Schlüssel wird erstellt …',
  key: 'Schlüssel',
  keyHint:
    'Der Schlüssel ist öffentlich: Er steht in jeder Seite des Shops und gilt nur auf den Adressen, die er nennt.',
  keyUnknown:
    'Dieser Schlüssel stammt aus einer älteren Version und lässt sich nicht anzeigen. Erstellen Sie einen neuen, um die Zeile für Ihren Shop zu erhalten.',
  addAddress: 'Weitere Adresse',
  add: 'Hinzufügen',
  removeAddress: (origin) => `${origin} entfernen`,
  saveAddresses: 'Adressen speichern',
  anotherKey: 'Weiteren Schlüssel erstellen',
  revoke: 'Schlüssel widerrufen',
  revokeSure: (name) => `Den Schlüssel „${name}“ widerrufen?`,
  revokeSeen: (origin, ago) => `Die Suche verschwindet von ${origin}, wo sie zuletzt ${ago} benutzt wurde.`,
  revokeUnseen: 'Bisher hat kein Shop diesen Schlüssel benutzt.',
  revokeEnd:
    'Seiten mit diesem Schlüssel brauchen einen anderen. Ein widerrufener Schlüssel lässt sich nicht wiederherstellen.',
  address: 'Wo öffnen sich Ihre Produkte?',
  addressHint:
    'Produkte mit eigener Adresse behalten sie. Bei allen anderen steht {product_id}, {sku} oder ein anderes Feld für den Wert des Produkts.',
  template: 'Adresse eines Produkts',
  test: 'An drei Produkten testen',
  testing: 'Test läuft …',
  save: 'Diese Adresse speichern',
  opens: (path) => `öffnet ${path}`,
  answers: (path, status) =>
    status === 404
      ? `${path}: Der Shop hat keine solche Seite (404)`
      : `${path}: Der Shop antwortet mit ${status}`,
  noneFits: 'Keines Ihrer ersten 20 Produkte hat alle Felder dieser Adresse. Wählen Sie ein anderes Feld.',
  unreachable: (path, why) => `${path}: ${why}`,
  why: {
    url_not_allowed: 'Diese Adresse darf von hier aus nicht geöffnet werden.',
    blocked_address:
      'Der Dienst darf dieses Netz nicht erreichen. Läuft er offline oder steht der Shop in einem internen Netz, öffnen Sie die Adresse stattdessen in Ihrem Browser.',
    dns: 'Es gibt keine Website mit diesem Namen.',
    connect:
      'Der Shop antwortet nicht. Hat der Dienst kein Netz, öffnen Sie die Adresse stattdessen in Ihrem Browser.',
    timeout: 'Der Shop braucht zu lange für eine Antwort.',
    tls: 'Das Zertifikat des Shops ist ungültig.',
    too_large: 'Die Seite ist größer als 2 MiB.',
    too_many_redirects: 'Der Shop leitet Besucher im Kreis.',
    not_a_page: 'Das ist keine HTML-Seite.',
    http_status: 'Der Shop verweigert diese Seite.',
  },
  look: 'Wie soll es aussehen?',
  language: 'Sprache',
  asPage: 'Wie die Seite des Shops',
  theme: 'Helligkeit',
  themes: { auto: 'Wie der Besucher es wünscht', light: 'Hell', dark: 'Dunkel' },
  mode: 'Öffnet sich',
  modes: { modal: 'über der Seite', inline: 'in der Seite' },
  place: 'Kamera',
  places: { tag: 'wo die Zeile steht', field: 'im Suchfeld des Shops' },
  selector: 'Selektor des Suchfelds',
  colour: 'Farbe der Schaltflächen',
  colourHint:
    'Mit der Pipette des Farbfelds nehmen Sie die Farbe aus einem Bildschirmfoto oder aus dem Shop in einem anderen Fenster.',
  consent: 'Nichts speichern, bevor der Besucher zugestimmt hat',
  preview: 'Mit Ihren Produkten',
  phone: 'Handy',
  desktop: 'Desktop',
  previewNeedsKey: 'Die Vorschau erscheint, sobald der Shop einen Schlüssel hat.',
  previewNoSearch: 'Ihre Rolle darf nicht suchen, daher gibt es keine Vorschau.',
  previewTitle: 'Vorschau des Widgets',
  reload: 'Vorschau neu öffnen',
  previewHint: 'Eine Vorschau endet nach 15 Minuten. Sie wird nirgends mitgezählt.',
  snippet: 'In Ihren Shop einbauen',
  snippetHint: (origins) =>
    `Fügen Sie diese Zeile vor </body> ein. Der Schlüssel ist öffentlich und gilt nur auf ${origins}.`,
  copySnippet: 'Zeile kopieren',
  download: 'lookalike.php herunterladen',
  downloadHint:
    'Ihr Schlüssel steht schon darin; die Datei meldet auch Warenkörbe und Käufe und führt vom Treffer zum Produkt.',
  css: 'Die Farben, in einer Formatvorlage des Shops',
  policy: 'Hat der Shop eine Content-Security-Policy, ergänzen Sie',
  copyPolicy: 'Richtlinie kopieren',
  copyCss: 'Farben kopieren',
  send: 'An meinen Entwickler senden',
  mailSubject: 'Die Bildersuche für unseren Shop',
  mailBody: (system, snippet, policy) =>
    `Guten Tag,\n\nbitte fügen Sie diese Zeile auf jeder Seite unseres Shops${system} vor </body> ein:\n\n${snippet}\n\n` +
    `Sendet der Shop eine Content-Security-Policy, braucht sie zusätzlich:\n\n${policy}\n\n` +
    'Der Schlüssel ist öffentlich und gilt nur auf den Adressen unseres Shops. Wie alles funktioniert und wie Warenkörbe und Käufe gemeldet werden: ',
  where: {
    woocommerce:
      'Legen Sie die Datei lookalike.php in den Ordner wp-content/mu-plugins/ des Shops; erstellen Sie den Ordner, falls er fehlt. Mehr ist nicht nötig.',
    shopify:
      'Onlineshop → Themes → „…“ → Code bearbeiten → layout/theme.liquid, vor </body>. Auf den Seiten der Kasse läuft sie nicht: Melden Sie Käufe aus Ihrem Backend. Die Dateien lookalike-shopify einer Version tun dasselbe mit Einstellungen im Theme-Editor und listen die Produkte für einen Feed auf.',
    shopware:
      'In Ihrem Theme: Resources/views/storefront/base.html.twig, im Block base_body_script nach {{ parent() }}. Danach den Cache leeren.',
    prestashop:
      'In Ihrem Theme: templates/layouts/layout-both-columns.tpl, vor </body>. Danach den Cache unter Erweiterte Einstellungen → Leistung leeren.',
    magento:
      'Content → Design → Configuration → Ihr Store → Edit → Footer → Miscellaneous HTML. Nennen Sie den Dienst in csp_whitelist.xml und leeren Sie den Cache.',
    opencart:
      'catalog/view/template/common/footer.twig (OpenCart 3: catalog/view/theme/<Ihr Theme>/template/common/footer.twig), vor </body>.',
    other: 'In der Vorlage, die alle Seiten des Shops gemeinsam haben, vor </body>.',
  },
  seen: 'Funktioniert es?',
  seenOn: (origin, ago) => `Auf ${origin} gesehen, ${ago}`,
  counts: (searches, clicks) =>
    `${counted(searches, 'Suche', 'Suchen')} und ${counted(clicks, 'Klick', 'Klicks')} in 7 Tagen`,
  notSeen: (origin) => `Auf ${origin} noch nicht gesehen.`,
  addLine: {
    clicks:
      'Suchen kommen an, aber keine Klicks. Lassen Sie den Browser den Links der Treffer folgen, oder melden Sie Klicks selbst.',
    carts:
      'Klicks kommen an, aber keine Warenkörbe. Fügen Sie dort, wo ein Produkt in den Warenkorb kommt, diese Zeile ein:',
    purchases: 'Käufe kommen nicht an. Fügen Sie auf der Dankeseite für jedes Produkt diese Zeile ein:',
  },
  check: 'Meinen Shop prüfen',
  checking: 'Wird geprüft …',
  checkAddress: 'Zu prüfende Seite',
  checkHint: 'Der Dienst öffnet die Seite einmal wie ein Fremder. Dafür braucht er das Netz.',
  facts: {
    snippet: ['Die Seite enthält die Zeile des Widgets.', 'Die Seite enthält keine Zeile des Widgets.'],
    key: ['Sie nennt diesen Schlüssel.', 'Sie nennt einen anderen Schlüssel als diesen.'],
    origin: [
      'Der Schlüssel nennt die Adresse der Seite.',
      'Der Schlüssel nennt die Adresse der Seite nicht. Fügen Sie sie oben hinzu.',
    ],
    policy: [
      'Keine Content-Security-Policy hindert das Widget.',
      'Die Content-Security-Policy der Seite hindert das Widget. Sie braucht den Dienst in: ',
    ],
  },
  byScript:
    'Eine Zeile, die ein anderes Skript einfügt, ist so nicht zu sehen; entscheidend ist „Auf … gesehen“.',
  events: 'Suchen, wie sie eintreffen',
  watch: 'Zusehen',
  stop: 'Beenden',
  watching: 'Suchen Sie in Ihrem Shop: Die Suche erscheint hier nach wenigen Sekunden.',
  nothingYet: 'Aus dem Shop ist noch nichts angekommen.',
  clicked: (clicks) => counted(clicks, 'Klick', 'Klicks'),
  found: (count) => `${count} gefunden`,
  byPicture: 'ein Foto',
  bySimilar: 'eines Ihrer Produkte',
  budget: (perMinute) =>
    `Erlaubt ${plural(perMinute, 'ist', 'sind')} ${counted(perMinute, 'Suche', 'Suchen')} pro Minute.`,
  refused: (count) => `Heute abgelehnt: ${count}.`,
  guide: 'Alle Optionen, Ereignisse und Texte: das Handbuch des Widgets',
}
