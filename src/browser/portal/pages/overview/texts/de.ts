import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('de')

export const texts: Texts = {
  fact: (searches, clicks) =>
    `${counted(searches, 'Suche', 'Suchen')} in 7 Tagen, ${counted(clicks, 'Klick', 'Klicks')}`,
  quiet: 'Keine Suchen in den letzten 7 Tagen',
  empty: 'Ihr Shop ist bereit',
  searches: 'Suchen',
  clicks: 'Klicks',
  orders: 'Bestellungen',
  revenue: 'Umsatz',
  products: 'Produkte',
  before: (value) => `${value} in der Woche davor`,
  plot: 'Suchen je Tag',
  plotText: (now, before) =>
    `${counted(now, 'Suche', 'Suchen')} in den letzten 7 Tagen, ${before} in den 7 Tagen davor.`,
  thisWeek: 'Diese 7 Tage',
  lastWeek: '7 Tage davor',
  noticed: 'Uns ist aufgefallen',
  allWell: 'Es gibt nichts zu tun.',
  latest: 'Letzte Suchen',
  noneYet: 'Hier erscheinen Suchen, sobald sie kommen. Probieren Sie eine aus.',
  tryOne: 'Eine Suche ausprobieren',
  byPicture: 'Ein Bild',
  bySimilar: 'Ähnlich wie ein Produkt',
  found: (count) => `${count} gefunden`,
  nothing: 'nichts gefunden',
  checklist: 'Nächste Schritte',
  steps: {
    products: 'Produkte hinzufügen',
    first_search: 'Eine erste Suche machen',
    shop_address: 'Angeben, wo Ihr Shop ist',
    widget_seen: 'Die Suche in Ihren Shop einbauen',
    first_click: 'Den ersten Klick sehen',
    second_factor: 'Ihre Anmeldung mit einem zweiten Faktor schützen',
  },
  done: 'erledigt',
  todo: 'offen',
  noRights: 'Sie dürfen die Zahlen dieses Shops nicht sehen. Der Inhaber kann Ihnen das Recht geben.',
}
