import { formatNumber } from '../../../language.ts'
import type { texts as English } from './en.ts'

export const texts: typeof English = {
  heading: 'Raport o katalogu',
  make: 'Sprawdź teraz',
  waiting: 'Powstaje nowy raport. Pojawi się najwcześniej pięć minut po poprzednim.',
  lookedAt: (n: number): string =>
    n === 1 ? 'Sprawdzono produkty: 1,' : `Sprawdzono produkty: ${formatNumber(n)},`,
  none: 'Nie ma jeszcze raportu',
  noneHint: 'Każdej nocy szukamy zdjęć i danych, które do siebie nie pasują.',
  fine: 'Nie ma czego poprawiać',
  fineHint: 'Zdjęcia i dane produktów do siebie pasują, o ile możemy to ocenić.',
  kinds: {
    dead_link: 'Zdjęcia, których nie udało się wczytać',
    shared_picture: 'Jedno zdjęcie, wiele produktów',
    category_mismatch: 'Zdjęcie nie pasuje do kategorii',
    color_mismatch: 'Zdjęcie nie pasuje do koloru',
    near_duplicate: 'Prawdopodobnie dwa razy ten sam produkt',
    tiny_picture: 'Bardzo małe zdjęcia',
    no_words: 'Produkty bez słów',
  },
  hints: {
    dead_link: 'Popraw adres zdjęcia i zaimportuj produkt ponownie.',
    shared_picture: 'Może to zdjęcie zastępcze. Wyszukiwanie zdjęciem nie znajdzie tych produktów.',
    category_mismatch: 'Tylko kategorie, które dobrze rozpoznajemy w innych produktach.',
    color_mismatch: 'Tylko kolory, które inne produkty wyraźnie pokazują.',
    near_duplicate: 'Oba mają to samo zdjęcie. Warianty należą do jednej grupy.',
    tiny_picture: 'Poniżej 150 pikseli na bok niewiele widać. Prześlij większe zdjęcia.',
    no_words: 'Nazwa i kategoria wystarczą, aby znaleźć je słowami.',
  },
  andMore: (n: number): string => (n === 1 ? 'i jeszcze 1' : `i jeszcze ${formatNumber(n)}`),
  category: (own: string, seems: string): string => `Kategoria to „${own}”, a zdjęcie wygląda na „${seems}”.`,
  colour: (name: string): string => `Kolor to „${name}”, a zdjęcie go nie pokazuje.`,
  shared: (n: number): string => `Liczba produktów z tym zdjęciem: ${formatNumber(n)}`,
  pixels: (width: number, height: number): string => `${width} × ${height} pikseli`,
  twin: 'To samo zdjęcie ma',
  mute: 'Bez nazwy, kategorii, marki, opisu i tagów',
}
