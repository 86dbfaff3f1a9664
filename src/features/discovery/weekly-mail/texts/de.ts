import type { Texts } from './texts.ts'

export const texts: Texts = {
  subject: (store, searches) => `${store}: ${searches} Suchen in der letzten Woche`,
  title: (store, period) => `${store}, ${period}`,
  searches: 'Suchen',
  clicked: 'Suchen mit Klick',
  revenue: 'Umsatz',
  orders: (count) => `Bestellungen: ${count}`,
  before: (value) => `in der Woche davor: ${value}`,
  missed: 'Gesucht und nicht gefunden',
  photos: 'Fotos ohne passenden Treffer',
  unknownPhotos: 'etwas, das keine Kategorie benennt',
  soldOut: 'Ausverkauft, aber gefragt',
  searchedTimes: (count) => `Suchen: ${count}`,
  clickedTimes: (count) => `Klicks: ${count}`,
  advice: 'Was jetzt am meisten hilft',
  advices: {
    'track-clicks': [
      'Es wurde gesucht, aber kein Klick gemeldet. Prüfen Sie, ob das Widget oder der Code Ihres Shops die Klicks meldet.',
      'Tracking prüfen',
    ],
    restock: [
      'Kunden klicken auf ausverkaufte Produkte. Bestellen Sie nach, oder stellen Sie einen Ersatz nach oben.',
      'Produkte öffnen',
    ],
    'name-missed': [
      'Sagen Sie der Suche, was diese Wörter in Ihrem Shop bedeuten, oder nehmen Sie ein solches Produkt auf.',
      'Auswertung öffnen',
    ],
    photos: [
      'Sehen Sie nach, was Kunden fotografieren und nicht finden. Vielleicht wollen Sie es verkaufen.',
      'Auswertung öffnen',
    ],
    'track-purchases': [
      'Kunden klicken, aber kein Kauf wurde gemeldet. Melden Sie Käufe, dann sehen Sie, was die Suche einbringt.',
      'So geht es',
    ],
    try: [
      'Es ist alles in Ordnung. Suchen Sie einmal wie ein Kunde, und sehen Sie, ob Ihnen die ersten Treffer gefallen.',
      'Suche ausprobieren',
    ],
  },
  why: 'Sie bekommen diese Mail montags, weil Ihnen dieser Shop gehört.',
  unsubscribe: 'Abbestellen',
}
