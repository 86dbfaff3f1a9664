import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('it')

export const texts: Texts = {
  fact: (searches, clicks) => `${counted(searches, 'ricerca', 'ricerche')} in 7 giorni, ${clicks} clic`,
  quiet: 'Nessuna ricerca negli ultimi 7 giorni',
  empty: 'Il negozio è pronto',
  searches: 'Ricerche',
  clicks: 'Clic',
  orders: 'Ordini',
  revenue: 'Fatturato',
  products: 'Prodotti',
  before: (value) => `${value} la settimana prima`,
  plot: 'Ricerche al giorno',
  plotText: (now, before) => `Ricerche negli ultimi 7 giorni: ${now}; nei 7 giorni precedenti: ${before}.`,
  thisWeek: 'Ultimi 7 giorni',
  lastWeek: '7 giorni precedenti',
  noticed: 'Da notare',
  allWell: 'Tutto a posto.',
  latest: 'Ultime ricerche',
  noneYet: 'Le ricerche compaiono qui man mano che arrivano. Se ne può fare una in Prove.',
  tryOne: 'Prova una ricerca',
  byPicture: 'Un’immagine',
  bySimilar: 'Simile a un prodotto',
  found: (count) => counted(count, 'trovato', 'trovati'),
  nothing: 'nessun risultato',
  checklist: 'Prossimi passi',
  steps: {
    products: 'Aggiungere prodotti',
    first_search: 'Fare una prima ricerca',
    shop_address: 'Indicare l’indirizzo del negozio',
    widget_seen: 'Inserire la ricerca nel negozio',
    first_click: 'Vedere il primo clic',
    second_factor: 'Proteggere l’accesso con un secondo fattore',
  },
  done: 'fatto',
  todo: 'da fare',
  noRights:
    'Il ruolo attuale non consente di vedere i numeri di questo negozio. Il proprietario può concedere il permesso.',
}
