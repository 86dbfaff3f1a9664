import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pl')

const countSearches = (count: string) => counted(count, 'wyszukiwanie', 'wyszukiwania', 'wyszukiwań')
const countClicks = (count: string) => counted(count, 'kliknięcie', 'kliknięcia', 'kliknięć')

export const texts: Texts = {
  heading: 'Wyszukiwanie w Twoim sklepie',
  lead: 'Jeden wiersz HTML wstawia wyszukiwanie zdjęciem do sklepu. Przejdź od góry do dołu; wszystko można później zmienić.',
  noRights: 'Twoja rola nie pozwala oglądać kluczy widgetu. Mogą to właściciel, administrator i programista.',
  factsLocked: 'Mogą to zmienić tylko właściciele i administratorzy.',
  saved: 'Zapisano',
  system: 'Na czym działa Twój sklep?',
  systems: {
    woocommerce: 'WooCommerce',
    shopify: 'Shopify',
    shopware: 'Shopware',
    prestashop: 'PrestaShop',
    magento: 'Magento',
    opencart: 'OpenCart',
    other: 'Coś innego',
  },
  origin: 'Pod jakim adresem jest Twój sklep?',
  shopAddress: 'Adres Twojego sklepu',
  shopAddressHint: 'Tak jak wpisuje go klient, na przykład www.shop.example',
  badAddress: 'To nie jest adres strony. Powinien wyglądać tak: www.shop.example.',
  allowed: 'Widget działa pod tymi adresami i nigdzie indziej:',
  makeKey: 'Utwórz klucz',
  makingKey: 'Tworzenie klucza…',
  key: 'Klucz',
  keyHint:
    'Klucz jest publiczny: znajduje się na każdej stronie sklepu i działa tylko pod adresami, które wymienia.',
  keyUnknown: 'Ten klucz jest starszy niż lista i nie można go pokazać. Aby otrzymać kod, utwórz nowy.',
  addAddress: 'Dodaj adres',
  add: 'Dodaj',
  removeAddress: (origin) => `Usuń ${origin}`,
  saveAddresses: 'Zapisz adresy',
  anotherKey: 'Utwórz inny klucz',
  revoke: 'Unieważnij ten klucz',
  revokeSure: (name) => `Unieważnić klucz „${name}”?`,
  revokeSeen: (origin, ago) => `Wyszukiwanie zniknie z ${origin}, gdzie ostatnio użyto go ${ago}.`,
  revokeUnseen: 'Żaden sklep jeszcze nie użył tego klucza.',
  revokeEnd: 'Strony z tym kluczem będą potrzebować innego. Unieważnionego klucza nie można przywrócić.',
  address: 'Gdzie otwierają się Twoje produkty?',
  addressHint:
    'Produkty z własnym adresem go zachowują. U pozostałych {product_id}, {sku} lub inne pole oznacza wartość z produktu.',
  template: 'Adres produktu',
  test: 'Wypróbuj na trzech produktach',
  testing: 'Sprawdzanie…',
  save: 'Zapisz ten adres',
  opens: (path) => `otwiera ${path}`,
  answers: (path, status) =>
    status === 404 ? `${path}: sklep nie ma takiej strony (404)` : `${path}: sklep odpowiada ${status}`,
  noneFits: 'Żaden z pierwszych 20 produktów nie ma wszystkich pól tego adresu. Wybierz inne pole.',
  unreachable: (path, why) => `${path}: ${why}`,
  why: {
    url_not_allowed: 'tego adresu nie wolno stąd otwierać.',
    blocked_address:
      'usługa nie ma wstępu do tej sieci. Jeśli działa bez sieci albo sklep jest w sieci wewnętrznej, otwórz adres w przeglądarce.',
    dns: 'nie ma strony o tej nazwie.',
    connect: 'sklep nie odpowiada. Jeśli usługa nie ma sieci, otwórz adres w przeglądarce.',
    timeout: 'sklep zbyt długo nie odpowiada.',
    tls: 'certyfikat sklepu jest nieprawidłowy.',
    too_large: 'strona ma więcej niż 2 MiB.',
    too_many_redirects: 'sklep przekierowuje gości w kółko.',
    not_a_page: 'to nie jest strona HTML.',
    http_status: 'sklep odmawia dostępu do tej strony.',
  },
  look: 'Jak ma wyglądać?',
  language: 'Język',
  asPage: 'Jak strona sklepu',
  theme: 'Jasność',
  themes: { auto: 'Jak woli odwiedzający', light: 'Jasny', dark: 'Ciemny' },
  mode: 'Otwiera się',
  modes: { modal: 'nad stroną', inline: 'w stronie' },
  place: 'Aparat',
  places: { tag: 'w miejscu wiersza', field: 'w polu wyszukiwania sklepu' },
  selector: 'Selektor pola wyszukiwania',
  colour: 'Kolor przycisków',
  colourHint: 'Pipeta w polu koloru pobiera kolor ze zrzutu ekranu albo ze sklepu w innym oknie.',
  consent: 'Nic nie zapisuj przed zgodą odwiedzającego',
  preview: 'Z Twoimi produktami',
  phone: 'Telefon',
  desktop: 'Komputer',
  previewNeedsKey: 'Podgląd pojawi się, gdy sklep będzie miał klucz.',
  previewNoSearch: 'Twoja rola nie pozwala szukać, dlatego nie ma podglądu.',
  previewTitle: 'Podgląd widgetu',
  reload: 'Otwórz podgląd ponownie',
  previewHint: 'Podgląd kończy się po 15 minutach. Nigdzie nie jest liczony.',
  snippet: 'Wstaw do sklepu',
  snippetHint: (origins) =>
    `Dodaj ten wiersz przed </body>. Klucz jest publiczny i działa tylko na ${origins}.`,
  copySnippet: 'Kopiuj wiersz',
  download: 'Pobierz lookalike.php',
  downloadHint:
    'Plik zawiera już Twój klucz; zgłasza też koszyki i zakupy oraz prowadzi od wyniku do produktu.',
  css: 'Kolory, w arkuszu stylów sklepu',
  policy: 'Jeśli sklep ma Content-Security-Policy, dodaj do niej',
  copyPolicy: 'Kopiuj regułę',
  copyCss: 'Kopiuj kolory',
  send: 'Wyślij do mojego programisty',
  mailSubject: 'Wyszukiwanie zdjęciem w naszym sklepie',
  mailBody: (system, snippet, policy) =>
    `Dzień dobry,\n\nproszę o wstawienie tego wiersza przed </body> na każdej stronie naszego sklepu${system}:\n\n${snippet}\n\n` +
    `Jeśli sklep wysyła Content-Security-Policy, potrzeba w niej jeszcze:\n\n${policy}\n\n` +
    'Klucz jest publiczny i działa tylko pod adresami naszego sklepu. Jak to działa i jak zgłaszać koszyki i zakupy: ',
  where: {
    woocommerce:
      'Umieść plik lookalike.php w folderze wp-content/mu-plugins/ sklepu; jeśli folderu nie ma, utwórz go. Nic więcej nie potrzeba.',
    shopify:
      'Sklep online → Motywy → „…” → Edytuj kod → layout/theme.liquid, przed </body>. Strony kasy go nie wykonują: zgłaszaj zakupy ze swojego backendu. Pliki lookalike-shopify z wydania robią to samo z ustawieniami w edytorze motywu i podają listę produktów dla feedu.',
    shopware:
      'W Twoim motywie: Resources/views/storefront/base.html.twig, w bloku base_body_script po {{ parent() }}. Następnie wyczyść pamięć podręczną.',
    prestashop:
      'W Twoim motywie: templates/layouts/layout-both-columns.tpl, przed </body>. Następnie wyczyść pamięć podręczną w menu Zaawansowane → Wydajność.',
    magento:
      'Content → Design → Configuration → Twój sklep → Edit → Footer → Miscellaneous HTML. Wpisz usługę w csp_whitelist.xml, a potem wyczyść pamięć podręczną.',
    opencart:
      'catalog/view/template/common/footer.twig (OpenCart 3: catalog/view/theme/<Twój motyw>/template/common/footer.twig), przed </body>.',
    other: 'W szablonie wspólnym dla wszystkich stron sklepu, przed </body>.',
  },
  seen: 'Czy działa?',
  seenOn: (origin, ago) => `Widziano na ${origin} ${ago}`,
  counts: (searches, clicks) => `${countSearches(searches)} i ${countClicks(clicks)} w ciągu 7 dni`,
  notSeen: (origin) => `Jeszcze nie widziano na ${origin}.`,
  addLine: {
    clicks:
      'Wyszukiwania docierają, ale kliknięcia nie. Pozwól przeglądarce otwierać linki wyników albo zgłaszaj kliknięcia samodzielnie.',
    carts: 'Kliknięcia docierają, ale koszyki nie. Tam, gdzie produkt trafia do koszyka, dodaj ten wiersz:',
    purchases:
      'Zakupy nie docierają. Na stronie z podziękowaniem za zamówienie dodaj ten wiersz dla każdego produktu:',
  },
  check: 'Sprawdź mój sklep',
  checking: 'Sprawdzanie…',
  checkAddress: 'Strona do sprawdzenia',
  checkHint: 'Usługa otworzy stronę jeden raz, tak jak obca osoba. Potrzebuje do tego sieci.',
  facts: {
    snippet: ['Strona zawiera wiersz widgetu.', 'Strona nie zawiera wiersza widgetu.'],
    key: ['Zawiera ten klucz.', 'Zawiera inny klucz niż ten.'],
    origin: ['Klucz wymienia adres strony.', 'Klucz nie wymienia adresu strony. Dodaj go powyżej.'],
    policy: [
      'Żadna Content-Security-Policy nie zatrzymuje widgetu.',
      'Content-Security-Policy strony zatrzymuje widget. Usługi brakuje w: ',
    ],
  },
  byScript: 'Wiersz dodany przez inny skrypt nie jest w ten sposób widoczny; liczy się „Widziano na …”.',
  events: 'Wyszukiwania na bieżąco',
  watch: 'Obserwuj',
  stop: 'Zakończ',
  watching: 'Trwa obserwacja. Wyszukaj coś w swoim sklepie, a w kilka sekund pojawi się to tutaj.',
  nothingYet: 'Ze sklepu nic jeszcze nie dotarło.',
  clicked: countClicks,
  found: (count) => `znaleziono: ${count}`,
  byPicture: 'zdjęcie',
  bySimilar: 'jeden z Twoich produktów',
  budget: (perMinute) => `Dozwolone wyszukiwania na minutę: ${perMinute}.`,
  refused: (count) => `Odrzucone dzisiaj: ${count}.`,
  guide: 'Wszystkie opcje, zdarzenia i teksty: podręcznik widgetu',
}
