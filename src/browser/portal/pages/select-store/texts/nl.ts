import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('nl')

export const texts: Texts = {
  heading: 'Winkel kiezen',
  operator: 'Beheerder van deze installatie',
  operatorPages: 'Naar de beheerpagina’s',
  yours: 'Uw winkels',
  all: 'Alle winkels',
  filter: 'Filteren op naam',
  suspended: 'Geblokkeerd',
  lastUsed: (ago) => `Laatst gebruikt: ${ago}`,
  products: (count) => counted(count, 'product', 'producten'),
  none: 'U hoort nog bij geen winkel. De eigenaar ervan kan u uitnodigen.',
  noneFits: 'Geen winkel heeft dit in de naam.',
  roles: { owner: 'Eigenaar', admin: 'Admin', developer: 'Ontwikkelaar', viewer: 'Lezer' },
  signOut: 'Uitloggen',
}
