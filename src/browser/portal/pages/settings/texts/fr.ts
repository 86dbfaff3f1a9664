import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Paramètres',
  mayNot:
    'Les administrateurs et les propriétaires peuvent voir et modifier les paramètres de cette boutique.',
  shop: 'Votre boutique',
  name: 'Nom de la boutique',
  fields: {
    shop_url: 'Adresse de la boutique',
    shop_system: 'Système de la boutique',
    product_url_template: 'Adresse d’un produit',
    currency: 'Devise',
    locale: 'Langue',
    time_zone: 'Fuseau horaire',
    threshold: 'Ressemblance minimale',
    cutoff: 'Fin des résultats',
    category_boost: 'Poids de la catégorie',
    second_look: 'Second regard',
    duplicate_threshold: 'Deux produits sont jugés identiques à partir de',
    private_metadata: 'Champs privés',
  },
  systems: [
    ['', 'non indiqué'],
    ['woocommerce', 'WooCommerce'],
    ['shopify', 'Shopify'],
    ['shopware', 'Shopware'],
    ['prestashop', 'PrestaShop'],
    ['magento', 'Magento'],
    ['opencart', 'OpenCart'],
    ['other', 'autre chose'],
  ],
  templateHint:
    'Pour les produits sans adresse propre. {product_id} ou un autre champ entre accolades représente sa valeur.',
  currencyHint: 'Trois lettres, par exemple EUR.',
  localeHint: 'Par exemple fr-FR.',
  zoneHint: 'Par exemple Europe/Paris. Les jours des statistiques commencent selon ce fuseau.',
  search: 'Recherche',
  searchHint:
    'Ce qu’utilise une recherche qui n’indique rien d’autre. Un champ vide laisse le choix au service.',
  thresholdHint: 'De 0 à 1. Les résultats en dessous sont écartés.',
  boostHint: 'De 0 à 0,5.',
  cutoffs: [
    ['', 'au choix du service'],
    ['auto', 'là où la ressemblance chute'],
    ['none', 'nulle part'],
  ],
  secondLooks: [
    ['', 'au choix du service'],
    ['true', 'activé : les premiers résultats aident pour les mots'],
    ['false', 'désactivé'],
  ],
  pictures: 'Images et champs',
  thumbnails: 'Garder une miniature de chaque image',
  thumbnailsGone:
    'L’enregistrement supprime les miniatures existantes : les produits de ce portail seront affichés sous forme de lettres.',
  unmatched:
    'Garder 30 jours les photos des clients sans produit ressemblant, pour voir ce qu’ils cherchent en vain',
  duplicatesHint: 'De 0 à 1. Vide : les doublons ne sont pas recherchés.',
  privateHint: 'Champs que le widget n’affiche jamais, séparés par des virgules.',
  save: 'Enregistrer les paramètres',
  saved: 'Enregistré.',
  end: 'Supprimer la boutique',
  endHint: 'La boutique est désactivée immédiatement, puis supprimée définitivement après 7 jours.',
  deleteStore: 'Supprimer cette boutique',
  willBeGone:
    'Les produits, les images, les recherches, les clés, les webhooks et les membres de la boutique disparaîtront. Les widgets de votre boutique s’arrêtent immédiatement. Pendant 7 jours, l’exploitant peut la rétablir.',
  typeSlug: (slug) => `Saisissez « ${slug} » pour confirmer`,
  password: 'Votre mot de passe',
  code: 'Code de votre application d’authentification',
  wrongProof: 'Le mot de passe ou le code est incorrect.',
  deleteNow: 'Supprimer la boutique',
  keep: 'La garder',
  deleted: 'La boutique est désactivée',
  deletedHint: (moment) =>
    `Elle sera supprimée définitivement le ${moment}. D’ici là, l’exploitant peut la rétablir.`,
  toStores: 'Choisir une autre boutique',
}
