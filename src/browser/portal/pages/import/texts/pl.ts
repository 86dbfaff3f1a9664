import { pluralsIn } from '../../../texts/plurals.ts'
import type { FindingTexts } from '../describe-finding.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('pl')

const countProducts = (count: string) => counted(count, 'produkt', 'produkty', 'produktów')

/** What the service found in a file. */
const findings: FindingTexts = {
  encoding_guessed: ({ encoding }) =>
    `Plik nie jest w UTF-8. Odczytano go jako ${encoding}: sprawdź polskie litery.`,
  column_unknown: ({ column }) => `W pliku nie ma kolumny „${column}”.`,
  price_without_tax: ({ column }) =>
    `Ceny w kolumnie „${column}” są netto, a sklep być może pokazuje brutto.`,
  fields_without_column: ({ fields, products }) =>
    `Nie znaleziono kolumny dla: ${fields}. Zabraknie tego w ${counted(products, 'produkcie', 'produktach')}. Wybierz kolumnę powyżej.`,
  results_without_links: () =>
    'Żadna kolumna nie zawiera adresu produktu, a sklep go nie ma: wyniki nie będą nigdzie prowadzić. Podaj na stronie „Widget”, gdzie otwierają się Twoje produkty.',
  prices_without_currency: () =>
    'Żadna kolumna nie zawiera waluty, a sklep jej nie ma: ceny są pokazywane bez niej. Wybierz ją w ustawieniach sklepu.',
  sale_not_below_price: ({ products }) =>
    `${counted(products, 'produkt ma', 'produkty mają', 'produktów ma')} cenę promocyjną nie niższą od zwykłej: zostanie pominięta.`,
  sale_dates_unreadable: ({ products }) =>
    `${counted(products, 'produkt ma', 'produkty mają', 'produktów ma')} promocję z nieczytelnymi datami: zostanie pominięta. Zapisuj daty tak: 2030-12-24.`,
  category_too_deep: ({ products }) =>
    `${counted(products, 'produkt ma', 'produkty mają', 'produktów ma')} kategorię o ponad 10 poziomach: zostanie pierwszych 10.`,
  parent_missing: ({ products }) =>
    `${counted(products, 'wariant wskazuje', 'warianty wskazują', 'wariantów wskazuje')} produkt główny, którego nie ma w pliku, i nic z niego nie ${plural(products, 'przejmie', 'przejmą', 'przejmie')}. Wyeksportuj wszystkie produkty do jednego pliku.`,
  parent_not_kept: ({ products }) =>
    `${counted(products, 'wariant nie przejmie', 'warianty nie przejmą', 'wariantów nie przejmie')} nic z produktu głównego, bo plik ma zbyt wiele produktów z wariantami. Podziel go.`,
  products_hidden: ({ products }) =>
    `${counted(products, 'produkt zostanie pominięty', 'produkty zostaną pominięte', 'produktów zostanie pominiętych')}: szkice lub nieopublikowane.`,
  vectors_of_another_model: ({ products }) =>
    `${counted(products, 'produkt ma', 'produkty mają', 'produktów ma')} wektory innego modelu: zamiast nich zostaną odczytane zdjęcia.`,
  dry_run_stopped: ({ line, products }) =>
    `Po ${counted(products, 'błędnym produkcie', 'błędnych produktach')} sprawdzanie zatrzymało się w wierszu ${line}: liczby sięgają do tego miejsca.`,
  file_not_kept: () =>
    'Usługa nie ma teraz miejsca na przechowanie pliku: do importu zostanie wysłany ponownie.',
}

/** What is wrong with the columns, by the code of the API. */
const problems: Readonly<Record<string, string>> = {
  column_unknown: 'Wybranej kolumny nie ma w tym pliku. Wybierz inną.',
  pages_not_pictures:
    'Kolumna ze zdjęciem zawiera adresy stron. Wybierz tę z adresami zdjęć (.jpg, .png, .webp).',
}

