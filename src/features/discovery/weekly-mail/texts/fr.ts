import type { Texts } from './texts.ts'

export const texts: Texts = {
  subject: (store, searches) => `${store} : ${searches} recherches la semaine dernière`,
  title: (store, period) => `${store}, ${period}`,
  searches: 'Recherches',
  clicked: 'Recherches suivies d’un clic',
  revenue: 'Chiffre d’affaires',
  orders: (count) => `commandes : ${count}`,
  before: (value) => `la semaine précédente : ${value}`,
  missed: 'Cherché et pas trouvé',
  photos: 'Photos sans résultat proche',
  unknownPhotos: 'quelque chose qu’aucune catégorie ne nomme',
  soldOut: 'Épuisé, et demandé',
  searchedTimes: (count) => `recherches : ${count}`,
  clickedTimes: (count) => `clics : ${count}`,
  advice: 'Ce qui aide le plus maintenant',
  advices: {
    'track-clicks': [
      'On a cherché, mais aucun clic n’a été signalé. Vérifiez que le widget, ou le code de votre boutique, signale les clics.',
      'Vérifier le suivi',
    ],
    restock: [
      'Vos clients cliquent sur des produits épuisés. Réapprovisionnez-les, ou épinglez de quoi les remplacer.',
      'Ouvrir les produits',
    ],
    'name-missed': [
      'Dites à la recherche ce que ces mots désignent dans votre boutique, ou ajoutez un tel produit.',
      'Ouvrir les statistiques',
    ],
    photos: [
      'Regardez ce que vos clients photographient sans le trouver. Vous voudrez peut-être le vendre.',
      'Ouvrir les statistiques',
    ],
    'track-purchases': [
      'Vos clients cliquent, mais aucun achat n’a été signalé. Signalez les achats pour voir ce que la recherche rapporte.',
      'Voir comment',
    ],
    try: [
      'Tout va bien. Essayez une recherche comme un client, et voyez si les premiers résultats vous plaisent.',
      'Essayer une recherche',
    ],
  },
  why: 'Vous recevez ce message le lundi parce que cette boutique vous appartient.',
  unsubscribe: 'Se désabonner',
}
