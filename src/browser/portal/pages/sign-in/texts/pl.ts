import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Zaloguj się',
  about: 'API',
  guide: 'Podręcznik',
  hint: 'Nie masz konta? Zaprosi Cię ktoś ze sklepu.',
  forgotHeading: 'Nie pamiętasz hasła?',
  forgotHint:
    'Wyślemy na Twój adres link, który pozwala ustawić nowe hasło. Działa jeden raz, przez godzinę.',
  send: 'Wyślij link',
  sending: 'Wysyłanie…',
  sentHeading: 'Sprawdź pocztę',
  sent: 'Jeśli istnieje konto z tym adresem, link jest już w drodze. Jeśli nie ma serwera poczty, poproś o link operatora tej instalacji.',
  back: 'Wróć do logowania',
  codesLeft: (count) => `Pozostałe kody odzyskiwania: ${count}. Utwórz nowe, zanim się skończą.`,
  goOn: 'Dalej',
  registerHeading: 'Zarejestruj sklep',
  storeName: 'Nazwa sklepu',
  register: 'Zarejestruj sklep',
  registering: 'Rejestrowanie…',
  registered:
    'W ciągu 24 godzin otwórz link z wiadomości i wpisz tam jeszcze raz swoje hasło. Potem możesz się zalogować.',
  waitsHeading: 'Twoja rejestracja czeka',
  waits:
    'Ta instalacja nie wysyła poczty. Poproś jej operatora o otwarcie konta; potem możesz się zalogować.',
  closed: 'Rejestracja jest tu wyłączona',
  closedHint: 'Wyłączył ją operator tej instalacji. Zaprosić może Cię właściciel sklepu.',
  invite: 'Kod zaproszenia',
  inviteHint: 'Przysłał go operator tej instalacji.',
  inviteWrong: 'Rejestracja wymaga tu zaproszenia. Wpisz kod wysłany na ten adres e-mail.',
  badEmail: 'To nie jest adres e-mail.',
  badStore: 'Nazwa to jeden wiersz o długości od 1 do 100 znaków.',
  newHere: 'Zarejestruj sklep',
}