export const texts: Texts = {
  heading: 'Importuj plik',
  isRight: 'Czy wszystko się zgadza?',
  noRights:
    'Twoja rola pozwala oglądać produkty, ale nie importować. Może to zmienić właściciel lub administrator.',
  choose: 'Wybierz plik',
  chooseOther: 'Wybierz inny plik',
  drop: 'lub upuść go tutaj',
  kinds: 'CSV, TSV, NDJSON, XML albo plik zip z tabelą i jej zdjęciami. Najwyżej 100 MB.',
  fromShops:
    'Eksporty z WooCommerce, Shopify, PrestaShop, Magento, OpenCart i Google Merchant działają bez przygotowania, w każdym języku. Nic nie zostanie zapisane, zanim tego nie zobaczysz.',
  fromAddress: 'Plik jest pod adresem w sieci? Odczytaj go stamtąd.',
  sending: 'Trwa wysyłanie pliku',
  reading: 'Trwa odczyt pliku i pobieranie pierwszych zdjęć',
  cancel: 'Anuluj',
  troubles: {
    empty: 'Ten plik jest pusty.',
    too_large: 'Ten plik ma więcej niż 100 MB.',
    spreadsheet: 'To arkusz kalkulacyjny, a nie tabela tekstowa.',
    expired: 'Usługa przechowuje plik przez 30 minut, a ten czas minął.',
    unreadable: 'Nie można odczytać tego pliku.',
  },
  cures: {
    empty: 'Wyeksportuj go ponownie ze sklepu, a potem wybierz tutaj.',
    too_large: 'Podziel go na kilka plików albo spakuj jako zip lub gzip.',
    spreadsheet: 'Otwórz go w arkuszu kalkulacyjnym, zapisz jako CSV (UTF-8) i wybierz ten plik.',
    expired: 'Wyślij go ponownie: wszystko, co tu wybrano, pozostanie.',
  },
  sendAgain: (name) => `Wyślij ponownie „${name}”`,
  first: (count) =>
    plural(
      count,
      'Pierwszy produkt',
      `${plural(count, 'Pierwszy', 'Pierwsze', 'Pierwszych')} ${countProducts(count)}`,
    ),
  picturesFailed: (failed, all) =>
    `Niewczytane zdjęcia: ${failed} z ${all}. Pozostałe produkty i tak zostaną zaimportowane.`,
  noPicture: 'Nie wczytano zdjęcia',
  columns: 'Jak odczytujemy kolumny',
  fields: {
    image_url: 'zdjęcie',
    product_id: 'numer produktu',
    name: 'nazwa',
    price: 'cena',
    sale_price: 'cena promocyjna',
    category: 'kategoria',
    brand: 'marka',
    color_name: 'kolor',
    in_stock: 'stan magazynowy',
    url: 'adres w Twoim sklepie',
    additional_image_urls: 'dalsze zdjęcia',
    description: 'opis',
    currency: 'waluta',
    tags: 'tagi',
    variant_group: 'grupa wariantów',
    sku: 'numer artykułu',
    gtin: 'numer kodu kreskowego',
    rating: 'ocena',
    sale_price_from: 'pierwszy dzień promocji',
    sale_price_until: 'ostatni dzień promocji',
  },
  tails: {
    image_url: 'wygląda na zdjęcie',
    product_id: 'wygląda na numer produktu',
    name: 'wygląda na nazwę',
    price: 'wygląda na cenę',
    sale_price: 'wygląda na cenę promocyjną',
    category: 'wygląda na kategorię',
    brand: 'wygląda na markę',
    color_name: 'wygląda na kolor',
    in_stock: 'mówi, co jest w magazynie',
    url: 'wygląda na adres w Twoim sklepie',
    additional_image_urls: 'zawiera dalsze zdjęcia',
    description: 'wygląda na opis',
    currency: 'wygląda na walutę',
    tags: 'wygląda na tagi',
    variant_group: 'łączy warianty',
    sku: 'wygląda na numer artykułu',
    gtin: 'wygląda na numer kodu kreskowego',
    rating: 'wygląda na ocenę',
    sale_price_from: 'mówi, kiedy zaczyna się promocja',
    sale_price_until: 'mówi, kiedy kończy się promocja',
  },
  keptAs: (key) => `zostaje jako „${key}”`,
  nothingFills: (field) => `Brak kolumny dla pola: ${field}`,
  columnFor: (field) => `Kolumna dla pola: ${field}`,
  noColumn: 'Brak kolumny',
  openFields: 'Pola bez kolumny',
  losses: 'Co zostałoby utracone',
  lossesHint: 'Tych kolumn nic nie odczytuje. Zachowaną kolumnę można wyświetlać i według niej filtrować.',
  loss: (count) => `ma wartość w ${count} z pierwszych wierszy, na przykład`,
  keep: 'Zachowaj',
  keepAll: 'Zachowaj wszystkie',
  changes: 'Co się zmieni',
  new: 'Nowe',
  changed: 'Zmienione',
  unchanged: 'Bez zmian',
  gone: 'Nieobecne w pliku',
  hidden: (count) => `Pominięte szkice i ukryte produkty: ${count}.`,
  invalid: (count) => `Nie można zaimportować ${counted(count, 'wiersza', 'wierszy', 'wierszy')}`,
  line: (line) => `Wiersz ${line}`,
  findings,
  problems,
  noticed: 'Warto sprawdzić',
  choices: 'Import',
  variants: 'Warianty',
  variantsTogether: 'Jeden produkt ze wszystkimi wariantami',
  variantsApart: 'Każdy wariant jest produktem',
  missing: 'Produkty, których nie ma w pliku',
  missingKeep: 'Zachowaj',
  missingDelete: 'Usuń',
  willDelete: (count) =>
    plural(
      count,
      '1 produkt sklepu i jego zdjęcia zostaną usunięte.',
      `${countProducts(count)} sklepu wraz ze zdjęciami ${plural(count, 'zostanie usunięty', 'zostaną usunięte', 'zostanie usuniętych')}.`,
    ),
  brake: (count, all) =>
    `Naprawdę ich już nie ma. W tym pliku brakuje ${count} z ${counted(all, 'produktu', 'produktów')}; ucięty plik wyglądałby tak samo.`,
  run: (count) => `Importuj ${countProducts(count)}`,
  starting: 'Import się rozpoczyna…',
  summary: (added, changed) => `nowe: ${added}, zmienione: ${changed}`,
  nothingToRun: 'Żadnego wiersza tego pliku nie można zaimportować.',
  nightly: 'Powtarzaj co noc z adresu',
  nightlyAddress: 'Adres pliku',
  nightlyHint:
    'Miejsce, w którym sklep za każdym razem umieszcza ten sam eksport. Zostanie odczytany od razu, a potem co 24 godziny, z wybranymi tu ustawieniami.',
  nightlyMake: 'Powtarzaj co noc',
  feedMade: 'Plik jest odczytywany teraz, a potem co 24 godziny.',
  toFeeds: 'Pokaż feedy',
}
