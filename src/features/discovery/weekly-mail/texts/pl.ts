import type { Texts } from './texts.ts'

export const texts: Texts = {
  subject: (store, searches) => `${store}: wyszukiwania w zeszłym tygodniu: ${searches}`,
  title: (store, period) => `${store}, ${period}`,
  searches: 'Wyszukiwania',
  clicked: 'Wyszukiwania z kliknięciem',
  revenue: 'Przychód',
  orders: (count) => `zamówienia: ${count}`,
  before: (value) => `tydzień wcześniej: ${value}`,
  missed: 'Szukane i nieznalezione',
  photos: 'Zdjęcia bez podobnego wyniku',
  unknownPhotos: 'coś, czego nie nazywa żadna kategoria',
  soldOut: 'Wyprzedane, a poszukiwane',
  searchedTimes: (count) => `wyszukiwania: ${count}`,
  clickedTimes: (count) => `kliknięcia: ${count}`,
  advice: 'Co teraz pomoże najbardziej',
  advices: {
    'track-clicks': [
      'Klienci szukali, ale nie zgłoszono żadnego kliknięcia. Sprawdź, czy widżet albo kod sklepu zgłasza kliknięcia.',
      'Sprawdź śledzenie',
    ],
    restock: [
      'Klienci klikają w wyprzedane produkty. Uzupełnij je albo przypnij na górze to, co może je zastąpić.',
      'Otwórz produkty',
    ],
    'name-missed': [
      'Powiedz wyszukiwarce, co te słowa znaczą w Twoim sklepie, albo dodaj taki produkt.',
      'Otwórz statystyki',
    ],
    photos: [
      'Zobacz, co klienci fotografują i czego nie znajdują. Może warto to sprzedawać.',
      'Otwórz statystyki',
    ],
    'track-purchases': [
      'Klienci klikają, ale nie zgłoszono żadnego zakupu. Zgłaszaj zakupy, aby wiedzieć, ile zarabia wyszukiwarka.',
      'Zobacz jak',
    ],
    try: [
      'Wszystko jest w porządku. Wyszukaj coś tak jak klient i sprawdź, czy pierwsze wyniki Ci się podobają.',
      'Wypróbuj wyszukiwanie',
    ],
  },
  why: 'Dostajesz tę wiadomość w poniedziałki, ponieważ ten sklep należy do Ciebie.',
  unsubscribe: 'Wypisz się',
}
