import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('it')

export const texts: Texts = {
  heading: 'Scegli un negozio',
  operator: 'Gestore di questa installazione',
  operatorPages: 'Vai alle pagine del gestore',
  yours: 'I miei negozi',
  all: 'Tutti i negozi',
  filter: 'Filtra per nome',
  suspended: 'Sospeso',
  lastUsed: (ago) => `Ultimo uso: ${ago}`,
  products: (count) => counted(count, 'prodotto', 'prodotti'),
  none: 'Ancora nessun negozio. Serve un invito del proprietario.',
  noneFits: 'Nessun negozio ha questo nel nome.',
  roles: {
    owner: 'Proprietario',
    admin: 'Amministratore',
    developer: 'Sviluppatore',
    viewer: 'Visualizzatore',
  },
  signOut: 'Esci',
}
