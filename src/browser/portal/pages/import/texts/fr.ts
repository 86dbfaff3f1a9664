import { pluralsIn } from '../../../texts/plurals.ts'
import type { FindingTexts } from '../describe-finding.ts'
import type { Texts } from './en.ts'

const { counted, plural } = pluralsIn('fr')

/** What the service found in a file. */
const findings: FindingTexts = {
  encoding_guessed: ({ encoding }) =>
    `Le fichier n’est pas en UTF-8. Il a été lu en ${encoding} : vérifiez les lettres accentuées.`,
  column_unknown: ({ column }) => `Le fichier n’a pas de colonne « ${column} ».`,
  price_without_tax: ({ column }) =>
    `Les prix de la colonne « ${column} » sont hors taxes, et la boutique les affiche peut-être TTC.`,
  fields_without_column: ({ fields, products }) =>
    `Aucune colonne trouvée pour : ${fields}. Cela manquera à ${counted(products, 'produit', 'produits')}. Choisissez la colonne ci-dessus.`,
  results_without_links: () =>
    'Aucune colonne ne contient l’adresse d’un produit, et la boutique n’en a pas : les résultats ne mèneront nulle part. Indiquez sur la page « Widget » où s’ouvrent vos produits.',
  prices_without_currency: () =>
    'Aucune colonne ne contient de devise, et la boutique n’en a pas : les prix s’affichent sans. Choisissez-la dans les paramètres de la boutique.',
  sale_not_below_price: ({ products }) =>
    `${counted(products, 'produit a', 'produits ont')} un prix soldé qui n’est pas inférieur au prix : il est laissé de côté.`,
  sale_dates_unreadable: ({ products }) =>
    `${counted(products, 'produit a', 'produits ont')} un prix soldé aux dates illisibles : il est laissé de côté. Écrivez les dates ainsi : 2030-12-24.`,
  category_too_deep: ({ products }) =>
    `${counted(products, 'produit a', 'produits ont')} une catégorie de plus de 10 niveaux : les 10 premiers sont gardés.`,
  parent_missing: ({ products }) =>
    `${counted(products, 'variante indique', 'variantes indiquent')} un produit principal absent du fichier et n’en ${plural(products, 'reprend', 'reprennent')} rien. Exportez tous les produits dans un seul fichier.`,
  parent_not_kept: ({ products }) =>
    `${counted(products, 'variante ne reprend', 'variantes ne reprennent')} rien du produit principal, car le fichier a trop de produits à variantes. Découpez-le.`,
  products_hidden: ({ products }) =>
    `${counted(products, 'produit est laissé', 'produits sont laissés')} de côté : brouillon ou non publié.`,
  vectors_of_another_model: ({ products }) =>
    `${counted(products, 'produit apporte', 'produits apportent')} des vecteurs d’un autre modèle : les images sont lues à la place.`,
  dry_run_stopped: ({ line, products }) =>
    `Après ${counted(products, 'produit incorrect', 'produits incorrects')}, la vérification s’est arrêtée à la ligne ${line} : les totaux vont jusque-là.`,
  file_not_kept: () =>
    'Le service n’a pas de place pour garder le fichier en ce moment : il sera renvoyé pour l’importation.',
}

/** What is wrong with the columns, by the code of the API. */
const problems: Readonly<Record<string, string>> = {
  column_unknown: 'Une colonne choisie n’est pas dans ce fichier. Choisissez-en une autre.',
  pages_not_pictures:
    'La colonne de l’image contient des adresses de pages. Choisissez celle qui contient les adresses des images (.jpg, .png, .webp).',
}

