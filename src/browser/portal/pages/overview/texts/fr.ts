import { pluralsIn } from '../../../texts/plurals.ts'
import type { Texts } from './en.ts'

const { counted } = pluralsIn('fr')

export const texts: Texts = {
  fact: (searches, clicks) =>
    `${counted(searches, 'recherche', 'recherches')} en 7 jours, ${counted(clicks, 'clic', 'clics')}`,
  quiet: 'Aucune recherche ces 7 derniers jours',
  empty: 'Votre boutique est prête',
  searches: 'Recherches',
  clicks: 'Clics',
  orders: 'Commandes',
  revenue: 'Chiffre d’affaires',
  products: 'Produits',
  before: (value) => `${value} la semaine précédente`,
  plot: 'Recherches par jour',
  plotText: (now, before) => `Recherches ces 7 derniers jours : ${now} ; les 7 jours précédents : ${before}.`,
  thisWeek: 'Ces 7 jours',
  lastWeek: '7 jours précédents',
  noticed: 'Nous avons remarqué',
  allWell: 'Rien ne demande votre attention.',
  latest: 'Dernières recherches',
  noneYet: 'Les recherches apparaissent ici à mesure qu’elles arrivent. Faites-en une dans Essais.',
  tryOne: 'Essayer une recherche',
  byPicture: 'Une image',
  bySimilar: 'Semblable à un produit',
  found: (count) => counted(count, 'trouvé', 'trouvés'),
  nothing: 'aucun résultat',
  checklist: 'Étapes suivantes',
  steps: {
    products: 'Ajouter des produits',
    first_search: 'Faire une première recherche',
    shop_address: 'Indiquer où se trouve votre boutique',
    widget_seen: 'Installer la recherche dans votre boutique',
    first_click: 'Voir le premier clic',
    second_factor: 'Protéger votre connexion par un second facteur',
  },
  done: 'fait',
  todo: 'à faire',
  noRights: 'Vous ne pouvez pas voir les chiffres de cette boutique. Son propriétaire peut vous y autoriser.',
}
