import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('nl')

export const texts: Texts = {
  fact: (searches, clicks) =>
    `${counted(searches, 'zoekopdracht', 'zoekopdrachten')} in 7 dagen, ${counted(clicks, 'klik', 'klikken')}`,
  quiet: 'Geen zoekopdrachten in de afgelopen 7 dagen',
  empty: 'Uw winkel is klaar',
  searches: 'Zoekopdrachten',
  clicks: 'Klikken',
  orders: 'Bestellingen',
  revenue: 'Omzet',
  products: 'Producten',
  before: (value) => `${value} de week ervoor`,
  plot: 'Zoekopdrachten per dag',
  plotText: (now, before) =>
    `Zoekopdrachten in de afgelopen 7 dagen: ${now}; in de 7 dagen daarvoor: ${before}.`,
  thisWeek: 'Deze 7 dagen',
  lastWeek: '7 dagen daarvoor',
  noticed: 'Opgevallen',
  allWell: 'Alles is in orde.',
  latest: 'Laatste zoekopdrachten',
  noneYet: 'Zoekopdrachten verschijnen hier zodra ze binnenkomen. Probeer er een in Uitproberen.',
  tryOne: 'Zoekopdracht proberen',
  byPicture: 'Een foto',
  bySimilar: 'Lijkt op een product',
  found: (count) => `${count} gevonden`,
  nothing: 'niets gevonden',
  checklist: 'Volgende stappen',
  steps: {
    products: 'Producten toevoegen',
    first_search: 'Een eerste keer zoeken',
    shop_address: 'Aangeven waar uw webwinkel staat',
    widget_seen: 'Het zoeken in uw webwinkel zetten',
    first_click: 'De eerste klik zien',
    second_factor: 'Uw account beveiligen met een tweede factor',
  },
  done: 'gedaan',
  todo: 'te doen',
  noRights: 'U mag de cijfers van deze winkel niet zien. De eigenaar kan u dat recht geven.',
}
