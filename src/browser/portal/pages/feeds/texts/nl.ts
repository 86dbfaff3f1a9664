import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('nl')

function everyMinutes(minutes: number): string {
  if (minutes === 1_440) return 'Elke 24 uur'
  if (minutes === 60) return 'Elk uur'
  if (minutes % 1_440 === 0) return `Elke ${minutes / 1_440} dagen`
  return minutes % 60 === 0 ? `Elke ${minutes / 60} uur` : `Elke ${minutes} minuten`
}

export const texts: Texts = {
  heading: 'Feeds',
  none: 'Nog geen feed',
  noneHint:
    'Een feed leest steeds opnieuw de export van uw webwinkel vanaf het adres, zodat de zoekfunctie weet wat u vandaag verkoopt.',
  add: 'Feed toevoegen',
  create: 'Nu en voortaan lezen',
  change: 'Wijzigen',
  save: 'Feed opslaan',
  cancel: 'Annuleren',
  address: 'Adres van het bestand',
  addressHint:
    'Een CSV-, TSV-, NDJSON- of XML-bestand, ook ingepakt. Het moet te openen zijn zonder in te loggen.',
  login: 'Inloggegevens voor het adres',
  loginNone: 'Geen',
  loginKept: 'De bewaarde gegevens',
  loginNew: 'Gebruikersnaam en wachtwoord',
  withLogin: 'met inloggegevens',
  user: 'Gebruikersnaam',
  password: 'Wachtwoord',
  every: 'Hoe vaak',
  intervals: { 60: 'Elk uur', 360: 'Elke 6 uur', 1440: 'Elke nacht', 10080: 'Elke week' },
  everyMinutes,
  deletes:
    'Verwijder producten uit deze feed die niet meer in het bestand staan. Als het er meer dan 20% zijn, wordt er niets verwijderd voordat u dat bevestigt.',
  deletesToo: 'verwijdert wat ontbreekt',
  statuses: {
    queued: 'Wordt zo meteen gelezen',
    running: 'Wordt nu gelezen',
  },
  paused: 'Gestopt',
  next: (when) => `volgende keer ${when}`,
  lastRuns: 'De laatste keren',
  outcomes: {
    good: 'Gelezen',
    same: 'Niets nieuws',
    stopped: 'Gelezen, niets verwijderd',
    bad: 'Mislukt',
    running: 'Wordt gelezen',
  },
  added: (count) => `${count} nieuw`,
  updated: (count) => `${count} gewijzigd`,
  deleted: (count) => `${count} verwijderd`,
  failed: (count) => `${count} mislukt`,
  sameFile: 'het bestand is hetzelfde',
  nothingNew: 'geen product is veranderd',
  job: 'Details',
  brake: (missing, all) =>
    `Producten die in het bestand ontbreken: ${missing}${all === null ? '' : ` van ${all}`}, meer dan 20%. Een afgebroken bestand ziet er net zo uit, daarom is er niets verwijderd.`,
  unnamed: (missing) =>
    `Producten die in het bestand ontbreken: ${missing}. Enkele rijen noemen geen product en kunnen bij die producten horen, daarom is er niets verwijderd.`,
  answered: (status) => `De server antwoordde met status ${status}.`,
  checkAddress: 'Controleer het adres: druk op ‘Wijzigen’.',
  reasons: {
    dns: 'De hostnaam in het adres is onbekend. Controleer de spelling.',
    connect: 'De server was niet bereikbaar.',
    timeout: 'Het ophalen van het bestand duurde te lang.',
    tls: 'Het certificaat van de server is niet geldig.',
    too_many_redirects: 'Het adres verwijst te vaak door.',
    blocked_address: 'Het adres ligt in een privénetwerk, en daar komt deze dienst niet.',
    too_large: 'Het bestand is te groot.',
  },
  reallyGone: 'Ze zijn echt weg',
  reallyGoneSure: (count) => counted(count, 'product verwijderen?', 'producten verwijderen?'),
  reallyGoneHint:
    'Het bestand wordt nog één keer gelezen. Wat er niet in staat, wordt met de foto’s verwijderd, alleen deze keer.',
  deleteProducts: (count) => counted(count, 'product verwijderen', 'producten verwijderen'),
  runNow: 'Nu lezen',
  stop: 'Stoppen',
  start: 'Starten',
  delete: 'Feed verwijderen',
  deleteSure: (url) => `Feed ${url} verwijderen?`,
  deleteHint: 'De feed wordt niet meer gelezen en de inloggegevens gaan verloren. De producten blijven.',
}
