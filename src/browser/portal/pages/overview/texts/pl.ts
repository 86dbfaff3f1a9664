import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pl')

const countSearches = (count: string) => counted(count, 'wyszukiwanie', 'wyszukiwania', 'wyszukiwań')

export const texts: Texts = {
  fact: (searches, clicks) =>
    `${countSearches(searches)} w ciągu 7 dni, ${counted(clicks, 'kliknięcie', 'kliknięcia', 'kliknięć')}`,
  quiet: 'Brak wyszukiwań w ciągu ostatnich 7 dni',
  empty: 'Twój sklep jest gotowy',
  searches: 'Wyszukiwania',
  clicks: 'Kliknięcia',
  orders: 'Zamówienia',
  revenue: 'Przychód',
  products: 'Produkty',
  before: (value) => `tydzień wcześniej: ${value}`,
  plot: 'Wyszukiwania według dni',
  plotText: (now, before) => `${countSearches(now)} w ciągu ostatnich 7 dni; 7 dni wcześniej: ${before}.`,
  thisWeek: 'Ostatnie 7 dni',
  lastWeek: '7 dni wcześniej',
  noticed: 'Warto sprawdzić',
  allWell: 'Nic nie wymaga Twojej uwagi.',
  latest: 'Ostatnie wyszukiwania',
  noneYet: 'Wyszukiwania pojawiają się tutaj na bieżąco. Zrób pierwsze na stronie „Wypróbuj”.',
  tryOne: 'Wypróbuj wyszukiwanie',
  byPicture: 'Zdjęcie',
  bySimilar: 'Podobne do produktu',
  found: (count) => `znaleziono: ${count}`,
  nothing: 'nic nie znaleziono',
  checklist: 'Następne kroki',
  steps: {
    products: 'Dodaj produkty',
    first_search: 'Wykonaj pierwsze wyszukiwanie',
    shop_address: 'Podaj adres sklepu',
    widget_seen: 'Wstaw wyszukiwarkę do sklepu',
    first_click: 'Zobacz pierwsze kliknięcie',
    second_factor: 'Zabezpiecz logowanie drugim składnikiem',
  },
  done: 'gotowe',
  todo: 'do zrobienia',
  noRights: 'Nie masz prawa oglądać liczb tego sklepu. Może Ci je nadać właściciel.',
}
