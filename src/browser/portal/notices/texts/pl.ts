import { pluralsIn } from '../../texts/plurals.ts'
import type { NoticeTexts } from '../describe.ts'

const { counted, plural } = pluralsIn('pl')

/** After `z`: 3 z 12 produktów. */
const ofProducts = (count: string) => counted(count, 'produktu', 'produktów')
const searched = (count: string) => counted(count, 'wyszukiwanie', 'wyszukiwania', 'wyszukiwań')
const inDays = (count: string) => `w ciągu ${counted(count, 'dnia', 'dni')}`

export const texts: NoticeTexts = {
  items_failed: ({ failed, total }) =>
    `Ostatnie zadanie z błędami: nie udało się ${failed} z ${ofProducts(total)}.`,
  import_warnings: ({ count }) =>
    `Ostatni import ma ${counted(count, 'ostrzeżenie', 'ostrzeżenia', 'ostrzeżeń')}.`,
  feeds_failing: ({ feeds, failures }) =>
    `Nie udało się odczytać ${counted(feeds, 'feedu', 'feedów')}${plural(failures, '', `, do ${failures} razy z rzędu`)}.`,
  feeds_stopped: ({ feeds }) =>
    `${counted(feeds, 'feed nie usunął', 'feedy nie usunęły', 'feedów nie usunęło')} niczego przy ostatnim odczycie, bo brakowało zbyt wielu produktów.`,
  products_without_name: ({ products, total }) =>
    `${products} z ${ofProducts(total)} nie ${plural(products, 'ma', 'mają', 'ma')} nazwy.`,
  products_without_price: ({ products, total }) =>
    `${products} z ${ofProducts(total)} nie ${plural(products, 'ma', 'mają', 'ma')} ceny.`,
  products_without_category: ({ products, total }) =>
    `${products} z ${ofProducts(total)} nie ${plural(products, 'ma', 'mają', 'ma')} kategorii.`,
  products_without_address: ({ products, total }) =>
    `${products} z ${ofProducts(total)} ${plural(products, 'prowadzi', 'prowadzą', 'prowadzi')} donikąd: brakuje adresu w sklepie.`,
  products_sold_out: ({ products, total }) =>
    `${products} z ${ofProducts(total)} ${plural(products, 'jest wyprzedany', 'są wyprzedane', 'jest wyprzedanych')}.`,
  catalogue_report: ({ count }) =>
    `Raport o katalogu wskazuje ${counted(count, 'rzecz', 'rzeczy', 'rzeczy')} do poprawienia.`,
  no_clicks: ({ searches, days }) => `${searched(searches)} ${inDays(days)} i ani jednego kliknięcia.`,
  clicks_unattributed: () =>
    'Kliknięcia docierają, ale nie podają wyszukiwania, więc nie wiadomo, co do nich doprowadziło.',
  clicks_partial: () => 'Niektóre strony wyszukują, ale nie zgłaszają kliknięć.',
  no_purchases: () => 'Wyszukiwania i kliknięcia docierają, ale zakupy nie.',
  empty_searches: ({ zero_results, searches, days }) =>
    `${zero_results} z ${counted(searches, 'wyszukiwania', 'wyszukiwań')} ${inDays(days)} nic nie ${plural(zero_results, 'znalazło', 'znalazły', 'znalazło')}.`,
  unmet_demand: ({ searches }) =>
    `Klienci pokazali ${counted(searches, 'zdjęcie', 'zdjęcia', 'zdjęć')}, do ${plural(searches, 'którego', 'których')} sklep nie miał nic podobnego.`,
  products_near_limit: ({ percent, used, limit }) =>
    `Plan jest wykorzystany w ${percent}%: ${used} z ${ofProducts(limit)}.`,
  storage_near_limit: ({ percent }) => `Zdjęcia zajmują ${percent}% miejsca w planie.`,
  api_keys_expiring: ({ keys }) =>
    `${counted(keys, 'klucz API wygaśnie', 'klucze API wygasną', 'kluczy API wygaśnie')} w ciągu 30 dni.`,
  api_keys_of_former_members: ({ keys }) =>
    `${counted(keys, 'klucz API', 'klucze API', 'kluczy API')} byłych członków już nie ${plural(keys, 'działa', 'działają', 'działa')}.`,
  webhooks_failing: ({ webhooks, disabled }) =>
    `Wiadomości do ${counted(webhooks, 'webhooka', 'webhooków')} nie docierają${disabled === '0' ? '' : `; wyłączone z tego powodu: ${disabled}`}.`,
  own_2fa_missing: () => 'Twoje konto nie ma drugiego składnika.',
  members_without_2fa: ({ members }) =>
    `${counted(members, 'inny członek nie ma', 'inni członkowie nie mają', 'innych członków nie ma')} drugiego składnika.`,
}
