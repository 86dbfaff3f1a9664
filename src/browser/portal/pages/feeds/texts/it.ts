import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('it')

function everyMinutes(minutes: number): string {
  if (minutes === 1_440) return 'Ogni 24 ore'
  if (minutes === 60) return 'Ogni ora'
  if (minutes % 1_440 === 0) return `Ogni ${minutes / 1_440} giorni`
  return minutes % 60 === 0 ? `Ogni ${minutes / 60} ore` : `Ogni ${minutes} minuti`
}

export const texts: Texts = {
  heading: 'Feed',
  none: 'Ancora nessun feed',
  noneHint:
    'Un feed legge periodicamente l’esportazione del negozio dal suo indirizzo, così la ricerca sa che cosa è in vendita oggi.',
  add: 'Aggiungi un feed',
  create: 'Leggi ora e d’ora in poi',
  change: 'Modifica',
  save: 'Salva il feed',
  cancel: 'Annulla',
  address: 'Indirizzo del file',
  addressHint: 'Un file CSV, TSV, NDJSON o XML, anche compresso. Deve aprirsi senza effettuare l’accesso.',
  login: 'Credenziali per l’indirizzo',
  loginNone: 'Nessuna',
  loginKept: 'Quelle salvate',
  loginNew: 'Nome utente e password',
  withLogin: 'con credenziali',
  user: 'Nome utente',
  password: 'Password',
  every: 'Frequenza',
  intervals: { 60: 'Ogni ora', 360: 'Ogni 6 ore', 1440: 'Ogni notte', 10080: 'Ogni settimana' },
  everyMinutes,
  deletes:
    'Elimina i prodotti portati da questo feed che non sono più nel suo file. Se fossero più del 20 %, nulla viene eliminato senza conferma.',
  deletesToo: 'elimina ciò che manca',
  statuses: {
    queued: 'La lettura inizierà tra un attimo',
    running: 'Lettura in corso',
  },
  paused: 'Fermo',
  next: (when) => `prossima lettura ${when}`,
  lastRuns: 'Le ultime letture',
  outcomes: {
    good: 'Letto',
    same: 'Nulla di nuovo',
    stopped: 'Letto, nulla eliminato',
    bad: 'Non riuscito',
    running: 'In lettura',
  },
  added: (count) => counted(count, 'nuovo', 'nuovi'),
  updated: (count) => counted(count, 'modificato', 'modificati'),
  deleted: (count) => counted(count, 'eliminato', 'eliminati'),
  failed: (count) => counted(count, 'non riuscito', 'non riusciti'),
  sameFile: 'il file è lo stesso',
  nothingNew: 'nessun prodotto è cambiato',
  job: 'Dettagli',
  brake: (missing, all) =>
    `Prodotti che mancano nel file: ${missing}${all === null ? '' : ` su ${all}`}, più del 20 %. Un file troncato ha lo stesso aspetto, perciò nulla è stato eliminato.`,
  unnamed: (missing) =>
    `Prodotti che mancano nel file: ${missing}; alcune righe inoltre non indicano alcun prodotto. Potrebbe trattarsi degli stessi prodotti, perciò nulla è stato eliminato.`,
  answered: (status) => `Il server ha risposto con lo stato ${status}.`,
  checkAddress: 'Controllare l’indirizzo: premere «Modifica».',
  reasons: {
    dns: 'Il nome host dell’indirizzo è sconosciuto. Controllare come è scritto.',
    connect: 'Il server non è raggiungibile.',
    timeout: 'Il file ha impiegato troppo tempo ad arrivare.',
    tls: 'Il certificato del server non è valido.',
    too_many_redirects: 'L’indirizzo ha troppi reindirizzamenti.',
    blocked_address: 'L’indirizzo si trova in una rete privata, a cui questo servizio non accede.',
    too_large: 'Il file è troppo grande.',
  },
  reallyGone: 'Sono davvero scomparsi',
  reallyGoneSure: (count) => plural(count, `Eliminare ${count} prodotto?`, `Eliminare ${count} prodotti?`),
  reallyGoneHint:
    'Il file viene letto ancora una volta. Ciò che non contiene viene eliminato con le sue immagini, solo questa volta.',
  deleteProducts: (count) => plural(count, `Elimina ${count} prodotto`, `Elimina ${count} prodotti`),
  runNow: 'Leggi ora',
  stop: 'Ferma',
  start: 'Avvia',
  delete: 'Elimina il feed',
  deleteSure: (url) => `Eliminare il feed ${url}?`,
  deleteHint: 'Non verrà più letto e le sue credenziali andranno perse. I suoi prodotti restano.',
}
