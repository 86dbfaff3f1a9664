import { pluralsIn } from '../../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('de')

export const texts: Texts = {
  hint: 'Das Modell macht aus Bildern und Wörtern das, was verglichen wird. Während die Shops zu einem anderen wechseln, geht die Suche weiter.',
  modelDirSet:
    'Die Einstellung MODEL_DIR legt das Modell fest, deshalb lässt es sich hier nicht wechseln. Entfernen Sie zuerst die Einstellung und starten Sie den Dienst neu.',
  here: 'Auf diesem Rechner',
  known: 'Kann geholt werden',
  allHere: 'Alle bekannten Modelle sind auf diesem Rechner.',
  states: { in_use: 'In Benutzung', here: 'Bereit', known: 'Nicht hier', broken: 'Nicht benutzbar' },
  bundled: 'Teil des Programms',
  statuses: { confirmed: 'Hashes bestätigt', unconfirmed: 'Hashes unbestätigt' },
  license: 'Lizenz',
  languages: 'Sprachen',
  size: 'Auf der Platte',
  memory: 'Arbeitsspeicher',
  speed: 'Tempo',
  dimension: 'Länge eines Vektors',
  speedOf: (picture, text) => `${picture} ms je Bild, ${text} ms je Text`,
  notMeasured: 'nicht gemessen',
  suits: {
    'clip-vit-base-patch32':
      'Für jeden Shop auf einem kleinen Rechner: der erste Schritt über das mitgelieferte Modell hinaus, zum kleinsten Preis.',
    'clip-vit-base-patch16':
      'Für Shops, deren Produkte sich in kleinen Einzelheiten wie Mustern und Drucken unterscheiden und deren Rechner Zeit zum Indexieren hat.',
    'mobileclip-s0': 'Zum Ausprobieren auf den kleinsten Rechnern; die Lizenz gilt der Forschung.',
    'siglip-base-patch16-224':
      'Für Shops mit vielerlei Produkten, in denen mit Wörtern gesucht wird; das beste allgemeine Modell dieser Liste.',
    'marqo-fashionsiglip': 'Für Shops mit Kleidung, Schuhen und Accessoires.',
    'marqo-ecommerce-b':
      'Für Shops und Marktplätze mit Waren aller Art; gelernt hat es an Bildern und Titeln von Produkten.',
  },

  fetch: (size) => `Holen (${size})`,
  fetchAtCommandLine:
    'Niemand konnte die Hashes seiner Dateien bestätigen. Es wird auf der Kommandozeile geholt, die sie zeigt und fragt, ob Sie ihnen trauen:',
  filesAtCommandLine: 'Zeigt, welche Dateien von wo zu laden sind, mit ihren Hashes:',
  fetching: (name) => `${name} wird geholt`,
  fetchSteps: {
    download: 'Wird geladen',
    copy: 'Wird kopiert',
    load: 'Wird zum ersten Mal gestartet',
    measure: 'Genauigkeit und Tempo werden gemessen',
    fit: 'Die Punkte werden angepasst',
  },
  lastFetch: 'Letzter Download',
  cancelFetch: 'Download anhalten',
  fetchEnds: {
    done: (name) => `${name} ist da und kann benutzt werden.`,
    cancelled: (name) => `Der Download von ${name} wurde angehalten. Der nächste macht dort weiter.`,
    failed: (name) => `${name} konnte nicht geholt werden.`,
  },
  offline:
    'OFFLINE ist gesetzt, deshalb wird nichts geholt. Laden Sie die Dateien auf einem anderen Rechner, bringen Sie ihren Ordner hierher, etwa auf einem USB-Stick, und fügen Sie ihn hinzu:',
  withoutNetwork: 'Ohne Netz bringen Sie den Ordner hierher, etwa auf einem USB-Stick, und fügen ihn hinzu:',
  ownFolder: 'Ein anderes Modell',
  ownFolderHint:
    'Jeder Export eines CLIP-, MobileCLIP- oder SigLIP-Modells für transformers.js lässt sich aus einem Ordner dieses Rechners hinzufügen. Er wird geprüft, bevor er hier erscheint:',
  guide: 'Welches Modell, und was sein Ordner enthalten muss',

  use: 'Dazu wechseln',
  useSure: (name) => `Alle Shops zu ${name} wechseln lassen?`,
  useNow: (name) => `Zu ${name} wechseln`,
  useHappens:
    'Alle Bilder werden im Hintergrund neu eingebettet, hinter aller anderen Arbeit. Bis ein Shop fertig ist, antwortet seine Suche mit dem jetzigen Modell; es fehlt nichts.',
  useBack:
    'Sie können jederzeit abbrechen. Sieben Tage lang nach dem Wechsel können Sie sofort zurück, oder Sie bestätigen ihn früher.',
  useChecks:
    'Die gespeicherten Prüfungen der Shops laufen davor und danach, damit Sie sehen, was sich geändert hat.',
  useTime: 'Dauer',
  useTimeOf: (time, pictures) =>
    `etwa ${time} für ${counted(pictures, 'Bild', 'Bilder')}, wenn der Rechner sonst nichts tut`,
  useTimeUnknown:
    'dieses Modell hat noch niemand gemessen; die Restzeit steht hier, sobald der Wechsel läuft',
  useDisk: 'Platz auf der Platte',
  useMemory: 'Arbeitsspeicher',
  useMemoryOf: (size) => `etwa ${size} mehr, bis der Wechsel bestätigt ist`,
  useChecked: 'Der Dienst prüft den Platz, bevor er beginnt, und lehnt ab, wenn er nicht reicht.',
  changed: 'Jemand war schneller, oder es hat sich etwas geändert. Die Seite zeigt jetzt, was da ist.',

  moving: {
    use: (from, to) => `Die Shops wechseln von ${from} zu ${to}`,
    back: (from, to) => `Die Shops gehen von ${from} zu ${to} zurück`,
    reindex: (_, to) => `Alle Bilder werden mit ${to} neu eingebettet`,
  },
  lastMove: 'Letzter Wechsel',
  moveEnds: {
    done: (to) => `Alle Shops antworten mit ${to}.`,
    cancelled: (to) => `Der Wechsel zu ${to} wurde abgebrochen.`,
    failed: (to) => `Der Wechsel zu ${to} ist fehlgeschlagen. Die Shops antworten wie zuvor.`,
  },
  moveStarts: 'Er beginnt gleich.',
  moveWaits: 'Er wartet und macht von selbst weiter:',
  storesDone: (done, all) => `Shops: ${done} von ${all}`,
  productsDone: (done, all) => `Produkte: ${done} von ${all}`,
  timeLeft: (time) => `noch etwa ${time}`,
  progress: 'Fortschritt des Wechsels',
  failed: (count) => `Produkte, deren Bild nicht mehr zu haben war: ${count}`,
  failedHint:
    'Die Suche mit Wörtern findet sie weiterhin. Sie werden wieder versucht, wenn jemand sie ändert.',
  furtherFailed: (count) => `und ${count} weitere`,
  cancelMove: 'Wechsel abbrechen',
  cancelSure: 'Den Wechsel abbrechen?',
  cancelHappens:
    'Shops, die schon gewechselt haben, gehen zum vorigen Modell zurück, dessen Vektoren noch da sind.',
  goOn: 'Weiterlaufen lassen',

  former: 'Der Weg zurück',
  formerUntil: (name, until) =>
    `Die Vektoren von ${name} bleiben bis ${until}. Bis dahin können alle Shops dorthin zurück; nur was sich seither geändert hat, wird vorher eingebettet.`,
  back: (name) => `Zurück zu ${name}`,
  backSure: (name) => `Zurück zu ${name}?`,
  backHappens:
    'Jeder Shop antwortet damit, sobald eingebettet ist, was sich seit dem Wechsel geändert hat; meist ist das sofort.',
  confirm: (name) => `${name} endgültig behalten`,
  confirmSure: (name) => `${name} endgültig behalten?`,
  confirmHappens: (former) =>
    `Die Vektoren von ${former} werden gelöscht, was Platte und Arbeitsspeicher frei macht. Einen schnellen Weg zurück gibt es dann nicht mehr.`,

  remove: 'Dateien löschen',
  removeSure: (name) => `Die Dateien von ${name} löschen?`,
  removeHappens: (size) =>
    `Das macht ${size} auf der Platte frei. Um es wieder zu benutzen, muss es jemand neu bringen.`,

  checks: 'Gespeicherte Prüfungen davor und danach',
  checksHint:
    'Suchen, deren richtige Ergebnisse die Leute eines Shops festgehalten haben. Sie laufen, bevor ein Shop wechselt, und danach.',
  noChecks: 'Kein Shop hat gespeicherte Prüfungen. Seine Leute speichern sie auf der Seite „Ausprobieren“.',
  checksNow: 'Jetzt',
  checksBefore: 'Vorher',
  checksChange: 'Änderung',
  pass: (passed, total) => `${passed} von ${total} bestehen`,
  notRun: 'Noch nicht gelaufen',
  runsNow: 'Läuft',
  better: (count) => `${count} mehr`,
  worse: (count) => `${count} weniger`,
  same: 'Wie zuvor',
  store: 'Shop',
}