export const texts: Texts = {
  heading: 'Importer un fichier',
  isRight: 'Est-ce correct ?',
  noRights:
    'Votre rôle permet de voir les produits, mais pas de les importer. Un propriétaire ou un administrateur peut changer cela.',
  choose: 'Choisir un fichier',
  chooseOther: 'Choisir un autre fichier',
  drop: 'ou déposez-le ici',
  kinds: 'CSV, TSV, NDJSON, XML ou un fichier zip avec un tableau et ses images. 100 Mo au maximum.',
  fromShops:
    'Les exports de WooCommerce, Shopify, PrestaShop, Magento, OpenCart et Google Merchant sont compris tels quels, dans toutes les langues. Rien n’est écrit avant que vous ne l’ayez vu.',
  fromAddress: 'Le fichier se trouve à une adresse ? Le lire depuis cette adresse.',
  sending: 'Envoi du fichier',
  reading: 'Lecture du fichier et téléchargement de ses premières images',
  cancel: 'Annuler',
  troubles: {
    empty: 'Ce fichier est vide.',
    too_large: 'Ce fichier dépasse 100 Mo.',
    spreadsheet: 'C’est une feuille de calcul, pas un tableau en texte.',
    expired: 'Le service garde un fichier pendant 30 minutes, et elles sont écoulées.',
    unreadable: 'Ce fichier est illisible.',
  },
  cures: {
    empty: 'Exportez-le à nouveau depuis votre boutique, puis choisissez-le ici.',
    too_large: 'Répartissez-le en plusieurs fichiers, ou compressez-le en zip ou gzip.',
    spreadsheet: 'Ouvrez-le dans votre tableur, enregistrez-le en CSV (UTF-8) et choisissez ce fichier.',
    expired: 'Envoyez-le à nouveau : tout ce que vous avez choisi ici est conservé.',
  },
  sendAgain: (name) => `Envoyer « ${name} » à nouveau`,
  first: (count) => plural(count, 'Le premier produit', `Les ${count} premiers produits`),
  picturesFailed: (failed, all) =>
    `${counted(failed, 'image', 'images')} sur ${all} ${plural(failed, 'n’a pas pu être chargée', 'n’ont pas pu être chargées')}. Les autres produits sont importés quand même.`,
  noPicture: 'Image non chargée',
  columns: 'Comment vos colonnes sont lues',
  fields: {
    image_url: 'l’image',
    product_id: 'le numéro du produit',
    name: 'le nom',
    price: 'le prix',
    sale_price: 'le prix soldé',
    category: 'la catégorie',
    brand: 'la marque',
    color_name: 'la couleur',
    in_stock: 'le stock',
    url: 'l’adresse dans votre boutique',
    additional_image_urls: 'd’autres images',
    description: 'la description',
    currency: 'la devise',
    tags: 'les étiquettes',
    variant_group: 'le groupe de variantes',
    sku: 'la référence',
    gtin: 'le numéro du code-barres',
    rating: 'la note',
    sale_price_from: 'le premier jour des soldes',
    sale_price_until: 'le dernier jour des soldes',
  },
  tails: {
    image_url: 'semble être l’image',
    product_id: 'semble être le numéro du produit',
    name: 'semble être le nom',
    price: 'semble être le prix',
    sale_price: 'semble être le prix soldé',
    category: 'semble être la catégorie',
    brand: 'semble être la marque',
    color_name: 'semble être la couleur',
    in_stock: 'indique ce qui est en stock',
    url: 'semble être l’adresse dans votre boutique',
    additional_image_urls: 'contient d’autres images',
    description: 'semble être la description',
    currency: 'semble être la devise',
    tags: 'semble contenir les étiquettes',
    variant_group: 'regroupe les variantes',
    sku: 'semble être la référence',
    gtin: 'semble être le numéro du code-barres',
    rating: 'semble être la note',
    sale_price_from: 'indique quand les soldes commencent',
    sale_price_until: 'indique quand les soldes finissent',
  },
  keptAs: (key) => `est conservée sous le nom « ${key} »`,
  nothingFills: (field) => `Aucune colonne ne contient ${field}`,
  columnFor: (field) => `Colonne pour ${field}`,
  noColumn: 'Aucune colonne',
  openFields: 'Champs sans colonne',
  losses: 'Ce qui serait perdu',
  lossesHint: 'Rien ne lit ces colonnes. Une colonne gardée peut être affichée et servir de filtre.',
  loss: (count) => `a une valeur dans ${count} des premières lignes, par exemple`,
  keep: 'Garder',
  keepAll: 'Les garder toutes',
  changes: 'Ce qui change',
  new: 'Nouveaux',
  changed: 'Modifiés',
  unchanged: 'Inchangés',
  gone: 'Absents du fichier',
  hidden: (count) => `Brouillons et produits masqués laissés de côté : ${count}.`,
  invalid: (count) =>
    counted(count, 'ligne ne peut pas être importée', 'lignes ne peuvent pas être importées'),
  line: (line) => `Ligne ${line}`,
  findings,
  problems,
  noticed: 'Nous avons remarqué',
  choices: 'Importation',
  variants: 'Variantes',
  variantsTogether: 'Un produit avec toutes ses variantes',
  variantsApart: 'Chaque variante est un produit',
  missing: 'Produits absents du fichier',
  missingKeep: 'Les garder',
  missingDelete: 'Les supprimer',
  willDelete: (count) =>
    counted(
      count,
      'produit de la boutique et ses images disparaîtront.',
      'produits de la boutique et leurs images disparaîtront.',
    ),
  brake: (count, all) =>
    `Ils n’existent vraiment plus. ${counted(count, 'produit', 'produits')} sur ${all} ${plural(count, 'est absent', 'sont absents')} de ce fichier ; un fichier tronqué aurait le même aspect.`,
  run: (count) => plural(count, `Importer ${count} produit`, `Importer ${count} produits`),
  starting: 'L’importation commence…',
  summary: (added, changed) => `Nouveaux : ${added} ; modifiés : ${changed}`,
  nothingToRun: 'Aucune ligne de ce fichier ne peut être importée.',
  nightly: 'Répéter chaque nuit depuis une adresse',
  nightlyAddress: 'Adresse du fichier',
  nightlyHint:
    'Là où votre boutique dépose régulièrement le même export. Il est lu tout de suite, puis toutes les 24 heures, avec les choix faits ici.',
  nightlyMake: 'Répéter chaque nuit',
  feedMade: 'Il est lu maintenant, puis toutes les 24 heures.',
  toFeeds: 'Afficher les flux',
}
