import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('de')

function everyMinutes(minutes: number): string {
  if (minutes === 1_440) return 'Alle 24 Stunden'
  if (minutes === 60) return 'Jede Stunde'
  if (minutes % 1_440 === 0) return `Alle ${minutes / 1_440} Tage`
  return minutes % 60 === 0 ? `Alle ${minutes / 60} Stunden` : `Alle ${minutes} Minuten`
}

export const texts: Texts = {
  heading: 'Feeds',
  none: 'Noch kein Feed',
  noneHint:
    'Ein Feed liest den Export Ihres Shops immer wieder von seiner Adresse, damit die Suche weiß, was Sie heute verkaufen.',
  add: 'Feed anlegen',
  create: 'Jetzt und künftig lesen',
  change: 'Ändern',
  save: 'Feed speichern',
  cancel: 'Abbrechen',
  address: 'Adresse der Datei',
  addressHint:
    'Eine Datei als CSV, TSV, NDJSON oder XML, auch gepackt. Sie muss ohne Anmeldung erreichbar sein.',
  login: 'Anmeldung an der Adresse',
  loginNone: 'Keine',
  loginKept: 'Die hinterlegte',
  loginNew: 'Benutzername und Passwort',
  withLogin: 'mit Anmeldung',
  user: 'Benutzername',
  password: 'Passwort',
  every: 'Wie oft',
  intervals: { 60: 'Jede Stunde', 360: 'Alle 6 Stunden', 1440: 'Jede Nacht', 10080: 'Jede Woche' },
  everyMinutes,
  deletes:
    'Produkte löschen, die dieser Feed gebracht hat und die nicht mehr in seiner Datei stehen. Wären es mehr als 20 %, wird nichts gelöscht, bevor Sie es sagen.',
  deletesToo: 'löscht, was fehlt',
  statuses: { queued: 'Er wird gleich gelesen', running: 'Er wird gerade gelesen' },
  paused: 'Angehalten',
  next: (when) => `nächster Lauf ${when}`,
  lastRuns: 'Die letzten Läufe',
  outcomes: {
    good: 'Gelesen',
    same: 'Nichts Neues',
    stopped: 'Gelesen, aber nichts gelöscht',
    bad: 'Fehlgeschlagen',
    running: 'Wird gelesen',
  },
  added: (count) => `${count} neu`,
  updated: (count) => `${count} geändert`,
  deleted: (count) => `${count} gelöscht`,
  failed: (count) => `${count} fehlgeschlagen`,
  sameFile: 'die Datei ist dieselbe',
  nothingNew: 'kein Produkt ist anders',
  job: 'Einzelheiten',
  brake: (missing, all) =>
    `${all === null ? counted(missing, 'Produkt fehlt', 'Produkte fehlen') : `${missing} von ${all} Produkten ${plural(missing, 'fehlt', 'fehlen')}`} in der Datei, mehr als 20 %. Eine abgeschnittene Datei sähe genauso aus, darum wurde nichts gelöscht.`,
  unnamed: (missing) =>
    `${counted(missing, 'Produkt fehlt', 'Produkte fehlen')} in der Datei, und einige ihrer Zeilen nennen kein Produkt. Das eine kann für das andere stehen, darum wurde nichts gelöscht.`,
  answered: (status) => `Der Server antwortete mit Status ${status}.`,
  checkAddress: 'Prüfen Sie die Adresse: Drücken Sie „Ändern“.',
  reasons: {
    dns: 'Der Rechnername in der Adresse ist unbekannt. Prüfen Sie die Schreibweise.',
    connect: 'Der Server war nicht zu erreichen.',
    timeout: 'Die Datei kam nicht rechtzeitig an.',
    tls: 'Das Zertifikat des Servers ist nicht gültig.',
    too_many_redirects: 'Die Adresse leitet zu oft weiter.',
    blocked_address: 'Die Adresse liegt in einem privaten Netz, das dieser Dienst nicht betritt.',
    too_large: 'Die Datei ist zu groß.',
  },
  reallyGone: 'Sie sind wirklich weg',
  reallyGoneSure: (count) => `${counted(count, 'Produkt', 'Produkte')} löschen?`,
  reallyGoneHint:
    'Die Datei wird noch einmal gelesen. Was sie nicht nennt, wird dieses eine Mal mit seinen Bildern gelöscht.',
  deleteProducts: (count) => `${counted(count, 'Produkt', 'Produkte')} löschen`,
  runNow: 'Jetzt lesen',
  stop: 'Anhalten',
  start: 'Fortsetzen',
  delete: 'Feed löschen',
  deleteSure: (url) => `Den Feed ${url} löschen?`,
  deleteHint: 'Er wird nicht mehr gelesen, und seine Anmeldung ist weg. Seine Produkte bleiben.',
}
