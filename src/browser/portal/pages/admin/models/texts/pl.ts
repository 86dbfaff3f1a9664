import { pluralsIn } from '../../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pl')

export const texts: Texts = {
  hint: 'Model zamienia zdjęcia i słowa w to, co jest porównywane. Wyszukiwanie działa, gdy sklepy przechodzą na inny model.',
  modelDirSet:
    'Model wybiera ustawienie MODEL_DIR, więc nie można go tu zmienić. Najpierw usuń to ustawienie i uruchom usługę ponownie.',
  here: 'Na tej maszynie',
  known: 'Do pobrania',
  allHere: 'Wszystkie znane modele są na tej maszynie.',
  states: { in_use: 'W użyciu', here: 'Gotowy', known: 'Nie ma go tutaj', broken: 'Nie da się użyć' },
  bundled: 'część programu',
  statuses: { confirmed: 'Skróty potwierdzone', unconfirmed: 'Skróty niepotwierdzone' },
  license: 'Licencja',
  languages: 'Języki',
  size: 'Na dysku',
  memory: 'Pamięć',
  speed: 'Szybkość',
  dimension: 'Długość wektora',
  speedOf: (picture, text) => `${picture} ms na zdjęcie, ${text} ms na tekst`,
  notMeasured: 'nie zmierzono',
  suits: {
    'clip-vit-base-patch32':
      'Każdy sklep na małej maszynie: pierwszy krok ponad dołączony model, najmniejszym kosztem.',
    'clip-vit-base-patch16':
      'Sklepy, których produkty różnią się drobiazgami, takimi jak wzory i nadruki, i których maszyna ma czas na indeksowanie.',
    'mobileclip-s0': 'Próby na najmniejszych maszynach; licencja jest do celów badawczych.',
    'siglip-base-patch16-224':
      'Sklepy z wieloma rodzajami produktów, których szuka się słowami; najlepszy model ogólny na tej liście.',
    'marqo-fashionsiglip': 'Sklepy z odzieżą, butami i dodatkami.',
    'marqo-ecommerce-b':
      'Sklepy i platformy handlowe z towarami wszelkiego rodzaju; uczył się na zdjęciach i tytułach produktów.',
  },

  fetch: (size) => `Pobierz (${size})`,
  fetchAtCommandLine:
    'Nikt nie mógł potwierdzić skrótów jego plików. Pobiera się go w wierszu poleceń, który je pokazuje i pyta, czy im ufasz:',
  filesAtCommandLine: 'Pokazuje, które pliki pobrać, skąd, i ich skróty:',
  fetching: (name) => `Trwa pobieranie modelu ${name}`,
  fetchSteps: {
    download: 'Pobieranie',
    copy: 'Kopiowanie',
    load: 'Pierwsze wczytanie',
    measure: 'Pomiar dokładności i szybkości',
    fit: 'Dopasowanie ocen',
  },
  lastFetch: 'Ostatnie pobieranie',
  cancelFetch: 'Zatrzymaj pobieranie',
  fetchEnds: {
    done: (name) => `${name} jest na miejscu i można go używać.`,
    cancelled: (name) => `Pobieranie modelu ${name} zatrzymano. Następne ruszy od tego miejsca.`,
    failed: (name) => `Nie udało się pobrać modelu ${name}.`,
  },
  offline:
    'OFFLINE jest włączone, więc nic się nie pobiera. Pobierz pliki na innej maszynie, przynieś tu ich folder, na przykład na pendrivie, i dodaj go:',
  withoutNetwork: 'Bez sieci przynieś tu folder, na przykład na pendrivie, i dodaj go:',
  ownFolder: 'Inny model',
  ownFolderHint:
    'Każdy eksport modelu CLIP, MobileCLIP lub SigLIP dla transformers.js można dodać z folderu na tej maszynie. Zanim się tu pojawi, jest sprawdzany:',
  guide: 'Który model i co musi zawierać jego folder',

  use: 'Przejdź na niego',
  useSure: (name) => `Przenieść wszystkie sklepy na ${name}?`,
  useNow: (name) => `Przejdź na ${name}`,
  useHappens:
    'Wszystkie zdjęcia są ponownie przeliczane w tle, po całej innej pracy. Dopóki sklep nie jest gotowy, jego wyszukiwanie odpowiada z obecnego modelu; niczego nie brakuje.',
  useBack:
    'Możesz anulować w każdej chwili. Przez siedem dni po przejściu możesz od razu wrócić albo wcześniej je potwierdzić.',
  useChecks: 'Zapisane testy sklepów są wykonywane przed i po, żeby było widać, co się zmieniło.',
  useTime: 'Czas',
  useTimeOf: (time, pictures) =>
    `mniej więcej ${time} na ${counted(pictures, 'zdjęcie', 'zdjęcia', 'zdjęć')}, jeśli maszyna nie robi nic innego`,
  useTimeUnknown: 'nikt nie zmierzył tego modelu; pozostały czas pojawi się, gdy przejście ruszy',
  useDisk: 'Miejsce na dysku',
  useMemory: 'Pamięć',
  useMemoryOf: (size) => `około ${size} więcej, dopóki przejście nie zostanie potwierdzone`,
  useChecked: 'Usługa sprawdza miejsce, zanim zacznie, i odmawia, gdy jest go za mało.',
  changed: 'Ktoś był szybszy albo coś się zmieniło. Strona pokazuje teraz stan obecny.',

  moving: {
    use: (from, to) => `Sklepy przechodzą z ${from} na ${to}`,
    back: (from, to) => `Sklepy wracają z ${from} na ${to}`,
    reindex: (_, to) => `Wszystkie zdjęcia są ponownie przeliczane modelem ${to}`,
  },
  lastMove: 'Ostatnie przejście',
  moveEnds: {
    done: (to) => `Wszystkie sklepy odpowiadają z modelu ${to}.`,
    cancelled: (to) => `Przejście na ${to} anulowano.`,
    failed: (to) => `Przejście na ${to} się nie powiodło. Sklepy odpowiadają jak wcześniej.`,
  },
  moveStarts: 'Zaraz się zacznie.',
  moveWaits: 'Czeka i samo ruszy dalej:',
  storesDone: (done, all) => `Sklepy: ${done} z ${all}`,
  productsDone: (done, all) => `Produkty: ${done} z ${all}`,
  timeLeft: (time) => `jeszcze mniej więcej ${time}`,
  progress: 'Postęp przejścia',
  failed: (count) => `Produkty, których zdjęcia nie udało się już zdobyć: ${count}`,
  failedHint: 'Wyszukiwanie słowami nadal je znajduje. Kolejna próba następuje, gdy ktoś je zmieni.',
  furtherFailed: (count) => `i jeszcze ${count}`,
  cancelMove: 'Anuluj przejście',
  cancelSure: 'Anulować przejście?',
  cancelHappens: 'Sklepy, które już przeszły, wracają do poprzedniego modelu; jego wektory nadal są.',
  goOn: 'Niech trwa dalej',

  former: 'Droga powrotna',
  formerUntil: (name, until) =>
    `Wektory modelu ${name} są przechowywane do ${until}. Do tego czasu wszystkie sklepy mogą do niego wrócić; najpierw przeliczane jest tylko to, co się od tej pory zmieniło.`,
  back: (name) => `Wróć do ${name}`,
  backSure: (name) => `Wrócić do ${name}?`,
  backHappens:
    'Każdy sklep odpowiada z niego, gdy tylko przeliczone jest to, co się zmieniło od przejścia; zwykle dzieje się to od razu.',
  confirm: (name) => `Zachowaj ${name} na stałe`,
  confirmSure: (name) => `Zachować ${name} na stałe?`,
  confirmHappens: (former) =>
    `Wektory modelu ${former} zostaną usunięte, co zwolni dysk i pamięć. Szybkiej drogi powrotnej już nie będzie.`,

  remove: 'Usuń jego pliki',
  removeSure: (name) => `Usunąć pliki modelu ${name}?`,
  removeHappens: (size) => `To zwolni ${size} na dysku. Aby użyć go ponownie, ktoś musi go znowu dostarczyć.`,

  checks: 'Zapisane testy przed i po',
  checksHint:
    'Wyszukiwania, których właściwe wyniki zapisali ludzie sklepu. Są wykonywane, zanim sklep przejdzie na inny model, i potem.',
  noChecks: 'Żaden sklep nie ma zapisanych testów. Ludzie sklepu zapisują je na stronie „Wypróbuj”.',
  checksNow: 'Teraz',
  checksBefore: 'Wcześniej',
  checksChange: 'Zmiana',
  pass: (passed, total) => `zaliczone ${passed} z ${total}`,
  notRun: 'Jeszcze nie wykonano',
  runsNow: 'Trwa',
  better: (count) => `o ${count} więcej`,
  worse: (count) => `o ${count} mniej`,
  same: 'Jak wcześniej',
  store: 'Sklep',
}
