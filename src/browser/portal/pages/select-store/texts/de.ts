import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('de')

export const texts: Texts = {
  heading: 'Shop wählen',
  operator: 'Betreiber dieser Installation',
  operatorPages: 'Zu den Seiten des Betreibers',
  yours: 'Ihre Shops',
  all: 'Alle Shops',
  filter: 'Nach Namen filtern',
  suspended: 'Gesperrt',
  lastUsed: (ago) => `Zuletzt benutzt ${ago}`,
  products: (count) => counted(count, 'Produkt', 'Produkte'),
  none: 'Sie gehören noch zu keinem Shop. Der Inhaber kann Sie einladen.',
  noneFits: 'Kein Shop hat das im Namen.',
  roles: { owner: 'Inhaber', admin: 'Admin', developer: 'Entwickler', viewer: 'Betrachter' },
  signOut: 'Abmelden',
}
