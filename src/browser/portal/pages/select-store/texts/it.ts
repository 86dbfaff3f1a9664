import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Scegli un negozio',
  operator: 'Gestore di questa installazione',
  operatorPages: 'Vai alle pagine del gestore',
  yours: 'I miei negozi',
  all: 'Tutti i negozi',
  filter: 'Filtra per nome',
  suspended: 'Sospeso',
  lastUsed: (ago) => `Ultimo uso: ${ago}`,
  products: (count) => (count === '1' ? '1 prodotto' : `${count} prodotti`),
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
