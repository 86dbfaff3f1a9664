import { pluralsIn } from '../../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('nl')

export const texts: Texts = {
  hint: 'Het model maakt van foto’s en woorden wat wordt vergeleken. Zoeken gaat door terwijl de winkels naar een ander overgaan.',
  modelDirSet:
    'De instelling MODEL_DIR kiest het model, dus hier kan het niet worden gewisseld. Haal eerst de instelling weg en start de dienst opnieuw.',
  here: 'Op deze machine',
  known: 'Kan worden opgehaald',
  allHere: 'Alle bekende modellen staan op deze machine.',
  states: { in_use: 'In gebruik', here: 'Klaar', known: 'Niet hier', broken: 'Niet bruikbaar' },
  bundled: 'deel van het programma',
  statuses: { confirmed: 'Hashes bevestigd', unconfirmed: 'Hashes niet bevestigd' },
  license: 'Licentie',
  languages: 'Talen',
  size: 'Op de schijf',
  memory: 'Geheugen',
  speed: 'Snelheid',
  dimension: 'Lengte van een vector',
  speedOf: (picture, text) => `${picture} ms per foto, ${text} ms per tekst`,
  notMeasured: 'niet gemeten',
  suits: {
    'clip-vit-base-patch32':
      'Elke winkel op een kleine machine: de eerste stap voorbij het meegeleverde model, tegen de laagste kosten.',
    'clip-vit-base-patch16':
      'Winkels waarvan de producten in kleine details verschillen, zoals patronen en prints, en waarvan de machine tijd heeft om te indexeren.',
    'mobileclip-s0': 'Proeven op de kleinste machines; de licentie is voor onderzoek.',
    'siglip-base-patch16-224':
      'Winkels met allerlei producten waarin met woorden wordt gezocht; het beste algemene model van deze lijst.',
    'marqo-fashionsiglip': 'Winkels met kleding, schoenen en accessoires.',
    'marqo-ecommerce-b':
      'Winkels en marktplaatsen met allerlei artikelen; het leerde van foto’s en titels van producten.',
  },

  fetch: (size) => `Ophalen (${size})`,
  fetchAtCommandLine:
    'Niemand kon de hashes van de bestanden bevestigen. Het wordt opgehaald op de opdrachtregel, die ze toont en vraagt of u ze vertrouwt:',
  filesAtCommandLine: 'Toont welke bestanden u waar moet downloaden, met hun hashes:',
  fetching: (name) => `${name} wordt opgehaald`,
  fetchSteps: {
    download: 'Wordt gedownload',
    copy: 'Wordt gekopieerd',
    load: 'Wordt voor het eerst geladen',
    measure: 'Nauwkeurigheid en snelheid worden gemeten',
    fit: 'De scores worden aangepast',
  },
  lastFetch: 'Laatste download',
  cancelFetch: 'Download stoppen',
  fetchEnds: {
    done: (name) => `${name} is er en kan worden gebruikt.`,
    cancelled: (name) => `De download van ${name} is gestopt. De volgende gaat daar verder.`,
    failed: (name) => `${name} kon niet worden opgehaald.`,
  },
  offline:
    'OFFLINE staat aan, dus er wordt niets opgehaald. Download de bestanden op een andere machine, breng hun map hierheen, bijvoorbeeld op een usb-stick, en voeg hem toe:',
  withoutNetwork:
    'Zonder netwerk brengt u de map hierheen, bijvoorbeeld op een usb-stick, en voegt u hem toe:',
  ownFolder: 'Een ander model',
  ownFolderHint:
    'Elke export van een CLIP-, MobileCLIP- of SigLIP-model voor transformers.js kan uit een map op deze machine worden toegevoegd. Hij wordt getest voordat hij hier verschijnt:',
  guide: 'Welk model, en wat de map moet bevatten',

  use: 'Hiernaar overgaan',
  useSure: (name) => `Alle winkels naar ${name} laten overgaan?`,
  useNow: (name) => `Overgaan naar ${name}`,
  useHappens:
    'Alle foto’s worden op de achtergrond opnieuw omgezet, na al het andere werk. Tot een winkel klaar is, antwoordt zijn zoekfunctie met het huidige model; er ontbreekt niets.',
  useBack:
    'U kunt op elk moment annuleren. Zeven dagen na de overgang kunt u meteen terug, of u bevestigt hem eerder.',
  useChecks:
    'De opgeslagen controles van de winkels draaien ervoor en erna, zodat u ziet wat er is veranderd.',
  useTime: 'Tijd',
  useTimeOf: (time, pictures) =>
    `ongeveer ${time} voor ${counted(pictures, 'foto', 'foto’s')}, als de machine niets anders doet`,
  useTimeUnknown: 'niemand heeft dit model gemeten; de resterende tijd verschijnt zodra de overgang loopt',
  useDisk: 'Ruimte op de schijf',
  useMemory: 'Geheugen',
  useMemoryOf: (size) => `ongeveer ${size} meer tot de overgang is bevestigd`,
  useChecked: 'De dienst controleert de ruimte voordat hij begint, en weigert als er te weinig is.',
  changed: 'Iemand was sneller, of er is iets veranderd. De pagina toont nu wat er is.',

  moving: {
    use: (from, to) => `De winkels gaan van ${from} over naar ${to}`,
    back: (from, to) => `De winkels gaan van ${from} terug naar ${to}`,
    reindex: (_, to) => `Alle foto’s worden opnieuw omgezet met ${to}`,
  },
  lastMove: 'Laatste overgang',
  moveEnds: {
    done: (to) => `Alle winkels antwoorden met ${to}.`,
    cancelled: (to) => `De overgang naar ${to} is geannuleerd.`,
    failed: (to) => `De overgang naar ${to} is mislukt. De winkels antwoorden als tevoren.`,
  },
  moveStarts: 'Hij begint zo.',
  moveWaits: 'Hij wacht en gaat vanzelf verder:',
  storesDone: (done, all) => `Winkels: ${done} van ${all}`,
  productsDone: (done, all) => `Producten: ${done} van ${all}`,
  timeLeft: (time) => `nog ongeveer ${time}`,
  progress: 'Voortgang van de overgang',
  failed: (count) => `Producten waarvan de foto niet meer te krijgen was: ${count}`,
  failedHint: 'Zoeken met woorden blijft ze vinden. Ze worden opnieuw geprobeerd als iemand ze wijzigt.',
  furtherFailed: (count) => `en nog ${count}`,
  cancelMove: 'Overgang annuleren',
  cancelSure: 'De overgang annuleren?',
  cancelHappens:
    'Winkels die al over zijn, gaan terug naar het vorige model, waarvan de vectoren er nog zijn.',
  goOn: 'Laten doorgaan',

  former: 'De weg terug',
  formerUntil: (name, until) =>
    `De vectoren van ${name} blijven tot ${until}. Tot dan kunnen alle winkels ernaar terug; alleen wat sindsdien is veranderd, wordt eerst omgezet.`,
  back: (name) => `Terug naar ${name}`,
  backSure: (name) => `Terug naar ${name}?`,
  backHappens:
    'Elke winkel antwoordt ermee zodra is omgezet wat sinds de overgang is veranderd; meestal is dat meteen.',
  confirm: (name) => `${name} voorgoed houden`,
  confirmSure: (name) => `${name} voorgoed houden?`,
  confirmHappens: (former) =>
    `De vectoren van ${former} worden verwijderd, wat schijf en geheugen vrijmaakt. Daarna is er geen snelle weg terug.`,

  remove: 'Bestanden verwijderen',
  removeSure: (name) => `De bestanden van ${name} verwijderen?`,
  removeHappens: (size) =>
    `Dat maakt ${size} vrij op de schijf. Om het weer te gebruiken, moet iemand het opnieuw brengen.`,

  checks: 'Opgeslagen controles ervoor en erna',
  checksHint:
    'Zoekopdrachten waarvan de mensen van een winkel de juiste resultaten hebben vastgelegd. Ze draaien voordat een winkel overgaat, en daarna.',
  noChecks:
    'Geen winkel heeft opgeslagen controles. De mensen van de winkel slaan ze op op de pagina ‘Uitproberen’.',
  checksNow: 'Nu',
  checksBefore: 'Eerder',
  checksChange: 'Verschil',
  pass: (passed, total) => `${passed} van ${total} geslaagd`,
  notRun: 'Nog niet uitgevoerd',
  runsNow: 'Loopt',
  better: (count) => `${count} meer`,
  worse: (count) => `${count} minder`,
  same: 'Als tevoren',
  store: 'Winkel',
}
