import { pluralsIn } from '../../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('it')

export const texts: Texts = {
  hint: 'Il modello trasforma immagini e parole in ciò che viene confrontato. Le ricerche continuano mentre i negozi passano a un altro.',
  modelDirSet:
    'L’impostazione MODEL_DIR sceglie il modello, perciò qui non si può cambiare. Togliere prima l’impostazione e riavviare il servizio.',
  here: 'Su questa macchina',
  known: 'Da scaricare',
  allHere: 'Tutti i modelli conosciuti sono su questa macchina.',
  states: { in_use: 'In uso', here: 'Pronto', known: 'Non presente', broken: 'Non utilizzabile' },
  bundled: 'parte del programma',
  statuses: { confirmed: 'Hash confermati', unconfirmed: 'Hash non confermati' },
  license: 'Licenza',
  languages: 'Lingue',
  size: 'Sul disco',
  memory: 'Memoria',
  speed: 'Velocità',
  dimension: 'Lunghezza di un vettore',
  speedOf: (picture, text) => `${picture} ms per immagine, ${text} ms per testo`,
  notMeasured: 'non misurato',
  suits: {
    'clip-vit-base-patch32':
      'Qualsiasi negozio su una macchina piccola: il primo passo oltre il modello incluso, al costo più basso.',
    'clip-vit-base-patch16':
      'Negozi i cui prodotti differiscono per piccoli dettagli, come motivi e stampe, e la cui macchina ha tempo per indicizzare.',
    'mobileclip-s0': 'Prove sulle macchine più piccole; la sua licenza è per la ricerca.',
    'siglip-base-patch16-224':
      'Negozi con molti tipi di prodotti che si cercano con le parole; il miglior modello generale di questo elenco.',
    'marqo-fashionsiglip': 'Negozi di abbigliamento, scarpe e accessori.',
    'marqo-ecommerce-b':
      'Negozi e mercati con articoli di ogni genere; ha imparato da immagini e titoli di prodotti.',
  },

  fetch: (size) => `Scarica (${size})`,
  fetchAtCommandLine:
    'Nessuno ha potuto confermare gli hash dei suoi file. Si scarica dalla riga di comando, che li mostra e chiede se fidarsi:',
  filesAtCommandLine: 'Mostra quali file scaricare, da dove, e i loro hash:',
  fetching: (name) => `Download di ${name}`,
  fetchSteps: {
    download: 'Download',
    copy: 'Copia',
    load: 'Primo caricamento',
    measure: 'Misura di precisione e velocità',
    fit: 'Adattamento dei punteggi',
  },
  lastFetch: 'Ultimo download',
  cancelFetch: 'Ferma il download',
  fetchEnds: {
    done: (name) => `${name} è qui e può essere usato.`,
    cancelled: (name) => `Il download di ${name} è stato fermato. Il prossimo riprende da lì.`,
    failed: (name) => `Non è stato possibile scaricare ${name}.`,
  },
  offline:
    'OFFLINE è attivo, perciò non si scarica nulla. Scaricare i file su un’altra macchina, portare qui la loro cartella, per esempio su una chiavetta USB, e aggiungerla:',
  withoutNetwork: 'Senza rete, portare qui la cartella, per esempio su una chiavetta USB, e aggiungerla:',
  ownFolder: 'Un altro modello',
  ownFolderHint:
    'Ogni esportazione di un modello CLIP, MobileCLIP o SigLIP per transformers.js può essere aggiunta da una cartella di questa macchina. Viene provata prima di comparire qui:',
  guide: 'Quale modello, e che cosa deve contenere la sua cartella',

  use: 'Passa a questo',
  useSure: (name) => `Far passare tutti i negozi a ${name}?`,
  useNow: (name) => `Passa a ${name}`,
  useHappens:
    'Tutte le immagini vengono vettorizzate di nuovo in background, dopo ogni altro lavoro. Finché un negozio non è pronto, le sue ricerche rispondono con il modello attuale; non manca nulla.',
  useBack:
    'Si può annullare in ogni momento. Per sette giorni dopo il passaggio si può tornare subito indietro, oppure confermarlo prima.',
  useChecks:
    'Le verifiche salvate dei negozi vengono eseguite prima e dopo, per mostrare che cosa è cambiato.',
  useTime: 'Tempo',
  useTimeOf: (time, pictures) =>
    `circa ${time} per ${counted(pictures, 'immagine', 'immagini')}, se la macchina non fa altro`,
  useTimeUnknown: 'nessuno ha misurato questo modello; il tempo restante compare quando il passaggio inizia',
  useDisk: 'Spazio sul disco',
  useMemory: 'Memoria',
  useMemoryOf: (size) => `circa ${size} in più fino alla conferma del passaggio`,
  useChecked: 'Il servizio controlla lo spazio prima di iniziare, e rifiuta se non basta.',
  changed: 'Qualcuno è stato più veloce, o qualcosa è cambiato. La pagina ora mostra la situazione attuale.',

  moving: {
    use: (from, to) => `I negozi passano da ${from} a ${to}`,
    back: (from, to) => `I negozi tornano da ${from} a ${to}`,
    reindex: (_, to) => `Tutte le immagini vengono vettorizzate di nuovo con ${to}`,
  },
  lastMove: 'Ultimo passaggio',
  moveEnds: {
    done: (to) => `Tutti i negozi rispondono con ${to}.`,
    cancelled: (to) => `Il passaggio a ${to} è stato annullato.`,
    failed: (to) => `Il passaggio a ${to} non è riuscito. I negozi rispondono come prima.`,
  },
  moveStarts: 'Sta per iniziare.',
  moveWaits: 'È in attesa e riprende da solo:',
  storesDone: (done, all) => `Negozi: ${done} di ${all}`,
  productsDone: (done, all) => `Prodotti: ${done} di ${all}`,
  timeLeft: (time) => `ancora circa ${time}`,
  progress: 'Avanzamento del passaggio',
  failed: (count) => `Prodotti la cui immagine non è più disponibile: ${count}`,
  failedHint: 'Le ricerche con parole continuano a trovarli. Vengono riprovati quando qualcuno li modifica.',
  furtherFailed: (count) => `e altri ${count}`,
  cancelMove: 'Annulla il passaggio',
  cancelSure: 'Annullare il passaggio?',
  cancelHappens: 'I negozi già passati tornano al modello precedente, i cui vettori ci sono ancora.',
  goOn: 'Lascialo continuare',

  former: 'La via del ritorno',
  formerUntil: (name, until) =>
    `I vettori di ${name} restano fino al ${until}. Fino ad allora tutti i negozi possono tornarvi; prima viene vettorizzato solo ciò che è cambiato da allora.`,
  back: (name) => `Torna a ${name}`,
  backSure: (name) => `Tornare a ${name}?`,
  backHappens:
    'Ogni negozio risponde con questo modello appena è vettorizzato ciò che è cambiato dopo il passaggio; di solito è subito.',
  confirm: (name) => `Tieni ${name} per sempre`,
  confirmSure: (name) => `Tenere ${name} per sempre?`,
  confirmHappens: (former) =>
    `I vettori di ${former} vengono eliminati, e disco e memoria si liberano. Dopo non c’è più un ritorno rapido.`,

  remove: 'Elimina i suoi file',
  removeSure: (name) => `Eliminare i file di ${name}?`,
  removeHappens: (size) =>
    `Questo libera ${size} sul disco. Per usarlo di nuovo, qualcuno dovrà portarlo ancora.`,

  checks: 'Verifiche salvate prima e dopo',
  checksHint:
    'Ricerche di cui le persone di un negozio hanno annotato i risultati giusti. Vengono eseguite prima che un negozio cambi modello, e dopo.',
  noChecks: 'Nessun negozio ha verifiche salvate. Le persone del negozio le salvano nella pagina «Prove».',
  checksNow: 'Ora',
  checksBefore: 'Prima',
  checksChange: 'Differenza',
  pass: (passed, total) => `${passed} di ${total} superate`,
  notRun: 'Non ancora eseguite',
  runsNow: 'In corso',
  better: (count) => `${count} in più`,
  worse: (count) => `${count} in meno`,
  same: 'Come prima',
  store: 'Negozio',
}
