import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pl')

function everyMinutes(minutes: number): string {
  if (minutes === 1_440) return 'Co 24 godziny'
  if (minutes === 60) return 'Co godzinę'
  if (minutes % 1_440 === 0) return `Co ${counted(minutes / 1_440, 'dzień', 'dni', 'dni')}`
  return minutes % 60 === 0
    ? `Co ${counted(minutes / 60, 'godzinę', 'godziny', 'godzin')}`
    : `Co ${counted(minutes, 'minutę', 'minuty', 'minut')}`
}

const countProducts = (count: string) => counted(count, 'produkt', 'produkty', 'produktów')
/** After a verb such as “brakuje”, and after “of”. */
const ofProducts = (count: string) => counted(count, 'produktu', 'produktów', 'produktów')

export const texts: Texts = {
  heading: 'Feedy',
  none: 'Nie ma jeszcze feedu',
  noneHint:
    'Feed regularnie odczytuje eksport sklepu spod jego adresu, dzięki czemu wyszukiwanie wie, co sprzedajesz dzisiaj.',
  add: 'Dodaj feed',
  create: 'Odczytaj teraz i odczytuj dalej',
  change: 'Zmień',
  save: 'Zapisz feed',
  cancel: 'Anuluj',
  address: 'Adres pliku',
  addressHint: 'Plik CSV, TSV, NDJSON lub XML, także spakowany. Musi się otwierać bez logowania na stronie.',
  login: 'Logowanie pod tym adresem',
  loginNone: 'Brak',
  loginKept: 'Zapisane dane',
  loginNew: 'Nazwa użytkownika i hasło',
  withLogin: 'z logowaniem',
  user: 'Nazwa użytkownika',
  password: 'Hasło',
  every: 'Jak często',
  intervals: { 60: 'Co godzinę', 360: 'Co 6 godzin', 1440: 'Co noc', 10080: 'Co tydzień' },
  everyMinutes,
  deletes:
    'Usuwaj produkty dodane przez ten feed, gdy znikną z jego pliku. Jeśli miałoby ich ubyć więcej niż 20%, nic nie zostanie usunięte bez Twojej zgody.',
  deletesToo: 'usuwa brakujące',
  statuses: { queued: 'Zaraz zostanie odczytany', running: 'Trwa odczyt' },
  paused: 'Zatrzymany',
  next: (when) => `następny odczyt ${when}`,
  lastRuns: 'Ostatnie odczyty',
  outcomes: {
    good: 'Odczytano',
    same: 'Nic nowego',
    stopped: 'Odczytano, niczego nie usunięto',
    bad: 'Nie udało się',
    running: 'Trwa odczyt',
  },
  added: (count) => `nowe: ${count}`,
  updated: (count) => `zmienione: ${count}`,
  deleted: (count) => `usunięte: ${count}`,
  failed: (count) => `nieudane: ${count}`,
  sameFile: 'plik jest ten sam',
  nothingNew: 'żaden produkt się nie zmienił',
  job: 'Szczegóły',
  brake: (missing, all) =>
    `W pliku brakuje ${all === null ? ofProducts(missing) : `${missing} z ${ofProducts(all)}`}, czyli ponad 20%. Ucięty plik wygląda tak samo, dlatego nic nie usunięto.`,
  unnamed: (missing) =>
    `W pliku brakuje ${ofProducts(missing)}, a niektóre wiersze nie podają produktu. Jedno może odpowiadać drugiemu, dlatego nic nie usunięto.`,
  answered: (status) => `Serwer odpowiedział statusem ${status}.`,
  checkAddress: 'Sprawdź adres: naciśnij „Zmień”.',
  reasons: {
    dns: 'Nazwa serwera w adresie jest nieznana. Sprawdź pisownię.',
    connect: 'Nie udało się połączyć z serwerem.',
    timeout: 'Plik nie dotarł na czas.',
    tls: 'Certyfikat serwera jest nieprawidłowy.',
    too_many_redirects: 'Adres przekierowuje zbyt wiele razy.',
    blocked_address: 'Adres znajduje się w sieci prywatnej, do której usługa nie wchodzi.',
    too_large: 'Plik jest za duży.',
  },
  reallyGone: 'Naprawdę ich już nie ma',
  reallyGoneSure: (count) => `Usunąć ${countProducts(count)}?`,
  reallyGoneHint:
    'Plik zostanie odczytany jeszcze raz. Czego w nim nie ma, zostanie ten jeden raz usunięte wraz ze zdjęciami.',
  deleteProducts: (count) => `Usuń ${countProducts(count)}`,
  runNow: 'Odczytaj teraz',
  stop: 'Zatrzymaj',
  start: 'Wznów',
  delete: 'Usuń feed',
  deleteSure: (url) => `Usunąć feed ${url}?`,
  deleteHint: 'Nie będzie już odczytywany, a jego dane logowania znikną. Produkty pozostaną.',
}
