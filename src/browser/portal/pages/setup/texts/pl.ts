import type { Texts } from './en.ts'

export const texts: Texts = {
  title: 'Utwórz pierwsze konto',
  who: 'Przedstaw się',
  whoHint: 'Powstanie konto właściciela tej instalacji. Nic nie jest nigdzie wysyłane.',
  store: 'Nazwa sklepu',
  address: 'Jego adres tutaj:',
  numbered: 'Inny sklep ma już ten adres, dlatego Twój otrzyma na końcu numer.',
  make: 'Utwórz mój sklep',
  making: 'Tworzenie sklepu…',
  badEmail: 'To nie jest adres e-mail.',
  badStore: 'Nazwa to jeden wiersz o długości od 1 do 100 znaków.',
  ended: 'Ten link już nie działa',
  endedHint:
    'Link został użyty albo ma więcej niż 30 minut. Uruchom to polecenie tam, gdzie działa usługa, albo uruchom usługę ponownie:',
  endedMore: 'Wypisze ono nowy link. Otwórz go tutaj.',
  incomplete: 'Ten link jest niepełny',
  incompleteHint:
    'Otwórz pełny link, który usługa wypisała w terminalu. Nie możesz go znaleźć? Uruchom to polecenie tam, gdzie działa usługa:',
  owned: 'Ta instalacja ma już właściciela',
  ownedHint: 'Zaloguj się albo poproś właściciela o zaproszenie.',
}
