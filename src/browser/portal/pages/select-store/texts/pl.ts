import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('pl')

export const texts: Texts = {
  heading: 'Wybierz sklep',
  operator: 'Operator tej instalacji',
  operatorPages: 'Przejdź do stron operatora',
  yours: 'Twoje sklepy',
  all: 'Wszystkie sklepy',
  filter: 'Filtruj po nazwie',
  suspended: 'Zawieszony',
  lastUsed: (ago) => `Ostatnio używany ${ago}`,
  products: (count) => counted(count, 'produkt', 'produkty', 'produktów'),
  none: 'Nie należysz jeszcze do żadnego sklepu. Zaprosić może Cię właściciel.',
  noneFits: 'Żaden sklep nie ma tego w nazwie.',
  roles: { owner: 'Właściciel', admin: 'Administrator', developer: 'Programista', viewer: 'Obserwator' },
  signOut: 'Wyloguj się',
}
